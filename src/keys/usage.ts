/**
 * Requests counted of a key: by calendar month, which its quota goes by, and by calendar day, for charts. Kept are the
 * last 24 months and the last 62 days up to the key's latest request. A key that replaces another goes on with the very
 * counts of that key.
 */

import type { KeyStoreError } from '../storage/key-store-error.js';
import { dayNumber, monthNumber } from './calendar.js';

export const MONTHS_KEPT = 24;
export const DAYS_KEPT = 62;

/** By the names of months and days, ascending; those without any request may be missing. */
export interface UsageCounts {
  readonly months: ReadonlyMap<string, number>;
  readonly days: ReadonlyMap<string, number>;
}

export const NO_USAGE: UsageCounts = { months: new Map(), days: new Map() };

/** Where a store keeps counts, each key's under an id that the record of the key holds. */
export interface UsageLedger {
  /** Makes a place for the counts of a new key and resolves with its id. Rejects with KeyStoreError. */
  begin(digest: string, counts: UsageCounts): Promise<string>;
  /** The counts under each id, or KeyStoreError where they are damaged. Rejects with KeyStoreError. */
  read(usageIds: readonly string[]): Promise<readonly (UsageCounts | KeyStoreError)[]>;
}

/** Whether the value can be a number of requests counted. */
export function isRequestCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Counts in order, without what is older than is kept and without zeros. */
export function keepLatest({ months, days }: UsageCounts): UsageCounts {
  return { months: latestOf(months, MONTHS_KEPT, monthNumber), days: latestOf(days, DAYS_KEPT, dayNumber) };
}

function latestOf(
  counts: ReadonlyMap<string, number>,
  keptCount: number,
  numberOf: (name: string) => number,
): Map<string, number> {
  const sorted = [...counts].filter(([, count]) => count > 0).sort(([one], [other]) => (one < other ? -1 : 1));
  const latest = sorted.at(-1);
  if (latest === undefined) return new Map();
  return new Map(sorted.filter(([name]) => numberOf(name) > numberOf(latest[0]) - keptCount));
}
