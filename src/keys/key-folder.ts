/**
 * The folder of the embedded key store: made for its owner alone, and looked at before lmdb maps its files, so that
 * what is wrong with it is a KeyStoreError that says what to do and not the end of the process.
 */

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findDataFileDamage } from './data-file-check.js';
import { KeyError } from './key-error.js';
import { KeyStoreError } from './key-store.js';

/** Keys and what is known of them; every change is on disk before it is confirmed. */
export const RECORDS_FILE = 'keys.mdb';
/** What is counted; on disk within a second. */
export const USAGE_FILE = 'usage.mdb';

/** Makes the folder if it is missing and checks that its files can be used. Throws KeyStoreError. */
export function prepareKeyFolder(path: string): void {
  prepareFolder(path);
  checkDataFile(
    join(path, RECORDS_FILE),
    'put a copy from your backup in its place, or move it away to start without keys',
  );
  checkDataFile(
    join(path, USAGE_FILE),
    "put a copy from your backup in its place, or move it away to start this month's counts anew",
  );
}

/** Runs calls of lmdb; what it throws, unless it is an error of ours, becomes a KeyStoreError. */
export function attempt<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof KeyError) throw error;
    const remedy = 'look for a full disk or a failing device, then try again';
    throw new KeyStoreError('KEY_STORE_FAILED', `the key store ${path} failed (${messageOf(error)})`, remedy, error);
  }
}

export function damagedEntry(path: string, found: string, cause?: unknown): KeyStoreError {
  const remedy = 'put a copy from your backup in its place, or move it away to start without keys';
  return new KeyStoreError('KEY_STORE_DAMAGED', `the key store ${path} holds ${found}`, remedy, cause);
}

function prepareFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Not recursive: on some pseudo file systems Node would try for ever.
    if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    for (const file of [RECORDS_FILE, USAGE_FILE].flatMap((name) => [name, `${name}-lock`])) {
      if (existsSync(join(path, file))) accessSync(join(path, file), constants.R_OK | constants.W_OK);
    }
  } catch (error) {
    throw inaccessible(path, error);
  }
}

function checkDataFile(file: string, remedy: string): void {
  if (!existsSync(file)) return;
  let found: string | undefined;
  try {
    found = findDataFileDamage(file);
  } catch (error) {
    throw inaccessible(file, error);
  }
  if (found === undefined) return;
  throw new KeyStoreError('KEY_STORE_DAMAGED', `the key store ${file} can't be used, ${found}`, remedy);
}

function inaccessible(path: string, error: unknown): KeyStoreError {
  const found = `the key store ${path} is not accessible (${messageOf(error)})`;
  const remedy = 'KEYS_DIR must be a folder that the user of this process, the same as the server, may write';
  return new KeyStoreError('KEY_STORE_INACCESSIBLE', found, remedy, error);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
