/** Threads that take tasks: what a run that failed leaves on them must not stop the next. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createPool, type Pool, type Task } from '../../build-index/pool/pool.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';

/**
 * Answers each task with its kind after 20 ms; `fail` fails at once, `count` answers how many were begun before it,
 * `bytes` answers an object.
 */
const THREAD = `
  import { parentPort } from 'node:worker_threads';
  import { tellLoaded } from '${new URL('../../dist/src/base/thread.js', import.meta.url).href}';
  parentPort.on('message', ({ kind, begun }) => {
    if (kind === 'count') parentPort.postMessage({ result: Atomics.add(begun, 0, 1) });
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
  pool = createPool({ run: async () => undefined, threadProgram: pathToFileURL(program) }, 2);
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

test('tasks that take long are begun before all others, the longest first', async () => {
  const begun = new Int32Array(new SharedArrayBuffer(4));
  const sizes = [1, 1, 1, 30, 1, 1, 1, 1, 1, 1, 1, 1, 60, 1, undefined];
  const tasks = sizes.map((size) => ({
    kind: 'count',
    step: 'counting',
    begun,
    ...(size === undefined ? {} : { size }),
  }));
  const ranks: unknown[] = [];
  const alone = createPool(
    { run: async () => undefined, threadProgram: pathToFileURL(join(folder.path, 'thread.mjs')) },
    1,
  );
  try {
    for await (const rank of alone.run(tasks)) ranks.push(rank);
  } finally {
    await alone.close();
  }
  expect(ranks).toEqual([2, 3, 4, 1, 5, 6, 7, 8, 9, 10, 11, 12, 0, 13, 14]);
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
