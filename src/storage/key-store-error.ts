/** Errors of the key store: the folder or the Redis in which API keys, their counts and other records live. */

import { ExpectedError } from '../expected-error.js';

export type KeyStoreErrorCode =
  /** The folder, a file in it or the address can't be reached, read or written by this process. */
  | 'KEY_STORE_INACCESSIBLE'
  /** What lies there is not, or no longer, a store of ours. */
  | 'KEY_STORE_DAMAGED'
  /** Another version of this program made the store, and lays it out in another way. */
  | 'KEY_STORE_OTHER_VERSION'
  /** The store broke while it was used: a full disk, a full memory. */
  | 'KEY_STORE_FAILED'
  /**
   * No answer came in time, or before the connection was lost: nobody knows whether the store did what it was asked.
   */
  | 'KEY_STORE_UNSURE';

/** Why a store could not do what it was asked. The message says what was found, the remedy what to do about it. */
export class KeyStoreError extends ExpectedError {
  override readonly name = 'KeyStoreError';

  constructor(
    readonly code: KeyStoreErrorCode,
    readonly found: string,
    readonly remedy: string,
    cause?: unknown,
  ) {
    super(`${found}: ${remedy}`, cause === undefined ? undefined : { cause });
  }
}

/** The layout of the stores that this program makes and reads, the same number for both kinds of store. */
export const STORE_VERSION = 2;

/** The store at `place` has another layout; `version` as it was found there. */
export function otherVersion(place: string, version: string | number): KeyStoreError {
  const remedy = `this program reads version ${STORE_VERSION}; use the program that made the store, or another place`;
  return new KeyStoreError('KEY_STORE_OTHER_VERSION', `${place} is a key store of version ${version}`, remedy);
}

/** Whether what was thrown is about damaged data, which need not concern more than one key or record. */
export function isDamage(error: unknown): error is KeyStoreError {
  return error instanceof KeyStoreError && error.code === 'KEY_STORE_DAMAGED';
}
