/**
 * The one question the HTTP layer asks about a request's API key. A gate answers at once where it can and with a
 * promise where the decision needs a store elsewhere; either way the request is decided before it is answered. A gate
 * that can't decide because its store fails throws or rejects: that is never a refusal of the key.
 */

export type KeyRefusal = 'missing' | 'invalid' | 'revoked' | 'expired';

export type KeyDecision =
  | { readonly allowed: true; readonly keyId: string }
  | { readonly allowed: false; readonly reason: KeyRefusal };

export interface KeyGate {
  /** Decides on the value of the `x-api-key` header as it was sent; undefined where none was sent. */
  check(clearKey: string | undefined): KeyDecision | Promise<KeyDecision>;
}
