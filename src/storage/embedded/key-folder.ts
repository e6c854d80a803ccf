/**
 * The folder of the embedded key store: created for its owner only, and checked before lmdb maps its file, so that a
 * problem is a KeyStoreError with a remedy instead of a crash.
 */

import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ExpectedError, messageOf } from '../../expected-error.js';
import { FileLock } from '../../platform/file-lock.js';
import { KeyStoreError } from '../key-store-error.js';
import { findDataFileDamage } from './data-file-check.js';

/** API keys and all other records, kept by lmdb; a change is on disk before it is confirmed. */
export const RECORDS_FILE = 'keys.mdb';
/** The requests counted of each key; on disk within a second. */
export const USAGE_FILE = 'usage.bin';
/** The visitors of publishable keys; made by the first request of such a key, and worth no backup. */
export const VISITORS_FILE = 'visitors.bin';
/** Empty: its lock is the lock of the folder. */
const LOCK_FILE = 'turn.lock';

/** Creates the folder, unless it must exist, and checks that its files may be used. Throws KeyStoreError. */
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
 * Checks the file of the records before lmdb maps it. Another process may change the file meanwhile, which can look like
 * damage: only what is found under the lock is. Rejects with KeyStoreError.
 */
export async function requireSoundRecords(path: string, lock: FileLock, limitMs: number): Promise<void> {
  const file = join(path, RECORDS_FILE);
  const findDamage = (): string | undefined => {
    return existsSync(file) ? orInaccessible(file, () => findDataFileDamage(file)) : undefined;
  };
  const found = findDamage() && (await lock.hold(limitMs, findDamage));
  if (found === undefined) return;
  const remedy = `stop its servers, move the folder away, and bring back your last export: postal-places keys import --store ${path} FILE`;
  throw new KeyStoreError('KEY_STORE_DAMAGED', `the key store ${file} can't be used, ${found}`, remedy);
}

/**
 * The lock of a key folder. Processes that share the folder hold it for each read, count and change: microseconds, or
 * one write to disk. lmdb's own lock is not enough: a process that opens lmdb's files while another process writes
 * resets the number of the last transaction, and the next write replaces an earlier one. On Windows a key folder must
 * not be shared. Throws KeyStoreError.
 */
export function openFolderLock(path: string): FileLock {
  const file = join(path, LOCK_FILE);
  return orInaccessible(path, () => {
    return new FileLock(file, 0o600, (failure) => {
      if (failure === 'held') {
        const remedy = 'look for a process that was stopped while it used the store';
        return new KeyStoreError('KEY_STORE_FAILED', `${file} is locked by another process`, remedy);
      }
      const remedy = 'KEYS_DIR must be a folder on a disk of this machine';
      return new KeyStoreError('KEY_STORE_INACCESSIBLE', `the file system of ${path} can't lock files`, remedy);
    });
  });
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

/** Runs calls of lmdb or node:fs. Their errors, except ExpectedErrors, become KeyStoreErrors. */
export function orFailed<T>(path: string, call: () => T): T {
  return guard(call, (cause) => failure(path, cause));
}

/** A call of lmdb or node:fs failed. */
export function failure(path: string, cause: unknown): KeyStoreError {
  const remedy = 'look for a full disk or a failing device, then try again';
  return new KeyStoreError('KEY_STORE_FAILED', `the key store ${path} failed (${messageOf(cause)})`, remedy, cause);
}

/** The same for calls that open something of the folder. */
export function orInaccessible<T>(path: string, call: () => T): T {
  const remedy = 'KEYS_DIR must be a folder that the user of this process, the same as the server, may write';
  return guard(call, (cause) => {
    const found = `the key store ${path} is not accessible (${messageOf(cause)})`;
    return new KeyStoreError('KEY_STORE_INACCESSIBLE', found, remedy, cause);
  });
}

/** The store at `path` contains damaged data. */
export function damagedEntry(path: string, found: string, cause?: unknown): KeyStoreError {
  const remedy = 'put a copy from your backup in its place, or move it away to start without keys';
  return new KeyStoreError('KEY_STORE_DAMAGED', `the key store ${path} holds ${found}`, remedy, cause);
}

function guard<T>(call: () => T, wrap: (cause: unknown) => KeyStoreError): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof ExpectedError) throw error;
    throw wrap(error);
  }
}
