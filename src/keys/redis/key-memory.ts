/**
 * The memory of a server process for outages of the store: the keys that the store called good, and their use. For
 * `graceMs` after the store last called a key good, the memory decides by the same rule as the store, up to the quota
 * that was left. Requests that it allows are unreconciled usage, kept until the store confirms that it counted them.
 *
 * A key that was seen revoked stays revoked, even if the store has lost it. A key that was good and is missing in the
 * store is lost, since no command removes keys: it is decided from memory, and sent again with the unreconciled usage,
 * until the store has it again. While any key is lost, an unknown key may be lost too, so its decision is unavailable.
 * An entry takes about 400 bytes; above KEYS_LIMIT the keys seen longest ago are dropped, unreconciled usage never.
 */

import { KeyStoreError } from '../../storage/key-store-error.js';
import { dayOf, monthOf } from '../calendar.js';
import { admitCallers } from '../caller-decision.js';
import { type Admission, admit, type KeyDecision, type PublishableAdmission, useAfter } from '../key-decision.js';
import type { KeyCheck } from '../key-store.js';
import type { Restrictions } from '../restrictions.js';
import type { KeyReply, SeenAdmission, SentKey, Usage } from './decide-call.js';
import { VisitorMemory } from './visitor-memory.js';

/**
 * `sentCount` is the number of batches in which the store may have received the usage; at 0 the usage may still grow.
 */
type OpenUsage = { -readonly [Field in keyof Usage]: Usage[Field] } & { sentCount: number };

/** The last known state of a good key. Instants are of this process's clock. */
interface SeenKey {
  readonly keyId: string;
  readonly plan: Admission['plan'];
  readonly goodUntilMs: number;
  readonly seenMs: number;
  /** Of a publishable key. */
  readonly restrictions: Restrictions | undefined;
  month: string;
  used: number;
  arrivalMs: number;
}

/** Maximum number of keys that are remembered as good, and as revoked. */
const KEYS_LIMIT = 100_000;
const NO_USAGES: readonly Usage[] = [];
const LOST = 'the store no longer knows keys that were good: it has lost keys';

export class KeyMemory {
  readonly #seen = new Map<string, SeenKey>();
  readonly #revoked = new Set<string>();
  /** Each lost key is in #seen, and in #unreconciled so that it is sent again. */
  readonly #lost = new Set<string>();
  readonly #unreconciled = new Map<string, readonly OpenUsage[]>();
  readonly #visitors = new VisitorMemory();
  #sequence = 0;

  constructor(private readonly graceMs: number) {}

  /** The number of a batch, or of usage without a batch; ascending. */
  nextSequence(): number {
    return ++this.#sequence;
  }

  /** Whether the store recently called the key good. */
  wasSeen(digest: string): boolean {
    return this.#seen.has(digest);
  }

  lostCount(): number {
    return this.#lost.size;
  }

  /** How many keys have unreconciled usage or are lost. */
  unreconciledKeyCount(): number {
    return this.#unreconciled.size;
  }

