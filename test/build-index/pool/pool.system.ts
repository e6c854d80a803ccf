/** Threads that take tasks: what a run that failed leaves on them must not stop the next. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { buildSnapshot } from '../../../build-index/building/build-snapshot.js';
import { createPool, type Pool, type Task } from '../../../build-index/pool/pool.js';
import { verifySnapshot } from '../../../build-index/verifying/verify-snapshot.js';
import { ExpectedError } from '../../../src/base/errors.js';
import {
  buildFrom,
  createTemporaryFolder,
  type TemporaryFolder,
  writeRelease,
} from '../../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../../fixtures/hand-made-release.js';
import { runProgram } from '../../fixtures/program.js';
import { silentProgress } from '../../fixtures/silent-progress.js';

/**
 * Answers each task with its kind after 20 ms; `fail` fails at once, `count` answers how many were begun before it as
 * soon as two were begun, `bytes` answers an object.
 */
const THREAD = `
  import { parentPort } from 'node:worker_threads';
  import { tellLoaded } from '${new URL('../../../dist/src/base/thread.js', import.meta.url).href}';
  parentPort.on('message', ({ kind, begun }) => {
    if (kind === 'count') {
      const result = Atomics.add(begun, 0, 1);
      Atomics.notify(begun, 0);
      if (result === 0) Atomics.wait(begun, 0, 1);
      parentPort.postMessage({ result });
    }
    else if (kind === 'fail') parentPort.postMessage({ error: { kind: 'other', error: new Error('it failed') } });
    else if (kind === 'bytes') parentPort.postMessage({ result: new Uint8Array(1000) });
    else setTimeout(() => parentPort.postMessage({ result: kind }), 20);
  });
  tellLoaded();
`;

let folder: TemporaryFolder;
let pool: Pool;
beforeAll(() => {
  folder = createTemporaryFolder();
  const program = join(folder.path, 'thread.mjs');
  writeFileSync(program, THREAD);
  pool = createPool(pathToFileURL(program), 2);
});
afterAll(async () => {
  await pool.close();
  folder.remove();
});

async function runAll(kinds: readonly string[]): Promise<unknown[]> {
  const results: unknown[] = [];
  for await (const result of pool.run(kinds.map((kind): Task<unknown> => ({ kind, step: `doing ${kind}` }))))
    results.push(result);
  return results;
}

test('results come in the order of the tasks', async () => {
  const kinds = Array.from({ length: 20 }, (_, number) => `${number}`);
  expect(await runAll(kinds)).toEqual(kinds);
});

