/**
 * The gate before a key store. Requests are gathered while the store decides on earlier requests, and while the event
 * loop reads what has arrived; they are put to the store together, all requests of one key as one question, and each is
 * answered with its own decision once the store has counted them: one round trip or one hold of a lock, however many
 * requests it brought. Nothing is remembered of what was decided, so a key that was made, revoked or replaced a moment ago
 * is treated so on the next request. A missing or mistyped key is refused at once and the store never hears of it.
 *
 * Anybody can write keys that are well-formed and that nobody knows. So strangers, keys which the store has not found
 * lately, wait in a line of their own: few of them are asked for at a time, and one that finds the line full is turned
 * away at once. Keys that the store has found lately never stand in that line.
 */

import { type Admission, type KeyLimits, refusalReason, useAfter } from './admission.js';
import type { KeyDecision, KeyGate, KeyRefusal } from './key-gate.js';
import type { KeyStore, KeyVerdict } from './key-store.js';
import { RecognisedKeys } from './recognised-keys.js';

/** How many strangers are with the store at a time: a millisecond or so of its time. */
const STRANGERS_AT_ONCE = 250;
/** How many strangers wait in line at most: for some eight round trips. */
const LINE_LIMIT = 2_000;

export function createKeyGate(store: Pick<KeyStore, 'decide' | 'knows'>): KeyGate {
  /** Requests whose keys are known. */
  let known: Requests = new Map();
  /** The line of strangers, the first that came first. */
  const strangers: Requests = new Map();
  const recognised = new RecognisedKeys(store);
  let isAsking = false;
  let isAskDue = false;

  /** The check phase comes when every socket that was readable in this round of the event loop has been read. */
  function askSoon(): void {
    if (isAsking || isAskDue) return;
    isAskDue = true;
    setImmediate(ask);
  }

  function ask(): void {
    isAskDue = false;
    const asked = known;
    known = new Map();
    for (const [digest, requests] of takeFirst(strangers, STRANGERS_AT_ONCE)) {
      asked.set(digest, [...(asked.get(digest) ?? []), ...requests]);
    }
    if (asked.size === 0) return;
    isAsking = true;
    const questions = Array.from(asked, ([digest, { length: count }]) => ({ digest, count }));
    void store
      .decide(questions)
      .then(
        (verdicts) => {
          let at = 0;
          for (const requests of asked.values()) answer(requests, verdicts[at++] as KeyVerdict);
        },
        (error) => {
          for (const requests of asked.values()) for (const request of requests) request.reject(error);
        },
      )
      .finally(() => {
        isAsking = false;
        ask();
      });
  }

  return {
    check(clearKey) {
      if (clearKey === undefined || clearKey === '') return REFUSALS.missing;
      const digest = recognised.digestOf(clearKey);
      if (digest === undefined) return REFUSALS.invalid;
      const line = store.knows(digest) ? known : strangers;
      const ofKey = line.get(digest) ?? [];
      if (ofKey.length === 0) {
        if (line === strangers && line.size >= LINE_LIMIT) return REFUSALS.crowded;
        line.set(digest, ofKey);
      }
      askSoon();
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
