/**
 * Checks API keys, many in one call to the key store. Checks gather while the store decides on an earlier batch, and
 * while the event loop reads what has arrived. They go to the store together, all requests of one key as one check, and
 * each request gets its own decision once the store has counted them: one round trip or one hold of a lock, however
 * many requests it served. No decision is kept, so a key that was made, revoked or replaced a moment ago is treated so
 * on the next request. A missing or mistyped key is refused without asking the store.
 *
 * Anybody can write well-formed keys that no store has. So unverified keys, which the store has not seen lately, wait
 * in a queue of their own: a batch takes few of them, and a key that finds the queue full is refused as overloaded.
 * Keys that the store has seen lately never wait in that queue.
 */

import { digestApiKey, isWellFormedApiKey } from './api-key.js';
import { decisionAt, type KeyDecision } from './key-decision.js';
import type { KeyStore } from './key-store.js';

/** The part of the batcher that the HTTP layer uses. */
export type KeyGate = Pick<KeyBatcher, 'check'>;

/** Maximum number of unverified keys in a batch: a millisecond or so of the store's time. */
const UNVERIFIED_PER_BATCH = 250;
/** Maximum number of unverified keys that wait: those of eight batches. */
const UNVERIFIED_LIMIT = 2_000;
/** Maximum number of clear keys whose digests are remembered, some 300 bytes each. */
const DIGESTS_LIMIT = 10_000;

type Resolve = (decision: KeyDecision) => void;
/** The waiting requests by the digest of their key, in order of arrival. */
type Queue = Map<string, Resolve[]>;

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
   * store need not be asked. The request is counted before the promise resolves; it never rejects.
   */
  check(clearKey: string | undefined): KeyDecision | Promise<KeyDecision> {
    if (clearKey === undefined || clearKey === '') return MISSING;
    const digest = this.#digestOf(clearKey);
    if (digest === undefined) return INVALID;
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
    return new Promise((resolve) => void waiting.push(resolve));
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
    const batch = this.#verified;
    this.#verified = new Map();
    let count = 0;
    for (const [digest, requests] of this.#unverified) {
      if (count++ === UNVERIFIED_PER_BATCH) break;
      batch.set(digest, [...(batch.get(digest) ?? []), ...requests]);
      this.#unverified.delete(digest);
    }
    return batch;
  }

  async #send(batch: Queue): Promise<void> {
    const checks = Array.from(batch, ([digest, { length: count }]) => ({ digest, count }));
    const decisions = await this.store.decide(checks).catch((cause: unknown) => {
      return checks.map((): KeyDecision => ({ status: 'unavailable', cause }));
    });
    let at = 0;
    for (const requests of batch.values()) resolveEach(requests, decisions[at++] as KeyDecision);
  }
}

function resolveEach(requests: readonly Resolve[], decision: KeyDecision): void {
  if (requests.length === 1) requests[0]?.(decision);
  else for (const [index, resolve] of requests.entries()) resolve(decisionAt(decision, index));
}

const MISSING: KeyDecision = Object.freeze({ status: 'missing' });
const INVALID: KeyDecision = Object.freeze({ status: 'invalid' });
const OVERLOADED: KeyDecision = Object.freeze({ status: 'overloaded' });
