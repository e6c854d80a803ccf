/**
 * The errors of the folder of the embedded key store, each with its remedy: it can't be opened, it failed while it was
 * used, its file of records is damaged, or one entry of it. What lmdb and node:fs throw becomes one of these.
 */

import { dirname } from 'node:path';
import { ExpectedError, errorMessageOf } from '../../base/errors.js';
import { KeyStoreError } from './key-store-error.js';

/** A call of lmdb or node:fs failed. */
export function keyFolderFailure(path: string, cause: unknown): KeyStoreError {
  const remedy = 'look for a full disk or a failing device, then try again';
  return new KeyStoreError(
    'KEY_STORE_FAILED',
    `the key store ${path} failed (${errorMessageOf(cause)})`,
    remedy,
    cause,
  );
}

function inaccessible(path: string, cause: unknown): KeyStoreError {
  const remedy = 'KEYS_DIR must be a folder that the user of this process, the same as the server, may write';
  const found = `the key store ${path} is not accessible (${errorMessageOf(cause)})`;
  return new KeyStoreError('KEY_STORE_INACCESSIBLE', found, remedy, cause);
}

/** Opens something of the folder. What lmdb or node:fs throws becomes KEY_STORE_INACCESSIBLE. */
export function orInaccessibleKeyFolder<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw expectedOr(inaccessible, path, error);
  }
}

/** An error that is one of ours already, or `wrap` of it. */
export function expectedOr(wrap: typeof keyFolderFailure, path: string, error: unknown): unknown {
  return error instanceof ExpectedError ? error : wrap(path, error);
}

/** One key or record in the store at `path` is damaged. */
export function damagedKeyFolderEntry(path: string, found: string, cause?: unknown): KeyStoreError {
  const remedy = 'put a copy from your backup in its place, or move it away to start without keys';
  return new KeyStoreError('KEY_STORE_DAMAGED', `the key store ${path} holds ${found}`, remedy, cause);
}

/** The file of all records is damaged. */
export function damagedKeyFolderFile(file: string, found: string): KeyStoreError {
  const store = dirname(file);
  const remedy = `stop its servers, move the folder away, and bring back your last export: postal-places keys import --store ${store} FILE`;
  return new KeyStoreError('KEY_STORE_DAMAGED', `the key store ${file} can't be used, ${found}`, remedy);
}
