/**
 * The gate before a key store. Requests that arrive in one turn of the event loop are put to the store together, those
 * of one key as one question, and each is answered with its own decision once the store has counted them: one round
 * trip or one transaction for a turn, however many requests it brought. Nothing is remembered from turn to turn, so a
 * key that was made, revoked or replaced a moment ago is treated so on the next request. A missing or mistyped key is
 * refused at once and the store never hears of it.
 */

import { type Admission, type KeyLimits, refusalReason, useAfter } from './admission.js';
import { digestApiKey, isWellFormedApiKey } from './api-key.js';
import type { KeyDecision, KeyGate, KeyRefusal } from './key-gate.js';
import type { KeyStore, KeyVerdict } from './key-store.js';

export function createKeyGate(store: Pick<KeyStore, 'decide'>): KeyGate {
  /** The requests of this turn, by the digest of their key. */
  let waiting = new Map<string, Waiting[]>();

  function decideTurn(): void {
    const turn = waiting;
    waiting = new Map();
    const questions = Array.from(turn, ([digest, { length: count }]) => ({ digest, count }));
    store.decide(questions).then(
      (verdicts) => {
        let at = 0;
        for (const requests of turn.values()) answer(requests, verdicts[at++] as KeyVerdict);
      },
      (error) => {
        for (const requests of turn.values()) for (const request of requests) request.reject(error);
      },
    );
  }

  return {
    check(clearKey) {
      if (clearKey === undefined || clearKey === '') return REFUSALS.missing;
      if (!isWellFormedApiKey(clearKey)) return REFUSALS.invalid;
      const digest = digestApiKey(clearKey);
      return new Promise<KeyDecision>((resolve, reject) => {
        // The check phase comes when every socket that was readable in this turn has been read.
        if (waiting.size === 0) setImmediate(decideTurn);
        const requests = waiting.get(digest);
        if (requests === undefined) waiting.set(digest, [{ resolve, reject }]);
        else requests.push({ resolve, reject });
      });
    },
  };
}

interface Waiting {
  readonly resolve: (decision: KeyDecision) => void;
  readonly reject: (error: unknown) => void;
}

/** Gives each request of one key its part of the verdict, in the order in which they came. */
function answer(requests: readonly Waiting[], verdict: KeyVerdict): void {
  if (verdict.standing === 'unavailable') {
    for (const request of requests) request.reject(verdict.cause);
  } else if (verdict.standing === 'good') {
    for (const [index, request] of requests.entries()) request.resolve(decisionOf(verdict, index));
  } else {
    const refusal = REFUSALS[verdict.standing === 'unknown' ? 'invalid' : verdict.standing];
    for (const request of requests) request.resolve(refusal);
  }
}

function decisionOf(admission: Admission, index: number): KeyDecision {
  const { keyId, plan, nowMs, month, allowedCount } = admission;
  const { used, arrivalMs } = useAfter(admission, index + 1);
  const limits: KeyLimits = { plan, nowMs, month, used, arrivalMs };
  if (index < allowedCount) return { allowed: true, keyId, limits };
  return { allowed: false, reason: refusalReason(admission), keyId, limits };
}

const REFUSALS: Readonly<Record<KeyRefusal, KeyDecision>> = {
  missing: Object.freeze({ allowed: false, reason: 'missing' }),
  invalid: Object.freeze({ allowed: false, reason: 'invalid' }),
  revoked: Object.freeze({ allowed: false, reason: 'revoked' }),
  expired: Object.freeze({ allowed: false, reason: 'expired' }),
};
