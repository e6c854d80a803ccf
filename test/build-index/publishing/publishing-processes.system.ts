/** Publishing by real processes: at the same time, on full and read-only disks, interrupted, killed, beside a server. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { libc } from '../../../src/base/libc.js';
import { openSnapshotFile } from '../../../src/core/snapshot/snapshot-file.js';
import { readCurrent } from '../../../src/releases/folder/published-folder.js';
import { buildFrom } from '../../fixtures/fixture-snapshot.js';
import { expectWhole, killPublishers } from '../../fixtures/kills.js';
import {
  compiled,
  type ProgramResult,
  runCalls,
  runOnOwnDisk,
  runProgram,
  startProgram,
} from '../../fixtures/program.js';
import { createPublishedFolder, type PublishedFolder } from '../../fixtures/published-folder.js';
import { waitUntil } from '../../fixtures/wait-until.js';

const STORE = join(import.meta.dirname, '../../../dist/src/core/snapshot/snapshot.js');

let shop: PublishedFolder;
const inFolder = (name: string): string => join(shop.folder, name);
const publish = (release: string): string[] => ['publish', shop.source(release), '--to', shop.folder];
beforeAll(async () => {
  shop = await createPublishedFolder();
});
beforeEach(() => shop.clear());
afterAll(() => shop?.remove());

describe('the commands', () => {
  const to = (): string[] => ['--to', shop.folder];

  test('for machines', async () => {
    const calls = [
      publish('one'),
      publish('two'),
      ['list', ...to()],
      ['rollback', ...to()],
      ['prune', ...to(), '--keep', '1'],
    ];
    const results = await runCalls(calls.map((call) => [...call, '--json']));
    expect(results.map(({ exitCode }) => exitCode)).toEqual(Array(5).fill(0));
    expect(results.map(({ stdout }) => JSON.parse(stdout))).toMatchObject([
      { release: 'one', previous: null, copied: true },
      { release: 'two', previous: expect.stringMatching(/^one-/) },
      [
        { release: 'two', current: true, previous: false, publishedAt: expect.any(String) },
        { release: 'one', current: false, previous: true, bytes: expect.any(Number) },
      ],
      { release: 'one', rolledBack: expect.stringMatching(/^two-/) },
      {
        removed: [{ release: 'two' }],
        kept: [{ release: 'one', reason: 'current' }],
        ...{ partialsRemoved: 0, bytesFreed: statSync(shop.source('two')).size },
      },
    ]);
  });

  test('for people', async () => {
    const calls = [publish('one'), ['list', ...to()], ['prune', ...to(), '--keep', '1'], ['rollback', ...to()]];
    const [published, listed, pruned, rolledBack] = await runCalls(calls);
    expect(published?.stdout).toMatch(/^name +one-[0-9a-f]{16}\.snapshot$/m);
    expect(listed?.stdout).toMatch(/^release .*\none +[0-9a-f]{16} +one-[0-9a-f]{16}\.snapshot +\S+ kB +\S+Z +yes\n$/);
    expect(pruned?.stdout).toMatch(/^removed +none$/m);
    const stderr = expect.stringMatching(/^postal-places: NOTHING_BEFORE: .*one-.*; publish .*\n$/);
    expect(rolledBack).toEqual({ exitCode: 1, stdout: '', stderr });
  });

  test('publish checks by checksums, and with --deep as verify does', async () => {
    shop.makeInconsistent();
    const deep = (release: string): string[] => [...publish(release), '--deep', '--json'];
    const calls = [deep('inconsistent'), deep('one'), publish('inconsistent'), ['rollback', ...to()]];
    const results = await runCalls(calls);
    const steps = results.map(({ stderr }) => [...stderr.matchAll(/^(\w+) …$/gm)].map(([, step]) => step));
    expect(steps).toEqual([
      ['copying', 'verifying'],
      ['copying', 'verifying'],
      ['copying', 'checking', 'comparing'],
      ['checking'],
    ]);
    expect(results.map(({ exitCode }) => exitCode)).toEqual([1, 0, 0, 0]);
    expect(results[0]).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/^postal-places: STRUCTURE_INVALID: /m),
    });
  });
});

test('eight publishers at once: all succeed, and each is in the history', async () => {
  const count = 8;
  const releases = Array.from({ length: count }, (_, index) => `of-${index}`);
  for (const releaseName of releases) await buildFrom(shop.releasePath, shop.source(releaseName), { releaseName });
  const ends = releases.map((release) => once(startProgram(publish(release)), 'exit'));
  expect(await Promise.all(ends)).toEqual(releases.map(() => [0, null]));
  await expectWhole(shop.folder);
  expect(shop.releases().sort()).toEqual(releases);
  const history: { name: string }[] = JSON.parse(readFileSync(inFolder('history.json'), 'utf8'));
  expect(history).toHaveLength(count);
  expect(history.at(-1)?.name).toBe(readCurrent(shop.folder));
  const files = readdirSync(shop.folder).filter((name) => !name.endsWith('.changes.ndjson'));
  expect(files).toHaveLength(count + 3);
});

test('a publisher that is interrupted leaves nothing behind', async () => {
  await shop.publish('one');
  const before = readdirSync(shop.folder);
  // Keeps it from flipping until it is interrupted.
  const lock = openSync(inFolder('.lock'), 'a');
  try {
    expect(libc()?.tryLock(lock, 'exclusive')).toBe('taken');
    const program = startProgram(publish('two'));
    const ended = once(program, 'exit');
    await waitUntil('the first file', () => readdirSync(shop.folder).some((name) => name.endsWith('.partial')), {
      everyMs: 5,
    });
    program.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
  } finally {
    closeSync(lock);
  }
  expect(readdirSync(shop.folder)).toEqual(before);
  expect(shop.inService()).toEqual(['one', undefined]);
});

/** More of them, and at other moments, in kills.soak.ts. */
const KILLS = Number(process.env.KILLED_PUBLISHERS ?? 4);
const SEED = Number(process.env.SOAK_SEED ?? 7);

