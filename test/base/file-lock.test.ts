/** The lock of a file: between two openings of it in this process, which to the kernel are as two processes. */

import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { FileLock, type LockFailure } from '../../src/base/own-file.js';
import { createTemporaryFolders } from '../keys/temporary-folders.js';

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
