/**
 * The folder of the embedded key store: made for its owner alone, and looked at before lmdb maps its file, so that what
 * is wrong with the folder is a KeyStoreError that says what to do and not the end of the process.
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
/** Empty: its lock is the lock of the folder. */
const LOCK_FILE = 'turn.lock';

/** Makes the folder, unless it must exist, and checks that its files can be used. Throws KeyStoreError. */
export function prepareKeyFolder(path: string, mustExist: boolean): void {
  if (mustExist && !existsSync(join(path, RECORDS_FILE))) {
    const remedy = 'create makes one; look at KEYS_DIR and --store';
    throw new KeyStoreError('KEY_STORE_INACCESSIBLE', `there is no key store in ${path}`, remedy);
  }
  orInaccessible(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    makeFolder(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    for (const file of [RECORDS_FILE, `${RECORDS_FILE}-lock`, USAGE_FILE, LOCK_FILE]) {
      if (existsSync(join(path, file))) accessSync(join(path, file), constants.R_OK | constants.W_OK);
    }
  });
  const file = join(path, RECORDS_FILE);
  const found = existsSync(file) ? orInaccessible(file, () => findDataFileDamage(file)) : undefined;
  if (found !== undefined) throw damage(`${file} can't be used, ${found}`);
}

/**
 * The lock by which the processes that share a key folder read, count and change one after the other, for microseconds,
 * or for the one write to disk of a change. lmdb has a lock of its own, but a process that opens lmdb's files while
 * another writes resets, without the folder's lock, the number of the last transaction, and what is written next
 * replaces what was written before. On Windows a key folder must not be shared. Throws KeyStoreError.
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
    // It was there, or another process that starts was faster.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Runs calls of lmdb or node:fs; what they throw, unless it is an error of ours, becomes a KeyStoreError. */
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

/** Something is in the store at `path` that no store of ours wrote. */
export function damagedEntry(path: string, found: string, cause?: unknown): KeyStoreError {
  return damage(`${path} holds ${found}`, cause);
}

function damage(found: string, cause?: unknown): KeyStoreError {
  const remedy = 'put a copy from your backup in its place, or move it away to start without keys';
  return new KeyStoreError('KEY_STORE_DAMAGED', `the key store ${found}`, remedy, cause);
}

function guard<T>(call: () => T, wrap: (cause: unknown) => KeyStoreError): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof ExpectedError) throw error;
    throw wrap(error);
  }
}
