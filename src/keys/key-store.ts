/**
 * Where API keys live, each under the digest of its clear key, and where their requests are counted. A store never sees
 * a clear key. Its answers are as new as the last finished change, in whatever process that was, and a decision counts
 * what it allows in the same step, so any number of processes together never allow more than a plan does. A store that
 * can't be used, or that holds something no store of ours wrote, is a KeyStoreError and never a missing key.
 */

import type { RecordStore } from '../records/record-store.js';
import type { KeyDecision } from './key-decision.js';
import type { KeyDirectory } from './key-directory.js';

/** Requests of one key that came at one instant. */
export interface KeyCheck {
  /** As digestApiKey gives it. */
  readonly digest: string;
  /** How many requests, at least 1. */
  readonly count: number;
}

export interface KeyStore {
  /** Finds and changes keys: for people, never for a request. */
  readonly directory: KeyDirectory;
  /** All other records that live in the same place. */
  readonly records: RecordStore;
  /**
   * Decides and counts, each check by itself, no two of the same key; one decision for each, in their order. Rejects
   * with KeyStoreError.
   */
  decide(checks: readonly KeyCheck[]): Promise<readonly KeyDecision[]>;
  /** Whether the store has seen the key good lately, from memory at once. Such keys are checked before others. */
  wasSeen(digest: string): boolean;
  /** Has the store warn, once it can be asked, of settings under which keys or counts get lost. For servers. */
  inspect(): void;
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
