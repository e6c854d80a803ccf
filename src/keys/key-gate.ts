/**
 * The one question the HTTP layer asks about a request's API key. A gate answers at once where it can and with a
 * promise where a store must be asked; either way the request is decided, and counted, before it is answered. A gate
 * that can't decide because its store fails throws or rejects: that is never a refusal of the key.
 */

import type { KeyLimits } from './admission.js';

/** Refused before anything was counted: the request is of nobody we know. */
export type KeyRefusal =
  | 'missing'
  | 'invalid'
  | 'revoked'
  | 'expired'
  /** Nobody knows yet: too many keys that were not seen lately wait already. */
  | 'crowded';

export type LimitRefusal = 'rate-limited' | 'quota-exceeded';

export type KeyDecision =
  | { readonly allowed: true; readonly keyId: string; readonly limits: KeyLimits }
  | { readonly allowed: false; readonly reason: KeyRefusal }
  | { readonly allowed: false; readonly reason: LimitRefusal; readonly keyId: string; readonly limits: KeyLimits };

export interface KeyGate {
  /** Decides on the value of the `x-api-key` header as it was sent; undefined where none was sent. */
  check(clearKey: string | undefined): KeyDecision | Promise<KeyDecision>;
}