test('a run that fails leaves the threads to the next run', async () => {
  for (let round = 0; round < 3; round++) {
    await expect(runAll(['fail', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'])).rejects.toThrow('it failed');
    expect(await runAll(['k', 'l'])).toEqual(['k', 'l']);
  }
});

test('tasks longer than the work behind them are begun before all others', async () => {
  const begun = new Int32Array(new SharedArrayBuffer(4));
  const sizes = [40, 1, 1, 1, 30, 1, 1, 1, 20, 1, undefined];
  const tasks = sizes.map((size) => ({
    kind: 'count',
    step: 'counting',
    begun,
    ...(size === undefined ? {} : { size }),
  }));
  const ranks: unknown[] = [];
  for await (const rank of pool.run(tasks)) ranks.push(rank);
  expect([ranks[4], ranks[8]].sort()).toEqual([0, 1]);
  expect([...ranks].sort((one, other) => Number(one) - Number(other))).toEqual([...sizes.keys()]);
});

test('a result that the run has handed over is not kept in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const results: WeakRef<object>[] = [];
  for await (const result of pool.run(Array.from({ length: 20 }, () => ({ kind: 'bytes', step: 'making bytes' })))) {
    results.push(new WeakRef(result as object));
  }
  await wait(0);
  collectGarbage();
  // The last one may still be on the stack.
  expect(results.filter((result) => result.deref() !== undefined).length).toBeLessThan(3);
});

describe('A worker thread that dies, at any stage and for any cause, ends the run at once', () => {
  const HOOK = pathToFileURL(join(import.meta.dirname, '../../fixtures/dying-thread.mjs')).href;
  const PROGRAM = pathToFileURL(join(import.meta.dirname, '../../../dist/build-index/tasks/task-thread.js')).href;
  type Stage = readonly [kind: string, country: string | null, way: string, moment: string];

  let folder: TemporaryFolder;
  let release: string;
  let snapshot: string;
  let out: string;
  let pool: Pool | undefined;
  beforeAll(async () => {
    folder = createTemporaryFolder();
    release = join(folder.path, 'release');
    snapshot = join(folder.path, 'places.snapshot');
    out = join(folder.path, 'out');
    writeRelease(release, HAND_MADE_ROWS);
    await buildFrom(release, snapshot);
  });
  beforeEach(() => mkdirSync(out));
  afterEach(async () => {
    await pool?.close();
    pool = undefined;
    rmSync(out, { recursive: true });
  });
  afterAll(() => folder.remove());

  /** The module that makes the thread die that comes to this stage. */
  function hookOf([kind, country, way, moment]: Stage): string {
    const query = new URLSearchParams({ kind, way, moment, ...(country === null ? {} : { country }) });
    return `${HOOK}?${query}`;
  }

  /** Two threads, of which the one that comes to this stage dies. */
  function createDyingPool(stage: Stage): Pool {
    const program = `import '${hookOf(stage)}'; import '${PROGRAM}';`;
    const threadProgram = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
    pool = createPool(threadProgram, 2);
    return pool;
  }

  function build(stage: Stage): Promise<unknown> {
    const outPath = join(out, 'places.snapshot');
    const options = { siteUrl: 'https://site.test', countries: null, releaseName: 'fixture', gazetteerPath: null };
    const paths = { releasePath: release, outPath, correctionPaths: [], previousPath: null };
    return buildSnapshot({ ...options, ...paths }, createDyingPool(stage), silentProgress);
  }

  const EXIT = 'it exited with code 7';
  const UNCAUGHT = 'TypeError: nothing caught this';
  const MEMORY = 'it ran out of memory (ERR_WORKER_OUT_OF_MEMORY)';

  describe('build, when a thread dies', () => {
    test.each<[string, Stage, string]>([
      ['before it reads a country', ['build-country', 'LT', 'exit', 'before'], `building LT: ${EXIT}`],
      ['reading a country', ['build-country', 'AD', 'uncaught', 'during'], `building AD: ${UNCAUGHT}`],
      ['with a country built', ['build-country', 'KR', 'exit', 'answer'], `building KR: ${EXIT}`],
      ['building the world', ['build-world', null, 'exit', 'before'], `building the index of the world: ${EXIT}`],
    ])('%s', async (_, stage, reason) => {
      const error = await build(stage).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ExpectedError);
      expect((error as Error).message).toContain(`a worker thread died while ${reason}`);
      expect(readdirSync(out)).toEqual([]);
    });

    // What threads send is of another realm than what a test makes, so that only the program itself comes this far.
    test.each<[string, Stage, string]>([
      ['of its memory', ['build-country', 'PE', 'memory', 'before'], `building PE: ${MEMORY}`],
      ['verifying a country', ['verify-country', 'LT', 'exit', 'before'], `verifying LT: ${EXIT}`],
      [
        'verifying the world',
        ['verify-world', null, 'uncaught', 'answer'],
        `verifying the index of the world: ${UNCAUGHT}`,
      ],
    ])('%s: code 1, the reason, and the snapshot that was there stays', (_, stage, reason) => {
      const outPath = join(out, 'places.snapshot');
      writeFileSync(outPath, 'the snapshot before');
      const NODE_OPTIONS = `--max-old-space-size=64 --import=${hookOf(stage)}`;
      const { exitCode, stdout, stderr } = runProgram(['build', release, '--out', outPath], { NODE_OPTIONS });
      expect(stderr).toContain(`\npostal-places: a worker thread died while ${reason}`);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(readdirSync(out)).toEqual(['places.snapshot']);
      expect(readFileSync(outPath, 'utf8')).toBe('the snapshot before');
    });
  });

  describe('verify, when a thread dies', () => {
    test.each<[string, Stage, string]>([
      ['verifying checksums', ['verify-sections', null, 'exit', 'before'], `verifying checksums: ${EXIT}`],
      ['verifying the world', ['verify-world', null, 'exit', 'before'], `verifying the index of the world: ${EXIT}`],
      ['with a country verified', ['verify-country', 'VA', 'exit', 'answer'], `verifying VA: ${EXIT}`],
    ])('%s', async (_, stage, reason) => {
      const verified = verifySnapshot(snapshot, createDyingPool(stage), silentProgress);
      await expect(verified).rejects.toThrow(`a worker thread died while ${reason}`);
    });
  });
});
