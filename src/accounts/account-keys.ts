/**
 * The keys of an account, as pure functions: which they are, what they were used, and which the account forgets. An
 * account's keys are those that it names and those that an operator put in the place of one of them with a program that
 * knows of keys alone. Keys that took each other's places have one count in common.
 */
import { findFault } from '../keys/key-decision.js';
import type { KeyEntry } from '../keys/key-directory.js';
import type { KeyRecord } from '../keys/key-record.js';
import type { Account } from './account.js';
import { AccountError } from './account-error.js';

export interface AddedKey {
  readonly keyId: string;
  readonly followedId?: string | undefined;
}

/** Maximum number of keys that an account names: one write can revoke all of them. */
export const KEYS_KEPT = 50;

export function isGood(record: KeyRecord, nowMs: number): boolean {
  return findFault(record, nowMs) === undefined;
}

/** Whether no other key has taken its place: its count is its own. */
export function isLast({ replacedBy }: KeyRecord): boolean {
  return replacedBy === null;
}

/** The keys of these ids and those that took their places, the newest first. `find` is given several ids at a time. */
export async function keysNamedBy(
  keyIds: readonly string[],
  find: (ids: readonly string[]) => Promise<readonly (KeyEntry | undefined)[]>,
): Promise<KeyEntry[]> {
  const known = new Set<string>();
  const entries: KeyEntry[] = [];
  for (let ids = keyIds; ids.length > 0; ) {
    for (const id of ids) known.add(id);
    const found = (await find(ids)).filter((entry) => entry !== undefined);
    entries.push(...found);
    ids = found.map(({ record }) => record.replacedBy).filter((id) => id !== null && !known.has(id)) as string[];
  }
  // Keys of one instant stay in the order in which the account names them.
  return entries.reverse().sort(({ record: one }, { record: other }) => compare(other.created, one.created));
}

/** The keys that are good for a while yet though this key has taken their place, or that of a key that took it. */
export function overlapsBefore(keyId: string, entries: readonly KeyEntry[], nowMs: number): KeyRecord[] {
  const found: KeyRecord[] = [];
  let ids = [keyId];
  while (ids.length > 0) {
    const before = entries.map(({ record }) => record).filter(({ replacedBy }) => ids.includes(replacedBy ?? ''));
    found.push(...before.filter((record) => isGood(record, nowMs)));
    ids = before.map(({ id }) => id);
  }
  return found;
}

/** Requests of all these keys in a month, by its name. */
export function usedIn(month: string, entries: readonly KeyEntry[]): number {
  const ids = new Set(entries.map(({ record }) => record.id));
  // Of the keys that have a count in common, the last one stands for all.
  const lasts = entries.filter(({ record: { replacedBy } }) => replacedBy === null || !ids.has(replacedBy));
  return lasts.reduce((sum, { usage }) => sum + (usage.months.get(month) ?? 0), 0);
}

/**
 * The account with one more key, which takes the place of `followedId` where that is given. `entries` are its keys, or
 * null where it names fewer than KEYS_KEPT. Else it forgets the oldest key that is no longer good and whose place
 * another key took: a forgotten good key would stay good when the account is suspended, and the count of a key without
 * successor could begin anew. Throws AccountError KEY_LIMIT where it can forget none.
 */
export function withKey(
  account: Account,
  entries: readonly KeyEntry[] | null,
  { keyId, followedId }: AddedKey,
  nowMs: number,
): Account {
  if (entries === null) return { ...account, keyIds: [...account.keyIds, keyId] };
  const records = entries.map(({ record }) => record).reverse();
  const excess = Math.max(0, records.length + 1 - KEYS_KEPT);
  const forgotten = records
    .filter((record) => !isGood(record, nowMs) && (!isLast(record) || record.id === followedId))
    .slice(0, excess);
  if (forgotten.length < excess) throw keyLimit(KEYS_KEPT);
  const kept = records.filter((record) => !forgotten.includes(record));
  return { ...account, keyIds: [...kept.map(({ id }) => id), keyId] };
}

export function keyLimit(limit: number): AccountError {
  return new AccountError('KEY_LIMIT', `This account can have ${limit === 1 ? 'one key' : `${limit} keys`}.`);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
