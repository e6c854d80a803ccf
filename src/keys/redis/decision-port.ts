/** The store as a decision lane sees it: what is asked, and every way in which the answer can fail to be one. */

import type { KeyQuestion } from '../key-store.js';
import type { Debt, SeenKey } from './outage-memory.js';

/** One key of a flight. */
export interface AskedKey extends KeyQuestion {
  readonly debts: readonly Debt[];
}

export type KeyReply =
  | (SeenKey & { readonly standing: 'good' })
  | { readonly standing: 'unknown' | 'revoked' | 'expired' }
  /** This key was neither decided nor counted. `isWide`: the store could not have done it for another key either. */
  | { readonly standing: 'failed'; readonly why: string; readonly isWide: boolean }
  /** Nobody knows whether this key was decided and counted. */
  | { readonly standing: 'unsure'; readonly why: string };

export interface DecisionPort {
  isReady(): boolean;
  /** Resolves when the store can be asked. Rejects after `limitMs`. */
  whenReady(limitMs: number): Promise<void>;
  /** One reply for each key. Rejects where it is unknown what the store did. */
  decide(sequence: number, keys: readonly AskedKey[]): Promise<readonly KeyReply[]>;
  /** Writes something that does no harm, to see whether the store can. */
  probe(): Promise<unknown>;
}
