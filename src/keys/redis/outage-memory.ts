/**
 * What a server process remembers of keys so that it can go on while the store can't be asked: which keys it has seen
 * good, and how much they had used. For `graceMs` after it last saw a key good it decides from that, by the same rule as
 * the store, up to the quota that was left. What it allows is a debt, kept until the store has confirmed that it counted
 * it, however long that takes. A key that was seen revoked is revoked for ever, also where the store has forgotten it.
 * An entry takes about 400 bytes; the keys seen last are remembered, debts are never dropped.
 */

import { type Admission, admit, useAfter } from '../admission.js';
import { monthOf } from '../calendar-month.js';

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
  readonly month: string;
  readonly count: number;
}

/** A debt that was not told to the store yet, and of no question, may still grow. */
type OpenDebt = { -readonly [Field in keyof Debt]: Debt[Field] } & { isOpen: boolean };

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
    this.#keys.delete(digest);
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
    dropOldest(this.#keys, this.limit);
  }

  /** The store said that the key is not good. */
  forget(digest: string, isRevoked: boolean): void {
    this.#keys.delete(digest);
    if (!isRevoked) return;
    this.#revoked.add(digest);
    dropOldest(this.#revoked, this.limit);
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
    const month = monthOf(nowMs).name;
    const debts = this.#debts.get(digest) ?? [];
    const open = isUnsure ? undefined : debts.find((debt) => debt.isOpen && debt.month === month);
    if (open !== undefined) open.count += count;
    else if (isUnsure || count > 0) this.#debts.set(digest, [...debts, { sequence, month, count, isOpen: !isUnsure }]);
    return admission;
  }

  /** The key's debts, those of the lowest sequence first, to be told to the store. */
  takeDebts(digest: string): readonly Debt[] {
    const debts = this.#debts.get(digest) ?? [];
    for (const debt of debts) debt.isOpen = false;
    return debts.toSorted((one, other) => one.sequence - other.sequence);
  }

  /** The digests of keys that owe something, at most `limit`; others come first the next time. */
  nextDebtors(limit: number): string[] {
    const next = [...this.#debts].slice(0, limit);
    for (const [digest, debts] of next) {
      this.#debts.delete(digest);
      this.#debts.set(digest, debts);
    }
    return next.map(([digest]) => digest);
  }

  /** The store has these debts. */
  settle(digest: string, settled: readonly Debt[]): void {
    const left = (this.#debts.get(digest) ?? []).filter((debt) => !settled.includes(debt));
    if (left.length === 0) this.#debts.delete(digest);
    else this.#debts.set(digest, left);
  }

  /** How many keys owe something. */
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

function dropOldest(collection: Map<string, unknown> | Set<string>, limit: number): void {
  if (collection.size <= limit) return;
  for (const oldest of collection.keys()) {
    collection.delete(oldest);
    return;
  }
}
