/** Errors of the key store: the folder or the Redis in which API keys, their counts and other records live. */

import { ExpectedError } from '../../base/errors.js';

export type KeyStoreErrorCode =
  /** The folder, a file in it or the address can't be reached, read or written by this process. */
  | 'KEY_STORE_INACCESSIBLE'
  /** The data are damaged, or not a key store. */
  | 'KEY_STORE_DAMAGED'
  /** Another version of this program created the store, with another layout. */
  | 'KEY_STORE_OTHER_VERSION'
  /** The store broke while it was used: a full disk, a full memory. */
  | 'KEY_STORE_FAILED'
  /** No reply came in time, or the connection was lost: the change may have been made. */
  | 'KEY_STORE_UNSURE';

/** A failure of the store: `found` is the problem, `remedy` the advice to the operator. */
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
export function otherKeyStoreVersion(place: string, version: string | number): KeyStoreError {
  const remedy = `this program reads version ${STORE_VERSION}; use the program that made the store, or another place`;
  return new KeyStoreError('KEY_STORE_OTHER_VERSION', `${place} is a key store of version ${version}`, remedy);
}

/** Whether the error is about damaged data, which may affect only one key or record. */
export function isKeyStoreDamage(error: unknown): error is KeyStoreError {
  return error instanceof KeyStoreError && error.code === 'KEY_STORE_DAMAGED';
}

/** The result of the call, or its error if it found damaged data: damage of one key must not affect other keys. */
export function orKeyStoreDamage<T>(call: () => T): T | KeyStoreError {
  try {
    return call();
  } catch (error) {
    if (isKeyStoreDamage(error)) return error;
    throw error;
  }
}
