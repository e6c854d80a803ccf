/**
 * Checks API keys, many in one call to the key store. Checks wait while the store decides on an earlier batch, and while
 * the event loop reads what has arrived; then the requests of one key and one cost go as one check, in order of arrival,
 * and each request gets a decision of its own. No decision is kept, so a change of a key counts from the next request
 * on. Anybody can write well-formed keys that no store has: a batch takes few unverified keys, which the store has not
 * called good lately, and while many of them wait, another one is refused as overloaded. Verified keys never wait for
 * unverified ones.
 */

import { RecencyMap } from '../../base/recency-map.js';
import { digestApiKey, isPublishableKey, isWellFormedApiKey } from '../key/api-key.js';
import { type Caller, decisionAt, type KeyCheck, type KeyDecision } from './key-decision.js';
import type { KeyStore } from './key-store.js';

/** The part of the batcher that the HTTP layer uses. */
export type KeyGate = Pick<KeyBatcher, 'check'>;

/** Maximum number of verified keys in a batch: 10 ms of Redis's time, 3 ms of the embedded store's. */
const VERIFIED_PER_BATCH = 500;
/** Maximum number of unverified keys in a batch. */
const UNVERIFIED_PER_BATCH = 250;
/** Maximum number of unverified keys that wait before others are refused: those of eight batches. */
const UNVERIFIED_LIMIT = 2_000;
/** Maximum number of callers in a batch, shared by its publishable keys: at 10 µs each, 5 ms of the store's time. */
const CALLERS_PER_BATCH = 500;
/** Maximum number of clear keys that are remembered as verified, some 300 bytes each. */
const VERIFIED_LIMIT = 100_000;

interface Waiting {
  readonly cost: number;
  readonly rateCost: number;
  readonly caller: Caller;
  readonly resolve: (decision: KeyDecision) => void;
}

/** The requests of one key in order of arrival. */
interface WaitingKey {
  readonly isPublishable: boolean;
  readonly requests: readonly Waiting[];
}

export class KeyBatcher {
  /** The digest by clear key: checking and hashing a key again would take a microsecond. */
  readonly #verified = new RecencyMap<string, string>(VERIFIED_LIMIT);
  /** By clear key, in order of arrival. */
  readonly #waiting = new Map<string, WaitingKey & { readonly requests: Waiting[] }>();
  #unverifiedCount = 0;
  /** Whether a batch was sent, or will be sent at the end of this round of the event loop. */
  #isSending = false;

  constructor(private readonly store: Pick<KeyStore, 'decide'>) {}

  /**
   * Decides on one request by the value of its `x-api-key` header, undefined where none was sent: at once where the
   * store need not be asked. The request is counted before the promise resolves; it never rejects. `cost` is how many
   * units of quota the request takes, and `rateCost` of rate, all or none: a cost of 0 tells where the key stands and
   * counts nothing. `caller` is who sent the request of a publishable key; without it the key is refused, since its origin
   * is not allowed.
   */
  check(
    clearKey: string | undefined,
    cost = 1,
    caller: Caller = NOBODY,
    rateCost = cost,
  ): KeyDecision | Promise<KeyDecision> {
    if (clearKey === undefined || clearKey === '') return MISSING;
    let waiting = this.#waiting.get(clearKey);
    if (waiting === undefined) {
      if (!this.#verified.has(clearKey)) {
        if (!isWellFormedApiKey(clearKey)) return INVALID;
        if (this.#unverifiedCount >= UNVERIFIED_LIMIT) return OVERLOADED;
        this.#unverifiedCount++;
      }
      waiting = { isPublishable: isPublishableKey(clearKey), requests: [] };
      this.#waiting.set(clearKey, waiting);
    }
    const { requests } = waiting;
    if (!this.#isSending) {
      this.#isSending = true;
      // The check phase comes when every socket that was readable in this round of the event loop has been read.
      setImmediate(() => void this.#sendAll());
    }
    return new Promise((resolve) => void requests.push({ cost, rateCost, caller, resolve }));
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.size > 0) await this.#send(this.#takeBatch());
    this.#isSending = false;
  }

  /** Takes the first requests of the keys that have waited longest, of each key some of one cost. */
  #takeBatch(): ReadonlyMap<string, WaitingKey> {
    const batch = new Map<string, WaitingKey>();
    let [verifiedCount, unverifiedCount, publishableCount] = [0, 0, 0];
    for (const [clearKey, waiting] of this.#waiting) {
      const isTaken = this.#verified.has(clearKey)
        ? verifiedCount++ < VERIFIED_PER_BATCH
        : unverifiedCount++ < UNVERIFIED_PER_BATCH;
      if (!isTaken) continue;
      batch.set(clearKey, waiting);
      if (waiting.isPublishable) publishableCount++;
    }
    this.#unverifiedCount = Math.max(0, unverifiedCount - UNVERIFIED_PER_BATCH);
    const callersPerKey = Math.max(1, Math.floor(CALLERS_PER_BATCH / publishableCount));
    for (const [clearKey, { isPublishable, requests }] of batch) {
      this.#waiting.delete(clearKey);
      const most = isPublishable ? callersPerKey : requests.length;
      let end = 1;
      while (end < Math.min(most, requests.length) && haveOneCost(requests[end], requests[0])) end++;
      if (end === requests.length) continue;
      batch.set(clearKey, { isPublishable, requests: requests.slice(0, end) });
      this.#waiting.set(clearKey, { isPublishable, requests: requests.slice(end) });
    }
    return batch;
  }

  async #send(batch: ReadonlyMap<string, WaitingKey>): Promise<void> {
    const checks: KeyCheck[] = [];
    for (const [clearKey, { isPublishable, requests }] of batch) {
      const digest = this.#verified.get(clearKey) ?? digestApiKey(clearKey);
      const callers = isPublishable ? requests.map(({ caller }) => caller) : undefined;
      const { cost = 0, rateCost } = requests[0] ?? {};
      checks.push({ digest, count: requests.length, cost, rateCost, callers });
    }
    const decisions = await this.store.decide(checks).catch((cause: unknown) => {
      const unavailable: KeyDecision = { status: 'unavailable', cause };
      this.#refuseWaiting(unavailable);
      return checks.map(() => unavailable);
    });
    let at = 0;
    for (const [clearKey, { requests }] of batch) {
      const decision = decisions[at] as KeyDecision;
      const { digest } = checks[at++] as KeyCheck;
      if (decision.status === 'good' || decision.status === 'publishable') this.#verified.set(clearKey, digest);
      else if (decision.status !== 'unavailable') this.#verified.delete(clearKey);
      if (requests.length === 1) requests[0]?.resolve(decision);
      else for (const [index, { resolve }] of requests.entries()) resolve(decisionAt(decision, index));
    }
  }

  /** Requests that waited for a batch which the store could not decide: the next batch would let them wait as long again. */
  #refuseWaiting(unavailable: KeyDecision): void {
    for (const { requests } of this.#waiting.values()) for (const { resolve } of requests) resolve(unavailable);
    this.#waiting.clear();
    this.#unverifiedCount = 0;
  }
}

function haveOneCost(a: Waiting | undefined, b: Waiting | undefined): boolean {
  return a?.cost === b?.cost && a?.rateCost === b?.rateCost;
}

const NOBODY: Caller = Object.freeze({ origin: '', operation: '', visitor: '' });
const MISSING: KeyDecision = Object.freeze({ status: 'missing' });
const INVALID: KeyDecision = Object.freeze({ status: 'invalid' });
const OVERLOADED: KeyDecision = Object.freeze({ status: 'overloaded' });
