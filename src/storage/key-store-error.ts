/** Trouble with the key store: the folder or the Redis in which API keys, their counts and other records live. */

import { ExpectedError } from '../expected-error.js';

export type KeyStoreErrorCode =
  /** The folder, a file in it or the address can't be reached, read or written by this process. */
  | 'KEY_STORE_INACCESSIBLE'
  /** What lies there is not, or no longer, a store of ours. */
  | 'KEY_STORE_DAMAGED'
  /** The store broke while it was used: a full disk, a full memory. */
  | 'KEY_STORE_FAILED'
  /** The connection was lost before the answer came, or the answer did not come in time: nobody knows whether the store did what it was asked. */
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

/** Whether what was thrown is about damaged data, which need not concern more than one key or record. */
export function isDamage(error: unknown): error is KeyStoreError {
  return error instanceof KeyStoreError && error.code === 'KEY_STORE_DAMAGED';
}
