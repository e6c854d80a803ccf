/**
 * Stores API keys, each under the digest of its clear key, and counts their requests. A store never sees a clear key.
 * Reads see the last finished change of any process, and a decision counts the requests that it allows in the same
 * step, so all processes together never allow more than a plan does. An unusable or damaged store is a KeyStoreError,
 * never a missing key.
 */

import type { KeyDirectory } from '../key/key-directory.js';
import type { RecordStore } from '../records/record-store.js';
import type { KeyCheck, KeyDecision } from './key-decision.js';

/** How a store is opened. */
export interface OpenOptions {
  /** Whether a folder without a store is an error; else there is a new store in it. */
  readonly mustExist?: boolean;
  /** Whether another process has just checked the embedded store for damage. */
  readonly isChecked?: boolean;
  /** The number of processes of this server, which share the rate of a key while Redis can't be asked. Default: 1. */
  readonly workers?: number;
}

export interface KeyStore {
  /** Finds and changes keys: for people, never for a request. */
  readonly directory: KeyDirectory;
  /** All other records that live in the same place. */
  readonly records: RecordStore;
  /**
   * Decides and counts, each check by itself, at most some hundred and no two of the same key; one decision for each, in
   * their order. Rejects with KeyStoreError.
   */
  decide(checks: readonly KeyCheck[]): Promise<readonly KeyDecision[]>;
  /** Tells of settings that can lose keys or counts, and of damaged keys, once the store can be reached. For servers. */
  inspect(): void;
  /** The health of the store, from its last decisions. */
  health(): KeyStoreHealth;
  /** Finishes pending writes. The store must not be used afterwards; a second close does nothing. */
  close(): Promise<void>;
}

export interface KeyStoreHealth {
  readonly kind: 'embedded' | 'redis';
  /** `degraded` while decisions are made from memory, or not at all: the store can't be asked, or has lost keys. */
  readonly state: 'ready' | 'degraded';
  /** The last problem while degraded, else null. */
  readonly problem: string | null;
  /** How often it could not be asked, or held damaged data, since it was opened. */
  readonly errorCount: number;
}
