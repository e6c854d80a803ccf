/**
 * Checks API keys, many in one call to the key store. Checks gather while the store decides on an earlier batch, and
 * while the event loop reads what has arrived. They go to the store together, the requests of one key and one cost as
 * one check, and each request gets its own decision once the store has counted them: one round trip or one hold of a
 * lock, however many requests it served. Requests of one key with another cost wait for the next batch, so that all are
 * decided in order of arrival. No decision is kept, so a key that was made, revoked or replaced a moment ago is treated so
 * on the next request. A missing or mistyped key is refused without asking the store. The requests of a publishable key
 * are one check too, with the caller of each, and a batch takes a bounded number of callers.
 *
 * Anybody can write well-formed keys that no store has. So unverified keys, which the store has not seen lately, wait
 * in a queue of their own: a batch takes few of them, and a key that finds the queue full is refused as overloaded.
 * Keys that the store has seen lately never wait in that queue.
 */

import { digestApiKey, isPublishableKey, isWellFormedApiKey } from './api-key.js';
import { type Caller, decisionAt, type KeyDecision } from './key-decision.js';
import type { KeyCheck, KeyStore } from './key-store.js';

/** The part of the batcher that the HTTP layer uses. */
export type KeyGate = Pick<KeyBatcher, 'check'>;

/** Maximum number of unverified keys in a batch: a millisecond or so of the store's time. */
const UNVERIFIED_PER_BATCH = 250;
/** Maximum number of unverified keys that wait: those of eight batches. */
const UNVERIFIED_LIMIT = 2_000;
/** Maximum number of callers in a batch, shared by its publishable keys: at 10 µs each, 5 ms of the store's time. */
const CALLERS_PER_BATCH = 500;
/** Maximum number of clear keys whose digests are remembered, some 300 bytes each. */
const DIGESTS_LIMIT = 10_000;

type Resolve = (decision: KeyDecision) => void;
interface Waiting {
  readonly cost: number;
  /** Undefined for a secret key. */
  readonly caller: Caller | undefined;
  readonly resolve: Resolve;
}
/** The waiting requests by the digest of their key, in order of arrival. */
type Queue = Map<string, Waiting[]>;

export class KeyBatcher {
  /** By clear key, of keys that the store has seen: to check and hash a key again takes a microsecond. */
  readonly #digests = new Map<string, string>();
  readonly #unverified: Queue = new Map();
  #verified: Queue = new Map();
  /** Whether a batch was sent, or will be sent at the end of this round of the event loop. */
  #isSending = false;

  constructor(private readonly store: Pick<KeyStore, 'decide' | 'wasSeen'>) {}

