/** Files in folders where others may write: whatever they put there, nothing outside of the folder is changed. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { replaceFile } from '../../src/base/durable-files.js';
import { FileLock, type LockFailure, openLockFile } from '../../src/base/file-lock.js';
import { createOwnFile, findForeignAccess, openOwnFile } from '../../src/base/own-file.js';
import { createTemporaryFolders } from '../keys/temporary-folders.js';

const folders = createTemporaryFolders();
afterAll(() => folders.clear());

/** A folder with a file of somebody's, and the path in it where another one is to be opened. */
function makeScene(): { victim: string; path: string } {
  const folder = folders.make();
  const victim = join(folder, 'victim');
  writeFileSync(victim, 'precious');
  return { victim, path: join(folder, 'partial') };
}

describe.each<[string, (path: string, victim: string) => void]>([
  ['a link', (path, victim) => symlinkSync(victim, path)],
  ['a link to nothing', (path, victim) => symlinkSync(`${victim}-new`, path)],
  ['a second name of a file', (path, victim) => linkSync(victim, path)],
  ['a named pipe', (path) => execFileSync('mkfifo', [path])],
])('%s', (_, spoil) => {
  test('is not opened, and is replaced by a new file', () => {
    const { victim, path } = makeScene();
    spoil(path, victim);
    expect(openOwnFile(path)).toBeUndefined();
    expect(openOwnFile(path, 0o600)).toBeUndefined();
    const fd = createOwnFile(path, 0o600);
    writeSync(fd, 'new');
    closeSync(fd);
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(lstatSync(path).isFile()).toBe(true);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(existsSync(`${victim}-new`)).toBe(false);
  });

  test('in place of the temporary file of a replaced file changes nothing else', () => {
    const { victim, path } = makeScene();
    const target = join(path, '..', 'state.json');
    spoil(join(path, '..', '.state.json.new'), victim);
    replaceFile(target, 'new', { mode: 0o600 });
    expect(readFileSync(target, 'utf8')).toBe('new');
    expect(lstatSync(target)).toMatchObject({ nlink: 1, mode: 0o100600 });
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(existsSync(`${victim}-new`)).toBe(false);
  });
});

test('a file of this user is opened as it is, and none where there is none, unless it is to be created', () => {
  const { path } = makeScene();
  expect(openOwnFile(path)).toBeUndefined();
  closeSync(openOwnFile(path, 0o600) as number);
  expect(lstatSync(path).mode).toBe(0o100600);
  writeFileSync(path, 'earlier');
  closeSync(openOwnFile(path, 0o600) as number);
  expect(readFileSync(path, 'utf8')).toBe('earlier');
});

test('a folder is neither opened nor replaced', () => {
  const { path } = makeScene();
  mkdirSync(path);
  expect(openOwnFile(path)).toBeUndefined();
  expect(() => createOwnFile(path, 0o600)).toThrow();
  expect(lstatSync(path).isDirectory()).toBe(true);
});

test("another user's file is not opened", () => {
  const { victim } = makeScene();
  chmodSync(victim, 0o666);
  const user = process.geteuid?.() as number;
  const asked = jest.spyOn(process as { geteuid(): number }, 'geteuid').mockReturnValue(user + 1);
  try {
    expect(openOwnFile(victim)).toBeUndefined();
  } finally {
    asked.mockRestore();
  }
  closeSync(openOwnFile(victim) as number);
});

describe('what others may have put there', () => {
  test.each([
    ['a file of this user', 0o644, 0o755, undefined],
    ['a file of this user in a folder of its group', 0o644, 0o775, undefined],
    ['a file of this user where everybody has files, as in /tmp', 0o600, 0o1777, undefined],
    ['a file that the group may write', 0o664, 0o755, 'others may write to FILE, until chmod go-w'],
    ['a file that anybody may write', 0o602, 0o755, 'others may write to FILE, until chmod go-w'],
    [
      'a file that anybody may replace',
      0o600,
      0o777,
      'anybody may write to FOLDER, and replace what is there, until chmod +t',
    ],
  ] as const)('%s', (_, ofFile, ofFolder, told) => {
    const { victim } = makeScene();
    const folder = dirname(victim);
    chmodSync(victim, ofFile);
    chmodSync(folder, ofFolder);
    expect(findForeignAccess(victim)).toBe(told?.replace('FILE', victim).replace('FOLDER', folder));
  });

  test('what is not there, a link to a file of this user, what is not to be seen', () => {
    const { victim, path } = makeScene();
    expect(findForeignAccess(path)).toBeUndefined();
    symlinkSync(victim, path);
    expect(findForeignAccess(path)).toBe(`${path} is a link`);
    expect(findForeignAccess(join(dirname(path), 'a'.repeat(300)))).toMatch(/ENAMETOOLONG/);
  });

  test("another user's file", () => {
    const { victim } = makeScene();
    const user = process.geteuid?.() as number;
    const asked = jest.spyOn(process as { geteuid(): number }, 'geteuid').mockReturnValue(user + 1);
    expect(findForeignAccess(victim)).toBe(`${victim} belongs to another user`);
    asked.mockRestore();
  });
});

test('a lock is no link, and creates no file elsewhere', () => {
  const { victim, path } = makeScene();
  symlinkSync(`${victim}-new`, path);
  expect(() => openLockFile(path, 0o644)).toThrow(expect.objectContaining({ code: 'ELOOP' }));
  expect(existsSync(`${victim}-new`)).toBe(false);
});

describe('the lock of a file, between two openings of it, which to the kernel are as two processes', () => {
  const folders = createTemporaryFolders();
  afterAll(() => folders.clear());

  const failed = (failure: LockFailure) => new Error(`the lock is ${failure}`);

  test('the holder makes others wait, and releases the lock when its work returns or throws', async () => {
    const path = join(folders.make(), 'lock');
    const [one, other] = [new FileLock(path, 0o600, failed), new FileLock(path, 0o600, failed)];
    const order: string[] = [];
    let waiting: Promise<void> | undefined;
    await one.hold(1_000, () => {
      order.push('one');
      // Begun while the lock is held.
      waiting = other.hold(10_000, () => void order.push('other'));
      order.push('one still');
    });
    await expect(
      one.hold(1_000, () => {
        throw new RangeError('no');
      }),
    ).rejects.toThrow('no');
    await waiting;
    expect(await one.hold(1_000, () => 'free')).toBe('free');
    expect(order).toEqual(['one', 'one still', 'other']);
    for (const lock of [one, other]) lock.close();
  });

  test('it fails with the given error after the time limit', async () => {
    const path = join(folders.make(), 'lock');
    const [one, other] = [new FileLock(path, 0o600, failed), new FileLock(path, 0o600, failed)];
    let waiting: Promise<unknown> | undefined;
    await one.hold(1_000, () => {
      waiting = expect(other.hold(0, () => {})).rejects.toThrow('the lock is held');
      const untilMs = performance.now() + 20;
      while (performance.now() < untilMs);
    });
    // The first attempt was made while the lock was held; the next may succeed or come too late.
    await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 1_000))]);
    for (const lock of [one, other]) lock.close();
  });

  test('a lock is not taken within itself', async () => {
    const lock = new FileLock(join(folders.make(), 'lock'), 0o600, failed);
    await expect(lock.hold(1_000, () => lock.hold(0, () => {}))).rejects.toThrow('held already');
    lock.close();
  });
});
