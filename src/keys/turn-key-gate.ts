/**
 * The gate before a key store. Requests that arrive in one turn of the event loop are put to the store together, those
 * of one key as one question, and each is answered with its own decision once the store has counted them: one round
 * trip or one transaction for a turn, however many requests it brought. Nothing is remembered from turn to turn, so a
 * key that was made, revoked or replaced a moment ago is treated so on the next request. A missing or mistyped key is
 * refused at once and the store never hears of it.
 *
 * Anybody can write keys that are well-formed and that nobody knows. So strangers, keys which the store has not found
 * lately, wait in a line of their own: few of them are with the store at a time, and one that finds the line full is
 * turned away at once. Keys that the store has found lately never stand in that line.
 */

import { type Admission, type KeyLimits, refusalReason, useAfter } from './admission.js';
import { digestApiKey, isWellFormedApiKey } from './api-key.js';
import type { KeyDecision, KeyGate, KeyRefusal } from './key-gate.js';
import type { KeyStore, KeyVerdict } from './key-store.js';

/** How many strangers are with the store at a time: a millisecond or so of its time. */
const STRANGERS_AT_ONCE = 250;
/** How many strangers wait in line at most: for some eight round trips. */
const LINE_LIMIT = 2_000;

export function createKeyGate(store: Pick<KeyStore, 'decide' | 'knows'>): KeyGate {
  /** The requests of this turn whose keys are known. */
  let known: Requests = new Map();
  /** The line of strangers, the first that came first. */
  const strangers: Requests = new Map();
  let askedStrangerCount = 0;
  let isTurnDue = false;

  function endTurn(): void {
    if (isTurnDue) return;
    isTurnDue = true;
    // The check phase comes when every socket that was readable in this turn has been read.
    setImmediate(decideTurn);
  }

  function decideTurn(): void {
    isTurnDue = false;
    if (known.size > 0) {
      void decide(known);
      known = new Map();
    }
    const next = takeFirst(strangers, STRANGERS_AT_ONCE - askedStrangerCount);
    if (next.size > 0) void decideStrangers(next);
  }

  async function decideStrangers(requests: Requests): Promise<void> {
    askedStrangerCount += requests.size;
    await decide(requests);
    askedStrangerCount -= requests.size;
    if (strangers.size > 0) endTurn();
  }

  function decide(requests: Requests): Promise<void> {
    const questions = Array.from(requests, ([digest, { length: count }]) => ({ digest, count }));
    return store.decide(questions).then(
      (verdicts) => {
        let at = 0;
        for (const ofKey of requests.values()) answer(ofKey, verdicts[at++] as KeyVerdict);
      },
      (error) => {
        for (const ofKey of requests.values()) for (const request of ofKey) request.reject(error);
      },
    );
  }

  return {
    check(clearKey) {
      if (clearKey === undefined || clearKey === '') return REFUSALS.missing;
      if (!isWellFormedApiKey(clearKey)) return REFUSALS.invalid;
      const digest = digestApiKey(clearKey);
      const line = store.knows(digest) ? known : strangers;
      const ofKey = line.get(digest) ?? [];
      if (ofKey.length === 0) {
        if (line === strangers && line.size >= LINE_LIMIT) return REFUSALS.crowded;
        line.set(digest, ofKey);
      }
      endTurn();
      return new Promise<KeyDecision>((resolve, reject) => void ofKey.push({ resolve, reject }));
    },
  };
}

interface Waiting {
  readonly resolve: (decision: KeyDecision) => void;
  readonly reject: (error: unknown) => void;
}

/** By the digest of their key. */
type Requests = Map<string, Waiting[]>;

/** Takes what came first, of at most so many keys, out of the line. */
function takeFirst(line: Requests, limit: number): Requests {
  const taken: Requests = new Map();
  for (const [digest, requests] of line) {
    if (taken.size >= limit) break;
    taken.set(digest, requests);
    line.delete(digest);
  }
  return taken;
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
  crowded: Object.freeze({ allowed: false, reason: 'crowded' }),
};
