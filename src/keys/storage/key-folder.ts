/**
 * The folder of the embedded key store: its files, its lock, and the errors of what is done in it. It is created for its
 * owner only. What lmdb and node:fs throw becomes a KeyStoreError with a remedy.
 */

import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ExpectedError, messageOf } from '../../base/errors.js';
import { FileLock, type LockFailure } from '../../base/own-file.js';
import { KeyStoreError } from './key-store-error.js';

/** API keys and all other records, kept by lmdb; a change is on disk before it is confirmed. */
export const RECORDS_FILE = 'keys.mdb';
/** The requests counted of each key; on disk within a second. */
export const USAGE_FILE = 'usage.bin';
/** Of the file of counts without a key. */
export const USAGE_HEADER_BYTES = 64;
/** The visitors of publishable keys; made by the first request of such a key, and worth no backup. */
export const VISITORS_FILE = 'visitors.bin';
/** Empty: its lock is the lock of the folder. */
const LOCK_FILE = 'turn.lock';

/** Creates the folder, unless it must exist, and checks that its files may be used. */
export function prepareKeyFolder(path: string, mustExist: boolean): void {
  if (mustExist && !existsSync(join(path, RECORDS_FILE))) {
    const remedy = 'keys create makes one; look at KEYS_DIR and --store';
    throw new KeyStoreError('KEY_STORE_INACCESSIBLE', `there is no key store in ${path}`, remedy);
  }
  orInaccessible(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    makeFolder(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    for (const file of [RECORDS_FILE, `${RECORDS_FILE}-lock`, USAGE_FILE, VISITORS_FILE, LOCK_FILE]) {
      if (existsSync(join(path, file))) accessSync(join(path, file), constants.R_OK | constants.W_OK);
    }
  });
}

/**
 * The lock of a key folder. Processes that share the folder hold it for each read, count and change: microseconds, or
 * one write to disk. lmdb's own lock is not enough: a process that opens lmdb's files while another process writes
 * resets the number of the last transaction, and the next write replaces an earlier one. On Windows a key folder must
 * not be shared. What lmdb and node:fs throw under the lock becomes a KeyStoreError.
 */
export function openFolderLock(folder: string): FileLock {
  const path = join(folder, LOCK_FILE);
  const explain = (why: LockFailure): KeyStoreError => {
    if (why === 'held') {
      const remedy = 'look for a process that was stopped while it used the store';
      return new KeyStoreError('KEY_STORE_FAILED', `${path} is locked by another process`, remedy);
    }
    const remedy = 'KEYS_DIR must be a folder on a disk of this machine';
    return new KeyStoreError('KEY_STORE_INACCESSIBLE', `the file system of ${folder} can't lock files`, remedy);
  };
  return orInaccessible(
    folder,
    () => new FileLock(path, 0o600, explain, (error) => expectedOr(failure, folder, error)),
  );
}

function makeFolder(path: string): void {
  try {
    // Not recursive: on some pseudo file systems Node would try for ever.
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // The folder existed, or another process has created it.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** A call of lmdb or node:fs failed. */
export function failure(path: string, cause: unknown): KeyStoreError {
  const remedy = 'look for a full disk or a failing device, then try again';
  return new KeyStoreError('KEY_STORE_FAILED', `the key store ${path} failed (${messageOf(cause)})`, remedy, cause);
}

function inaccessible(path: string, cause: unknown): KeyStoreError {
  const remedy = 'KEYS_DIR must be a folder that the user of this process, the same as the server, may write';
  const found = `the key store ${path} is not accessible (${messageOf(cause)})`;
  return new KeyStoreError('KEY_STORE_INACCESSIBLE', found, remedy, cause);
}

/** Opens something of the folder. What lmdb or node:fs throws becomes KEY_STORE_INACCESSIBLE. */
export function orInaccessible<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw expectedOr(inaccessible, path, error);
  }
}

/** An error that is one of ours already, or `wrap` of it. */
function expectedOr(wrap: typeof failure, path: string, error: unknown): unknown {
  return error instanceof ExpectedError ? error : wrap(path, error);
}

/** The store at `path` contains damaged data. */
export function damagedEntry(path: string, found: string, cause?: unknown): KeyStoreError {
  const remedy = 'put a copy from your backup in its place, or move it away to start without keys';
  return new KeyStoreError('KEY_STORE_DAMAGED', `the key store ${path} holds ${found}`, remedy, cause);
}