test('publishers killed at seeded moments', async () => {
  await killPublishers([shop.source('one'), shop.source('two')], shop.folder, KILLS, SEED);
  expect(runProgram(publish('three'))).toMatchObject({ exitCode: 0 });
  await expectWhole(shop.folder);
  expect(readdirSync(shop.folder).filter((name) => /\.(?:partial|new)$/.test(name))).toEqual([]);
}, 3_600_000);

describe('a disk that takes no more', () => {
  test('no blocks, or no inodes, left: at every step (needs Linux and unshare)', async () => {
    const { name } = await shop.publish('one');
    const env = { ONE: shop.source('one'), TWO: shop.source('two') };
    // The disk has room for `inodes` more files than the folder has, and for `blocks` more pages.
    const attempt = (inodes: number, pages: number): Promise<ProgramResult> =>
      runOnOwnDisk(
        shop.folder,
        `cd "$3" &&
         used=$(df --output=iused . | tail -1) && pages=$(($(df -k --output=used . | tail -1) / 4)) &&
         mount -o "remount,nr_inodes=$((used + ${inodes})),size=$(((pages + ${pages}) * 4096))" none "$3" || exit 9
         "$1" "$2" publish "$TWO" --to "$3"; echo "exit code $?"; cmp current "$ONE"; readlink current; ls -A`,
        { env },
      );
    const plenty = 1000;
    const outcomes = [
      await attempt(0, plenty),
      await attempt(1, plenty),
      await attempt(2, plenty),
      await attempt(plenty, 1),
      await attempt(plenty, Math.ceil(statSync(shop.source('two')).size / 4096)),
    ];
    for (const { stdout, stderr } of outcomes) {
      expect({ stdout, stderr }).toEqual({
        stdout: ['exit code 1', name, '.lock', 'current', 'history.json', name, ''].join('\n'),
        stderr: expect.stringMatching(/^postal-places: .* \(ENOSPC\)$/m),
      });
    }
    // The list of changes, which comes last, needs one more.
    const published = /^name +two-.*\nchanges +problem .*ENOSPC.*\nexit code 0\n.* differ: .*\ntwo-.*\n/s;
    expect((await attempt(3, plenty)).stdout).toMatch(published);
  }, 300_000);

  test('a folder that may not be written to', async () => {
    const { name } = await shop.publish('one');
    chmodSync(shop.root, 0o755);
    chmodSync(shop.folder, 0o555);
    try {
      // Root may write anywhere, so somebody else tries.
      const identity = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
      const { status, stderr } = spawnSync(process.execPath, [compiled(), ...publish('two')], {
        ...identity,
        encoding: 'utf8',
      });
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringMatching(/^postal-places: .* \(EACCES\)\n$/),
      });
    } finally {
      chmodSync(shop.folder, 0o755);
    }
    expect(readdirSync(shop.folder).sort()).toEqual(['.lock', name, 'current', 'history.json'].sort());
  });
});

describe('a process that has a snapshot open', () => {
  /** Opens the file in a process of its own, which ends with the end of its standard input. */
  async function startReader(path: string, then = '') {
    const script = `import { openSnapshot } from ${JSON.stringify(STORE)};
      let snapshot = openSnapshot(${JSON.stringify(path)});
      ${then}
      console.log('ready');
      process.stdin.resume().on('end', () => process.exit(snapshot === null ? 1 : 0));`;
    const args = ['--expose-gc', '--input-type=module', '-e', script];
    const reader = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(reader.stdout, 'data');
    const ended = once(reader, 'exit');
    return {
      async end() {
        reader.stdin.end();
        await ended;
      },
    };
  }

  test('keeps prune from removing it, until it ends', async () => {
    const { name } = await shop.publish('one');
    const reader = await startReader(inFolder('current'));
    await shop.publish('two');
    const prune = (): ProgramResult => runProgram(['prune', '--to', shop.folder, '--keep', '1']);
    try {
      expect(prune().stdout).toMatch(new RegExp(` ${name} .* open$`, 'm'));
    } finally {
      await reader.end();
    }
    expect(prune().stdout).toMatch(new RegExp(`^removed\\n.*\\n.* ${name} `, 'm'));
    expect(readdirSync(shop.folder)).not.toContain(name);
  });

  test('lets go of it along with the last reference', async () => {
    const { name } = await shop.publish('one');
    const collect = `snapshot = null;
      for (let turn = 0; turn < 20; turn++) { gc(); await new Promise((resolve) => setTimeout(resolve, 10)); }`;
    const reader = await startReader(inFolder(name), collect);
    const fd = openSnapshotFile(inFolder(name));
    try {
      expect(libc()?.tryLock(fd, 'exclusive')).toBe('taken');
    } finally {
      await reader.end();
    }
    // A process that opens the file while it is being removed gets an error.
    expect(() => openSnapshotFile(inFolder(name))).toThrow(/FILE_UNREADABLE: .* being removed/);
  });
});
