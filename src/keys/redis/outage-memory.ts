/**
 * What a server process remembers of keys so that it can go on while the store can't be asked: which keys it has seen
 * good, and how much they had used. For `graceMs` after it last saw a key good it decides from that, by the same rule as
 * the store, up to the quota that was left. What it allows is a debt, kept until the store has confirmed that it counted
 * it, however long that takes. A key that was seen revoked is revoked for ever, also where the store has forgotten it. A
 * key that was seen good and that the store no longer knows is lost: it stays remembered until the store knows it again.
 * An entry takes about 400 bytes; the keys seen last are remembered, debts are never dropped.
 */

import { type Admission, admit, useAfter } from '../admission.js';
import { dayOf, monthOf } from '../calendar.js';

/** A good key as the store last told of it. Instants are milliseconds, Infinity for never. */
export interface SeenKey {
  readonly admission: Admission;
  readonly requestCount: number;
  readonly expiresMs: number;
  /** When the grace of a replaced key ends; Infinity for a key that is not replaced. */
  readonly graceUntilMs: number;
}

/** Requests that were answered without the store, or without knowing whether it counted them. */
export interface Debt {
  /** Of the question they were part of, or one of their own. */
  readonly sequence: number;
  /** The day on which they were answered, as calendar.ts names days. */
  readonly day: string;
  readonly count: number;
}

/** `sentCount`: how often what the store may have taken was sent under this sequence. While that is 0 a debt may grow. */
type OpenDebt = { -readonly [Field in keyof Debt]: Debt[Field] } & { sentCount: number };

interface Remembered {
  keyId: string;
  plan: Admission['plan'];
  month: string;
  used: number;
  arrivalMs: number;
  expiresMs: number;
  graceUntilMs: number;
  /** Of this process's clock, as arrivalMs. */
  seenMs: number;
}

export class OutageMemory {
  readonly #keys = new Map<string, Remembered>();
  readonly #revoked = new Set<string>();
  /** Each of them is in #keys and in #debts, so that the store is asked for it again. */
  readonly #lost = new Set<string>();
  readonly #debts = new Map<string, readonly OpenDebt[]>();

  /** `limit` is how many keys are remembered at most. */
  constructor(
    private readonly graceMs: number,
    private readonly limit: number,
  ) {}

  /** Remembers what the store, which has a clock of its own, said of a good key at the instant `nowMs` of ours. */
  remember(digest: string, { admission, requestCount, expiresMs, graceUntilMs }: SeenKey, nowMs: number): void {
    const { keyId, plan, month } = admission;
    const { used, arrivalMs } = useAfter(admission, requestCount);
    // Deleted first, so that the map's order is the order in which keys were last seen.
    this.forget(digest);
    this.#keys.set(digest, {
      keyId,
      plan,
      month: month.name,
      used,
      arrivalMs: nowMs + (arrivalMs - admission.nowMs),
      expiresMs,
      graceUntilMs,
      seenMs: nowMs,
    });
    if (this.#keys.size > this.limit) this.forget(first(this.#keys));
  }

  /** The store said that the key is not good. */
  forget(digest: string): void {
    this.#keys.delete(digest);
    this.#lost.delete(digest);
  }

  /** The store said that the key is revoked. */
  revoke(digest: string): void {
    this.forget(digest);
    this.#revoked.add(digest);
    if (this.#revoked.size > this.limit) this.#revoked.delete(first(this.#revoked));
  }

  /** The store said that there is no such key, though there was. */
  lose(digest: string): void {
    this.#lost.add(digest);
    if (!this.#debts.has(digest)) this.#debts.set(digest, []);
  }

  /** How many keys are lost at the moment. */
  lostCount(): number {
    return this.#lost.size;
  }

  /** Whether the store said lately that the key is good. */
  knows(digest: string): boolean {
    return this.#keys.has(digest);
  }

  /** Whether this process has seen the key revoked. */
  wasRevoked(digest: string): boolean {
    return this.#revoked.has(digest);
  }

  /**
   * Decides on requests from memory, or returns undefined where the key was not seen good lately. What it allows is
   * owed under `sequence`, or added to what is owed already. With `isUnsure` the store was asked under that sequence and
   * may have counted: then nothing allowed is a debt too, because what the store counted must be taken back.
   */
  decide(
    digest: string,
    requestCount: number,
    nowMs: number,
    sequence: number,
    isUnsure: boolean,
  ): Admission | undefined {
    const admission = this.#admit(digest, requestCount, nowMs);
    const count = admission?.allowedCount ?? 0;
    const day = dayOf(nowMs);
    const debts = this.#debts.get(digest) ?? [];
    const open = isUnsure ? undefined : debts.find((debt) => debt.sentCount === 0 && debt.day === day);
    if (open !== undefined) open.count += count;
    else if (isUnsure || count > 0) {
      this.#debts.set(digest, [...debts, { sequence, day, count, sentCount: isUnsure ? 1 : 0 }]);
    }
    return admission;
  }

  /** The key's debts, those of the lowest sequence first, to be told to the store. */
  takeDebts(digest: string): readonly Debt[] {
    const debts = this.#debts.get(digest) ?? [];
    for (const debt of debts) debt.sentCount++;
    return debts.toSorted((one, other) => one.sequence - other.sequence);
  }

  /** The store certainly did not take these debts. */
  keepDebts(digest: string, kept: readonly Debt[]): void {
    for (const debt of this.#debts.get(digest) ?? []) if (kept.includes(debt)) debt.sentCount--;
  }

  /** The digests of keys that owe something or are lost, at most `limit`; others come first the next time. */
  nextDebtors(limit: number): string[] {
    const next: string[] = [];
    for (const digest of this.#debts.keys()) {
      if (next.length === limit) break;
      next.push(digest);
    }
    for (const digest of next) {
      const debts = this.#debts.get(digest) ?? [];
      this.#debts.delete(digest);
      this.#debts.set(digest, debts);
    }
    return next;
  }

  /** The store has these debts. */
  settle(digest: string, settled: readonly Debt[]): void {
    const left = (this.#debts.get(digest) ?? []).filter((debt) => !settled.includes(debt));
    if (left.length === 0) this.#debts.delete(digest);
    else this.#debts.set(digest, left);
  }

  /** How many keys owe something or are lost. */
  debtorCount(): number {
    return this.#debts.size;
  }

  /** How many requests are owed in all. */
  debtCount(): number {
    let count = 0;
    for (const debts of this.#debts.values()) for (const debt of debts) count += debt.count;
    return count;
  }

  #admit(digest: string, requestCount: number, nowMs: number): Admission | undefined {
    const key = this.#keys.get(digest);
    if (key === undefined || nowMs - key.seenMs > this.graceMs) return undefined;
    if (nowMs >= key.expiresMs || nowMs >= key.graceUntilMs) return undefined;
    const month = monthOf(nowMs);
    const before = { used: key.month === month.name ? key.used : 0, arrivalMs: key.arrivalMs };
    const admission = admit(key.keyId, key.plan, before, { nowMs, month }, requestCount);
    Object.assign(key, { month: month.name, ...useAfter(admission, requestCount) });
    return admission;
  }
}

/** What was put first into a collection that is not empty. */
function first(collection: Map<string, unknown> | Set<string>): string {
  const [oldest] = collection.keys();
  return oldest as string;
}
