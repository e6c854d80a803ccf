/** The directory of accounts: finds them and their keys. No request of the API uses it. */

import { findFault } from '../decision/key-decision.js';
import type { KeyStore } from '../decision/key-store.js';
import type { KeyEntry } from '../key/key-directory.js';
import { byCreatedThenId, type KeyRecord } from '../key/key-record.js';
import type { StoredRecord } from '../records/record-store.js';
import { isDamage, type KeyStoreError } from '../storage/key-store-error.js';
import { ACCOUNT_KIND, type Account, AccountError, decodeAccount, isAccountId, mailboxName } from './account.js';

/*
 * The keys of an account, as pure functions: their list, their usage, and the keys that the account forgets. An account
 * names its keys; a key with which an operator replaced a named key (`keys replace` does not change the account)
 * belongs to it too. A key and its successors share one count.
 */

export interface AddedKey {
  readonly keyId: string;
  /** The key that the added key replaces. */
  readonly followedId?: string | undefined;
}

/** Maximum number of keys that an account names: one write can revoke all of them. */
export const KEYS_KEPT = 50;

export function isGood(record: KeyRecord, nowMs: number): boolean {
  return findFault(record, nowMs) === undefined;
}

/** Whether the key is a publishable one, or a secret one. */
export function isOfKind({ restrictions }: KeyRecord, isPublishable: boolean): boolean {
  return (restrictions !== undefined) === isPublishable;
}

/** How many good keys of a kind there are. */
export function countGood(entries: readonly KeyEntry[], isPublishable: boolean, nowMs: number): number {
  return entries.filter(({ record }) => isOfKind(record, isPublishable) && isGood(record, nowMs)).length;
}

/** Whether no other key has replaced the key. */
export function isLast({ replacedBy }: KeyRecord): boolean {
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

/** Number of requests of all these keys in a month, given by name. */
export function usedIn(month: string, entries: readonly KeyEntry[]): number {
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
    .filter((record) => !isGood(record, nowMs) && (!isLast(record) || record.id === followedId))
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

/** An account and its record. The store refuses a change of the record if another process has changed it since. */
export interface FoundAccount {
  readonly account: Account;
  readonly stored: StoredRecord;
}

type OnDamaged = (error: KeyStoreError) => void;

export class AccountDirectory {
  constructor(readonly keys: KeyStore) {}

  /** Rejects with KeyStoreError. */
  async find(id: string): Promise<FoundAccount | undefined> {
    const stored = isAccountId(id) ? await this.keys.records.get(ACCOUNT_KIND, id) : undefined;
    return stored && this.#decode(stored);
  }

  /**
   * The account of an address's mailbox; `email` must come from parseEmailAddress. The account's own address may be
   * spelled differently. Rejects with KeyStoreError.
   */
  async findByEmail(email: string): Promise<FoundAccount | undefined> {
    const stored = await this.keys.records.findByName(ACCOUNT_KIND, mailboxName(email));
    return stored && this.#decode(stored);
  }

  /**
   * All accounts by creation time, then id. Rejects with KeyStoreError; with `onDamaged`, a damaged account is reported
   * there and left out.
   */
  async list(onDamaged?: OnDamaged): Promise<Account[]> {
    const accounts: Account[] = [];
    for (const stored of await this.keys.records.list(ACCOUNT_KIND, onDamaged)) {
      try {
        accounts.push(this.#decode(stored).account);
      } catch (error) {
        if (onDamaged === undefined || !isDamage(error)) throw error;
        onDamaged(error);
      }
    }
    return accounts.sort(byCreatedThenId);
  }

  /**
   * The account's keys, the newest first: the keys that it names, and the keys with which an operator replaced them.
   * Rejects with KeyStoreError; damaged keys are treated as damaged accounts are in `list`.
   */
  async keysOf({ keyIds }: Account, onDamaged?: OnDamaged): Promise<KeyEntry[]> {
    return keysNamedBy(keyIds, (ids) => Promise.all(ids.map((id) => this.#findKey(id, onDamaged))));
  }

  /** Whether the key is one of the account's. Rejects with KeyStoreError. */
  async hasKey(account: Account, keyId: string): Promise<boolean> {
    // Usually the account names the key, and nothing need be read.
    if (account.keyIds.includes(keyId)) return true;
    return (await this.keysOf(account)).some(({ record }) => record.id === keyId);
  }

  async #findKey(id: string, onDamaged?: OnDamaged): Promise<KeyEntry | undefined> {
    try {
      return await this.keys.directory.find(id);
    } catch (error) {
      if (onDamaged === undefined || !isDamage(error)) throw error;
      onDamaged(error);
      return undefined;
    }
  }

  #decode(stored: StoredRecord): FoundAccount {
    return { account: decodeAccount(stored, this.keys.records.place), stored };
  }
}

/** What an operator decides about accounts. */
export interface AccountRules {
  /** Seals keys, so that they can be shown again. */
  readonly keySecret: string;
  readonly keysPerAccount: number;
  /** Whose addresses may sign up; null for everybody's. */
  readonly domains: readonly string[] | null;
}
