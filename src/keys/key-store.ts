/**
 * Where keys live, each under the digest of its clear key, and where their requests are counted. A store never sees a
 * clear key. What it answers is as new as the last finished change, in whatever process that was, and a decision counts
 * what it allows in the same step, so any number of processes together never allow more than a plan does. A store that
 * can't be used, or that holds something no store of ours wrote, is a KeyStoreError and never a missing key.
 */

import type { Admission } from './admission.js';
import { KeyError } from './key-error.js';
import type { KeyRecord } from './key-record.js';

/** Requests of one key that came at once. */
export interface KeyQuestion {
  /** As digestApiKey gives it. */
  readonly digest: string;
  /** How many requests, at least 1. */
  readonly count: number;
}

export type KeyVerdict =
  | Admission
  | { readonly standing: 'unknown' | 'revoked' | 'expired' }
  /** Nobody knows at the moment; nothing was counted that is answered. */
  | { readonly standing: 'unavailable'; readonly cause: KeyStoreError };

/** All that is kept of one key. */
export interface KeyEntry {
  readonly digest: string;
  readonly record: KeyRecord;
  /** The clear key, sealed as sealing.ts does it; null where it was made without a secret. */
  readonly sealed: string | null;
  /** Requests counted, by the name of the month; months without any are missing. */
  readonly usage: ReadonlyMap<string, number>;
}

/** What becomes of a key that is replaced, and the key that takes its place. */
export interface Succession {
  readonly replaced: KeyRecord;
  readonly successor: KeyEntry;
}

export interface KeyStore {
  /** Decides and counts, each question by itself; one verdict for each, in their order. Rejects with KeyStoreError. */
  decide(questions: readonly KeyQuestion[]): Promise<readonly KeyVerdict[]>;
  /** Whether the store has found the key lately, from memory at once: such keys are asked for before others. */
  knows(digest: string): boolean;
  /** Has the store warn, once it can be asked, of settings under which keys or counts get lost. For servers. */
  inspect(): void;
  /** The key with this id, or undefined. Rejects with KeyStoreError. */
  find(id: string): Promise<KeyEntry | undefined>;
  /**
   * All keys, oldest first, those of one instant by id. Rejects with KeyStoreError; where `onDamaged` is given, a key
   * whose data are damaged is told to it and left out.
   */
  list(onDamaged?: (error: KeyStoreError) => void): Promise<KeyEntry[]>;
  /** Keeps a new key for good. Rejects with KeyStoreError, KEY_EXISTS where its digest or its id is taken. */
  create(entry: KeyEntry): Promise<void>;
  /**
   * Changes a record as the function says, which may be asked again where another process was faster, and returns the
   * new one. Rejects with KeyStoreError, KEY_UNKNOWN where there is no such id, and with what the function throws.
   */
  change(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord>;
  /**
   * Changes a record likewise and creates its successor, which goes on with the counts of its predecessor. Rejects with
   * KEY_EXISTS too, where the digest or the id of the successor is taken.
   */
  replace(id: string, succeed: (record: KeyRecord) => Succession): Promise<KeyRecord>;
  /** How the store does, from what its last decisions met. */
  health(): KeyStoreHealth;
  /** Finishes what is being written. The store must not be used afterwards; a second close does nothing. */
  close(): Promise<void>;
}

export interface KeyStoreHealth {
  readonly kind: 'embedded' | 'redis';
  /** `degraded` while decisions are made from memory, or not at all: the store can't be asked, or has lost keys. */
  readonly state: 'ready' | 'degraded';
  /** What it met last, where it is degraded. */
  readonly problem: string | null;
  /** How often it could not be asked, or held damaged data, since it was opened. */
  readonly errorCount: number;
}

export type KeyStoreErrorCode =
  /** The folder, a file in it or the address can't be reached, read or written by this process. */
  | 'KEY_STORE_INACCESSIBLE'
  /** What lies there is not, or no longer, a store of ours. */
  | 'KEY_STORE_DAMAGED'
  /** The store broke while it was used: a full disk, a full memory. */
  | 'KEY_STORE_FAILED'
  /** The connection was lost before the answer came: nobody knows whether the store did what it was asked. */
  | 'KEY_STORE_UNSURE'
  /** There is already a key with this digest or this id. */
  | 'KEY_EXISTS'
  /** There is no key with this id. */
  | 'KEY_UNKNOWN';

/** Why a store could not do what it was asked. The message says what was found, the remedy what to do about it. */
export class KeyStoreError extends KeyError {
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

export function unknownKey(id: string): KeyStoreError {
  return new KeyStoreError('KEY_UNKNOWN', `there is no key ${JSON.stringify(id)}`, 'list shows all keys');
}

export function existingKey(record: KeyRecord): KeyStoreError {
  return new KeyStoreError('KEY_EXISTS', `the store already holds the key ${record.id}`, 'create another key');
}

/** Whether the value can be a number of requests counted. */
export function isRequestCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The order of `list`. */
export function byCreatedThenId({ record: one }: KeyEntry, { record: other }: KeyEntry): number {
  if (one.created !== other.created) return one.created < other.created ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}
