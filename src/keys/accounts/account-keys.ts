/**
 * The keys of an account, as pure functions: their list, their usage, and the keys that the account forgets. An account
 * names its keys; a key with which an operator replaced a named key (`keys replace` does not change the account)
 * belongs to it too. A key and its successors share one count.
 */

import type { KeyEntry } from '../key/key-directory.js';
import type { KeyRecord } from '../key/key-record.js';
import { hasGoodKeyStatus } from '../key/key-status.js';
import { AccountError } from './account-error.js';
import type { Account } from './account-record.js';

export interface AddedKey {
  readonly keyId: string;
  /** The key that the added key replaces. */
  readonly followedId?: string | undefined;
}

/** Maximum number of keys that an account names: one write can revoke all of them. */
export const KEYS_KEPT = 50;

/** Whether the key is a publishable one, or a secret one. */
export function isAccountKeyOfKind({ restrictions }: KeyRecord, isPublishable: boolean): boolean {
  return (restrictions !== undefined) === isPublishable;
}

/** How many good keys of a kind there are. */
export function countGoodAccountKeys(entries: readonly KeyEntry[], isPublishable: boolean, nowMs: number): number {
  return entries.filter(({ record }) => isAccountKeyOfKind(record, isPublishable) && hasGoodKeyStatus(record, nowMs))
    .length;
}

/** Whether no other key has replaced the key. */
export function isLastAccountKey({ replacedBy }: KeyRecord): boolean {
  return replacedBy === null;
}

/** The keys with these ids and their successors, the newest first. `find` gets several ids at a time. */
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
  // Keys created at the same millisecond stay in the order of the account.
  return entries.reverse().sort(({ record: one }, { record: other }) => compare(other.created, one.created));
}

/** The keys that this key replaced, directly or through another key, and that are still good in their grace. */
export function findOverlappingAccountKeys(keyId: string, entries: readonly KeyEntry[], nowMs: number): KeyRecord[] {
  const found: KeyRecord[] = [];
  let ids = [keyId];
  while (ids.length > 0) {
    const before = entries.map(({ record }) => record).filter(({ replacedBy }) => ids.includes(replacedBy ?? ''));
    found.push(...before.filter((record) => hasGoodKeyStatus(record, nowMs)));
    ids = before.map(({ id }) => id);
  }
  return found;
}

/** Number of requests of all these keys in a month, given by name. */
export function countAccountKeyRequests(month: string, entries: readonly KeyEntry[]): number {
  const ids = new Set(entries.map(({ record }) => record.id));
  // A key and its successors share one count: only the last of them is added.
  const lasts = entries.filter(({ record: { replacedBy } }) => replacedBy === null || !ids.has(replacedBy));
  return lasts.reduce((sum, { usage }) => sum + (usage.months.get(month) ?? 0), 0);
}

/**
 * The account with one more key. `entries` are its keys, or null if it names fewer than KEYS_KEPT. A full account
 * forgets its oldest key that is not good and has a successor: a forgotten good key would survive a suspension, and the
 * count of a forgotten key without successor would be lost. Throws AccountError KEY_LIMIT if there is no such key.
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
    .filter((record) => !hasGoodKeyStatus(record, nowMs) && (!isLastAccountKey(record) || record.id === followedId))
    .slice(0, excess);
  if (forgotten.length < excess) throw keyLimit(KEYS_KEPT);
  const kept = records.filter((record) => !forgotten.includes(record));
  return { ...account, keyIds: [...kept.map(({ id }) => id), keyId] };
}

export function keyLimit(limit: number, isPublishable = false): AccountError {
  const keys = limit === 1 ? 'one key' : `${limit} keys`;
  return new AccountError('KEY_LIMIT', `This account can have ${keys}${isPublishable ? ' for web pages' : ''}.`);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
