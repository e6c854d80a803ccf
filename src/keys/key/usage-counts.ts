/**
 * The counts of a key's requests: by calendar month for the quota, and by calendar day for charts. The counts of the
 * last 24 months and 62 days in which the key was used are kept. The successor of a key continues its counts.
 */

import type { KeyStoreError } from '../storage/key-store-error.js';

export const MONTHS_KEPT = 24;
export const DAYS_KEPT = 62;

/** By the names of months and days, ascending; a month or a day without any request may be missing. */
export interface UsageCounts {
  readonly months: ReadonlyMap<string, number>;
  readonly days: ReadonlyMap<string, number>;
}

export const NO_USAGE: UsageCounts = { months: new Map(), days: new Map() };

/** Where a store keeps counts, each key's under an id that the record of the key holds. */
export interface UsageLedger {
  /** Makes a place for the counts of a new key and resolves with its id. */
  begin(digest: string, counts: UsageCounts): Promise<string>;
  /** The counts under each id, or KeyStoreError where they are damaged. */
  read(usageIds: readonly string[]): Promise<readonly (UsageCounts | KeyStoreError)[]>;
}

/** Whether the value can be a number of requests counted. */
export function isRequestCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Counts in order, no more than are kept, without zeros. */
export function keepLatestUsageCounts({ months, days }: UsageCounts): UsageCounts {
  return { months: latestOf(months, MONTHS_KEPT), days: latestOf(days, DAYS_KEPT) };
}

function latestOf(counts: ReadonlyMap<string, number>, keptCount: number): Map<string, number> {
  const sorted = [...counts].filter(([, count]) => count > 0).sort(([one], [other]) => (one < other ? -1 : 1));
  return new Map(sorted.slice(-keptCount));
}
