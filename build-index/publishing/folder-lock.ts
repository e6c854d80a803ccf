/**
 * The lock by which one process at a time changes a folder of published snapshots: the lock of the file ".lock" in the
 * folder, which the kernel takes back with the process, however that ends. Long work (copying, verifying) is done
 * before.
 */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { libc } from '../../src/libc.js';
import { PublishingError } from './publishing-error.js';

const LOCK_FILE = '.lock';
const DEFAULT_LIMIT_MS = 60_000;
const PAUSE_MS = 20;

/**
 * Runs `work`, which must be synchronous, while no other process has `folder` locked. Rejects with PublishingError
 * FOLDER_LOCKED after `limitMs`, NO_LOCKS where files can't be locked, and with what node:fs throws.
 */
export async function withFolderLocked<T>(folder: string, work: () => T, limitMs = DEFAULT_LIMIT_MS): Promise<T> {
  const calls = requireLocks();
  const path = join(folder, LOCK_FILE);
  const deadlineMs = performance.now() + limitMs;
  const fd = openSync(path, 'a', 0o644);
  try {
    for (;;) {
      const outcome = calls.tryLock(fd, 'exclusive');
      if (outcome === 'taken') return work();
      if (outcome === 'unsupported') throw noLocks(`the file system of ${folder} can't lock files`);
      if (performance.now() > deadlineMs) {
        const found = `${path} has been locked by another process for ${limitMs / 1000} s`;
        throw new PublishingError('FOLDER_LOCKED', found, 'look for a stopped build-index, end it and try again');
      }
      await wait(PAUSE_MS);
    }
  } finally {
    closeSync(fd);
  }
}

/** Throws PublishingError NO_LOCKS on Windows. */
export function requireLocks() {
  const calls = libc();
  if (calls === undefined) throw noLocks('this system has no locks between processes');
  return calls;
}

function noLocks(found: string): PublishingError {
  return new PublishingError('NO_LOCKS', found, 'publish on Linux or macOS, to a local disk');
}
