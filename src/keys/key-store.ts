/**
 * Where key records live, each under the digest of its clear key. A store never sees a clear key, and what it answers
 * is as new as the last finished `create`, in whatever process that was. A store that can't be used, or that holds
 * something no store of ours wrote, is a KeyStoreError and never a missing key.
 */

import type { KeyRecord } from './key-record.js';

export interface KeyStore {
  /** The record of the key with this digest, or undefined. Throws KeyStoreError. */
  findByDigest(digest: string): KeyRecord | undefined;
  /** All records, oldest first, those of one instant by id. Throws KeyStoreError. */
  list(): KeyRecord[];
  /** Keeps a record for good: when the promise resolves, it is on disk. Rejects with KeyStoreError. */
  create(digest: string, record: KeyRecord): Promise<void>;
  /** Finishes what is being written. The store must not be used afterwards; a second close does nothing. */
  close(): Promise<void>;
}

export type KeyStoreErrorCode =
  /** The folder or a file in it can't be made, read or written by this process. */
  | 'KEY_STORE_INACCESSIBLE'
  /** What lies there is not, or no longer, a store of ours. */
  | 'KEY_STORE_DAMAGED'
  /** The store broke while it was used: a full disk, a failing device. */
  | 'KEY_STORE_FAILED'
  /** There is already a record under this digest. */
  | 'KEY_EXISTS';

/** Why a store could not do what it was asked. The message says what was found, the remedy what to do about it. */
export class KeyStoreError extends Error {
  override readonly name = 'KeyStoreError';

  constructor(
    readonly code: KeyStoreErrorCode,
    found: string,
    readonly remedy: string,
    cause?: unknown,
  ) {
    super(`${found}: ${remedy}`, cause === undefined ? undefined : { cause });
  }
}
