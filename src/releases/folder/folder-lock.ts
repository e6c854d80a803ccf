/**
 * The locks of a folder that is published into. One process at a time changes the folder, under a lock on its file ".lock"
 * that others wait for; long work (copying, checking) happens before. A pull, and what must not run beside `prune`, take
 * a lock of their own, at once or not at all. The system must have such locks.
 */

import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { FileLock, openLockFile } from '../../base/file-lock.js';
import { type Libc, type LockOutcome, libc } from '../../base/libc.js';
import { PublishingError } from './publishing-error.js';

const LOCK_FILE = '.lock';
/** Maximum time to wait for the lock, in milliseconds: far longer than any change under the lock. */
const LIMIT_MS = 60_000;

/** Runs `work`, which must be synchronous, while this process holds the lock of `folder`. */
export async function withFolderLocked<T>(folder: string, work: () => T): Promise<T> {
  requireLocks();
  const path = join(folder, LOCK_FILE);
  const lock = new FileLock(path, 0o644, (failure) => {
    if (failure === 'unsupported') return unsupported(folder);
    const found = `${path} has been locked by another process for ${LIMIT_MS / 1000} s`;
    return new PublishingError(
      'FOLDER_LOCKED',
      found,
      'look for a stopped postal-places process, end it and try again',
    );
  });
  try {
    return await lock.hold(LIMIT_MS, work);
  } finally {
    lock.close();
  }
}

/**
 * Runs `work` under a lock of the file `name` of the folder, which is taken at once or not at all: `held` gives the error
 * for the case that another process has it.
 */
export async function withLockAtOnce<T>(
  folder: string,
  name: string,
  kind: 'shared' | 'exclusive',
  held: () => Error,
  work: () => Promise<T>,
): Promise<T> {
  const fd = openLockFile(join(folder, name), 0o644);
  try {
    requireTaken(requireLocks().tryLock(fd, kind), folder, held);
    return await work();
  } finally {
    closeSync(fd);
  }
}

/** The locks of this system; an error on Windows. */
export function requireLocks(): Libc {
  const calls = libc();
  if (calls === undefined) throw noLocks('this system has no locks between processes');
  return calls;
}

export function requireTaken(outcome: LockOutcome, folder: string, held: () => Error): void {
  if (outcome === 'held') throw held();
  if (outcome === 'unsupported') throw unsupported(folder);
}

function unsupported(folder: string): PublishingError {
  return noLocks(`the file system of ${folder} can't lock files`);
}

function noLocks(found: string): PublishingError {
  return new PublishingError('NO_LOCKS', found, 'publish on Linux or macOS, to a local disk');
}
