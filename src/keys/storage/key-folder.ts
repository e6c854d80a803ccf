/** The folder of the embedded key store: its files and its lock. It is created for its owner only. */

import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FileLock, type LockFailure } from '../../base/file-lock.js';
import { makeFolder } from '../../base/make-folder.js';
import { expectedOr, keyFolderFailure, orInaccessibleKeyFolder } from './key-folder-error.js';
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
  orInaccessibleKeyFolder(path, () => {
    makeFolder(dirname(path));
    makeFolder(path, 0o700);
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
  return orInaccessibleKeyFolder(
    folder,
    () => new FileLock(path, 0o600, explain, (error) => expectedOr(keyFolderFailure, folder, error)),
  );
}
