/**
 * The folder of the embedded key store: made for its owner alone, and looked at before lmdb maps its file, so that what
 * is wrong with it is a KeyStoreError that says what to do and not the end of the process.
 */

import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KeyError, messageOf } from '../key-error.js';
import { KeyStoreError } from '../key-store.js';
import { findDataFileDamage } from './data-file-check.js';

/** Keys and what is known of them, kept by lmdb; every change is on disk before it is confirmed. */
export const RECORDS_FILE = 'keys.mdb';
/** What is counted; on disk within a second. */
export const USAGE_FILE = 'usage.bin';
/** Empty: what processes lock to take turns. */
export const TURN_FILE = 'turn.lock';

/** Makes the folder, unless it must exist, and checks that its files can be used. Throws KeyStoreError. */
export function prepareKeyFolder(path: string, mustExist: boolean): void {
  if (mustExist && !existsSync(join(path, RECORDS_FILE))) {
    const remedy = 'create makes one; look at KEYS_DIR and --store';
    throw new KeyStoreError('KEY_STORE_INACCESSIBLE', `there is no key store in ${path}`, remedy);
  }
  openIn(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    makeFolder(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    for (const file of [RECORDS_FILE, `${RECORDS_FILE}-lock`, USAGE_FILE, TURN_FILE]) {
      if (existsSync(join(path, file))) accessSync(join(path, file), constants.R_OK | constants.W_OK);
    }
  });
  const file = join(path, RECORDS_FILE);
  const found = existsSync(file) ? openIn(file, () => findDataFileDamage(file)) : undefined;
  if (found !== undefined) throw damage(`${file} can't be used, ${found}`);
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
export function attempt<T>(path: string, call: () => T): T {
  return guard(call, (cause) => failure(path, cause));
}

/** A call of lmdb or node:fs failed. */
export function failure(path: string, cause: unknown): KeyStoreError {
  const remedy = 'look for a full disk or a failing device, then try again';
  return new KeyStoreError('KEY_STORE_FAILED', `the key store ${path} failed (${messageOf(cause)})`, remedy, cause);
}

/** Opens something of the folder; what that throws, unless it is an error of ours, becomes a KeyStoreError. */
export function openIn<T>(path: string, open: () => T): T {
  const remedy = 'KEYS_DIR must be a folder that the user of this process, the same as the server, may write';
  return guard(open, (cause) => {
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
    if (error instanceof KeyError) throw error;
    throw wrap(error);
  }
}