  /** How many requests are unreconciled in all, each lookup of a bulk request as one. */
  unreconciledCount(): number {
    let count = 0;
    for (const usages of this.#unreconciled.values()) for (const usage of usages) count += usage.count;
    return count;
  }

  /** The digests of keys with unreconciled usage, at most `limit`; other keys come first the next time. */
  nextUnreconciled(limit: number): string[] {
    const next: string[] = [];
    for (const digest of this.#unreconciled.keys()) {
      if (next.length === limit) break;
      next.push(digest);
    }
    for (const digest of next) {
      const usages = this.#unreconciled.get(digest) ?? [];
      this.#unreconciled.delete(digest);
      this.#unreconciled.set(digest, usages);
    }
    return next;
  }

  /** The check as it is sent, with the key's unreconciled usage, that of the lowest sequence first. */
  send(check: KeyCheck): SentKey {
    const open = this.#unreconciled.get(check.digest);
    if (open === undefined) return { ...check, usages: NO_USAGES };
    for (const usage of open) usage.sentCount++;
    return { ...check, usages: open.toSorted((one, other) => one.sequence - other.sequence) };
  }

  /** The decision by the store's reply, or from memory where the store has done nothing for the key. */
  receive(key: SentKey, reply: KeyReply, nowMs: number): KeyDecision {
    const { digest } = key;
    if (reply.status === 'failed') return this.#decideUntouched(key, nowMs, reply.why);
    if (reply.status === 'invalid' && this.#seen.has(digest)) {
      this.#lost.add(digest);
      if (!this.#unreconciled.has(digest)) this.#unreconciled.set(digest, []);
      return this.#decideUntouched(key, nowMs, LOST);
    }
    this.#reconcile(key);
    if (reply.status === 'revoked') this.#revoke(digest);
    else if (this.#revoked.has(digest) && reply.status !== 'expired') return { status: 'revoked' };
    else if (reply.status === 'good' || reply.status === 'publishable') this.#remember(key, reply, nowMs);
    else if (reply.status === 'invalid' && this.#lost.size > 0) return unavailable(LOST);
    else this.#forget(digest);
    return reply;
  }

  /**
   * The decision without the store: an admission if the key was recently good. The allowed requests are unreconciled.
   * `sentAs` is the sequence of a batch that the store may have counted; then a usage of 0 is kept too, to correct the
   * store's count.
   */
  decide(check: KeyCheck, nowMs: number, why: string, sentAs?: number): KeyDecision {
    if (check.count === 0) return unavailable(why);
    const { digest } = check;
    const admission = this.#admit(check, nowMs);
    const units = admission === undefined ? 0 : admission.allowedCount * admission.cost;
    const day = dayOf(nowMs);
    const usages = this.#unreconciled.get(digest) ?? [];
    const open = sentAs === undefined && usages.find((usage) => usage.sentCount === 0 && usage.day === day);
    if (open) open.count += units;
    else if (sentAs !== undefined || units > 0) {
      const [sequence, sentCount] = sentAs === undefined ? [this.nextSequence(), 0] : [sentAs, 1];
      this.#unreconciled.set(digest, [...usages, { sequence, day, count: units, sentCount }]);
    }
    return admission ?? unavailable(why);
  }

  /** The store has certainly not taken the usages. The requests get a sequence that no batch has had. */
  #decideUntouched(key: SentKey, nowMs: number, why: string): KeyDecision {
    for (const usage of this.#unreconciled.get(key.digest) ?? []) if (key.usages.includes(usage)) usage.sentCount--;
    return this.decide(key, nowMs, why);
  }

  /** The store has taken the usages. */
  #reconcile({ digest, usages }: SentKey): void {
    const open = this.#unreconciled.get(digest);
    if (open === undefined) return;
    const left = open.filter((usage) => !usages.includes(usage));
    if (left.length === 0) this.#unreconciled.delete(digest);
    else this.#unreconciled.set(digest, left);
  }

  /** `nowMs` is of this process's clock, which may differ from the store's. */
  #remember({ digest, count }: SentKey, admission: SeenAdmission, nowMs: number): void {
    const { keyId, plan, month, goodUntilMs } = admission;
    const { used, arrivalMs } = useAfter(admission, count);
    // Deleted first, so that the map's order is the order in which keys were last seen.
    this.#forget(digest);
    const arrivalHereMs = nowMs + (arrivalMs - admission.nowMs);
    const restrictions = admission.status === 'publishable' ? admission.restrictions : undefined;
    const last = { month: month.name, used, arrivalMs: arrivalHereMs };
    this.#seen.set(digest, { keyId, plan, goodUntilMs, seenMs: nowMs, restrictions, ...last });
    if (this.#seen.size > KEYS_LIMIT) this.#forget(first(this.#seen));
  }

  #forget(digest: string): void {
    this.#seen.delete(digest);
    this.#lost.delete(digest);
  }

  #revoke(digest: string): void {
    this.#forget(digest);
    this.#revoked.add(digest);
    if (this.#revoked.size > KEYS_LIMIT) this.#revoked.delete(first(this.#revoked));
  }

  #admit({ digest, count, cost, callers }: KeyCheck, nowMs: number): Admission | PublishableAdmission | undefined {
    const seen = this.#seen.get(digest);
    if (seen === undefined || nowMs - seen.seenMs > this.graceMs || nowMs >= seen.goodUntilMs) return undefined;
    const month = monthOf(nowMs);
    const before = { used: seen.month === month.name ? seen.used : 0, arrivalMs: seen.arrivalMs };
    const { keyId, plan, restrictions } = seen;
    const admission =
      restrictions === undefined || callers === undefined
        ? admit(keyId, plan, before, { nowMs, month }, count, cost)
        : admitCallers({ keyId, plan, restrictions, before }, { nowMs, month }, callers, this.#visitors.of(keyId));
    Object.assign(seen, { month: month.name, ...useAfter(admission, count) });
    return admission;
  }
}

function unavailable(why: string): KeyDecision {
  const cause = new KeyStoreError(
    'KEY_STORE_FAILED',
    `the key store can't decide (${why})`,
    'look at Redis and its address',
  );
  return { status: 'unavailable', cause };
}

/** The oldest key of a collection that is not empty. */
function first(collection: Map<string, unknown> | Set<string>): string {
  const [oldest] = collection.keys();
  return oldest as string;
}