  /**
   * Decides on one request by the value of its `x-api-key` header, undefined where none was sent: at once where the
   * store need not be asked. The request is counted before the promise resolves; it never rejects. `cost` is how many
   * units of quota and of rate the request takes, all or none: 0 tells where the key stands and counts nothing. `caller`
   * is who sent the request of a publishable key; without it the key is refused, since its origin is not allowed.
   */
  check(clearKey: string | undefined, cost = 1, caller: Caller = NOBODY): KeyDecision | Promise<KeyDecision> {
    if (clearKey === undefined || clearKey === '') return MISSING;
    const digest = this.#digestOf(clearKey);
    if (digest === undefined) return INVALID;
    const sender = isPublishableKey(clearKey) ? caller : undefined;
    const queue = this.store.wasSeen(digest) ? this.#verified : this.#unverified;
    let requests = queue.get(digest);
    if (requests === undefined) {
      if (queue === this.#unverified && queue.size >= UNVERIFIED_LIMIT) return OVERLOADED;
      requests = [];
      queue.set(digest, requests);
    }
    const waiting = requests;
    if (!this.#isSending) {
      this.#isSending = true;
      // The check phase comes when every socket that was readable in this round of the event loop has been read.
      setImmediate(() => void this.#sendAll());
    }
    return new Promise((resolve) => void waiting.push({ cost, caller: sender, resolve }));
  }

  #digestOf(clearKey: string): string | undefined {
    const known = this.#digests.get(clearKey);
    if (known !== undefined) return known;
    if (!isWellFormedApiKey(clearKey)) return undefined;
    const digest = digestApiKey(clearKey);
    // Only keys of the store, so that a flood of others pushes none of them out.
    if (this.store.wasSeen(digest)) {
      if (this.#digests.size >= DIGESTS_LIMIT) this.#digests.clear();
      this.#digests.set(clearKey, digest);
    }
    return digest;
  }

  async #sendAll(): Promise<void> {
    for (let batch = this.#takeBatch(); batch.size > 0; batch = this.#takeBatch()) await this.#send(batch);
    this.#isSending = false;
  }

  #takeBatch(): Queue {
    const batch: Queue = new Map();
    const verified = this.#verified;
    const unverified = firstOf(this.#unverified, UNVERIFIED_PER_BATCH);
    this.#verified = new Map();
    const callersPerKey = shareOfCallers([...verified.values(), ...unverified.map(([, requests]) => requests)]);
    for (const [digest, requests] of verified) takeRun(digest, requests, callersPerKey, batch, this.#verified);
    for (const [digest, requests] of unverified) {
      this.#unverified.delete(digest);
      // The key was seen after the first of its requests had come.
      if (verified.has(digest)) this.#verified.set(digest, [...(this.#verified.get(digest) ?? []), ...requests]);
      else takeRun(digest, requests, callersPerKey, batch, this.#unverified);
    }
    return batch;
  }

  async #send(batch: Queue): Promise<void> {
    const checks = Array.from(batch, ([digest, requests]) => checkOf(digest, requests));
    const decisions = await this.store.decide(checks).catch((cause: unknown) => {
      return checks.map((): KeyDecision => ({ status: 'unavailable', cause }));
    });
    let at = 0;
    for (const requests of batch.values()) resolveEach(requests, decisions[at++] as KeyDecision);
  }
}

function checkOf(digest: string, requests: readonly Waiting[]): KeyCheck {
  const check = { digest, count: requests.length, cost: costOf(requests) };
  if (requests[0]?.caller === undefined) return check;
  return { ...check, callers: requests.map(({ caller = NOBODY }) => caller) };
}

/** Maximum number of callers of each publishable key in a batch of these requests by key. */
function shareOfCallers(queues: readonly (readonly Waiting[])[]): number {
  const publishableCount = queues.filter(([first]) => first?.caller !== undefined).length;
  return Math.max(1, Math.floor(CALLERS_PER_BATCH / publishableCount));
}

/** Moves the first requests of a key, all of one cost, to the batch, and the others to `later`. */
function takeRun(digest: string, requests: Waiting[], callersPerKey: number, batch: Queue, later: Queue): void {
  const cost = costOf(requests);
  const most = requests[0]?.caller === undefined ? requests.length : callersPerKey;
  const end = requests.findIndex((request, index) => index === most || request.cost !== cost);
  batch.set(digest, end < 0 ? requests : requests.slice(0, end));
  if (end >= 0) later.set(digest, requests.slice(end));
}

function costOf([first]: readonly Waiting[]): number {
  return first?.cost ?? 0;
}

function firstOf(queue: Queue, limit: number): [string, Waiting[]][] {
  const first: [string, Waiting[]][] = [];
  for (const entry of queue) {
    if (first.length === limit) break;
    first.push(entry);
  }
  return first;
}

function resolveEach(requests: readonly Waiting[], decision: KeyDecision): void {
  if (requests.length === 1) requests[0]?.resolve(decision);
  else for (let index = 0; index < requests.length; index++) requests[index]?.resolve(decisionAt(decision, index));
}

const NOBODY: Caller = Object.freeze({ origin: '', operation: '', visitor: '' });
const MISSING: KeyDecision = Object.freeze({ status: 'missing' });
const INVALID: KeyDecision = Object.freeze({ status: 'invalid' });
const OVERLOADED: KeyDecision = Object.freeze({ status: 'overloaded' });
