/**
 * The actions on an account that several may take: sign-ins, developers and operators. Each is prepared as one list of
 * changes for one write of the record store: a process that is killed leaves the whole action written or nothing, no
 * account without its key, no key without its account. Whether somebody may act, and all other actions, are in
 * developer-actions.ts, operator-actions.ts and sign-ins.ts, which also write the changes.
 */

import { createHmac } from 'node:crypto';
import type { KeyStore } from '../decision/key-store.js';
import { createApiKey } from '../key/api-key.js';
import { monthOf } from '../key/calendar.js';
import { changeKeyToFollowed, changeKeyToRevoked } from '../key/key-changes.js';
import type { KeyEntry } from '../key/key-directory.js';
import { createKeyRecord, isKeyId, type KeyRecord, type NewKeyFields } from '../key/key-record.js';
import { type NewKey, sealKey } from '../key/key-seal.js';
import { hasGoodKeyStatus } from '../key/key-status.js';
import { FREE_PLAN } from '../key/plan.js';
import { NO_USAGE } from '../key/usage-counts.js';
import type { RecordChange } from '../records/record-store.js';
import type { AccountDirectory, FoundAccount } from './account-directory.js';
import { AccountError } from './account-error.js';
import {
  type AddedKey,
  countGoodAccountKeys,
  isAccountKeyOfKind,
  isLastAccountKey,
  KEYS_KEPT,
  keyLimit,
  withKey,
} from './account-keys.js';
import { ACCOUNT_KIND, type Account, type Act, createAccount, encodeAccount, withEvent } from './account-record.js';
import { mailboxOf } from './email-address.js';

/** An action that is to be written, and what its caller gets then. */
export interface PreparedAction<Result> {
  readonly changes: readonly RecordChange[];
  readonly result: Result;
}

export interface MadeKey {
  readonly account: Account;
  readonly keyId: string;
  readonly clearKey: string;
  readonly key: NewKey;
}

/** What became of an account that was suspended, resumed or closed. */
export interface AccountFate {
  readonly account: Account;
  /** False if the account was in this state before. */
  readonly isChanged: boolean;
  readonly revokedKeyIds: readonly string[];
}

/** Fields of a new key that differ from the defaults. */
export interface KeyOptions extends NewKeyFields {
  readonly name?: string | undefined;
}

/**
 * Records of this kind hold the last keys of closed accounts until the end of the month, so that a mailbox that signs up
 * again continues the month's count.
 */
const CLOSED_KIND = 'closed-account';

export class AccountActions {
  constructor(
    private readonly accounts: AccountDirectory,
    /** KEY_SECRET, which seals keys; null: keys are not sealed. */
    private readonly secret: string | null,
  ) {}

  get #keys(): KeyStore {
    return this.accounts.keys;
  }

  /** Makes an account of this address, with its first key. */
  async signUp(email: string, nowMs: number): Promise<PreparedAction<{ readonly account: Account }>> {
    const account = withEvent(createAccount(email, nowMs), 'signed up', nowMs);
    const closed = await this.#keys.records.get(CLOSED_KIND, this.#closedId(email));
    const { keyIds } = closed?.value ?? {};
    const named = { ...account, keyIds: Array.isArray(keyIds) ? keyIds.filter(isKeyId) : [] };
    const made = await this.#nextKey(named, await this.accounts.keysOf(named), nowMs);
    const created = made.result.account;
    const create = { kind: ACCOUNT_KIND, id: created.id, ...encodeAccount(created) };
    return { result: { account: created }, changes: [{ create }, ...made.changes] };
  }

  /**
   * Adds a key. The new key continues the counts and the plan of a key of its kind, secret or publishable, that is no
   * longer good, if the account has one. Rejects with AccountError KEY_LIMIT if the account has `limit` good keys of that
   * kind, or KEYS_KEPT keys that it can't forget.
   */
  async makeKey(found: FoundAccount, limit: number, nowMs: number, options: KeyOptions = {}) {
    const entries = await this.accounts.keysOf(found.account);
    const isPublishable = options.restrictions !== undefined;
    if (countGoodAccountKeys(entries, isPublishable, nowMs) >= limit) throw keyLimit(limit, isPublishable);
    const { result, changes } = await this.#nextKey(found.account, entries, nowMs, options);
    return changeAccount(found, result.account, { act: 'key made', nowMs, keyId: result.keyId }, changes, result);
  }

  /** Deletes the account and its address, and revokes its keys. Rejects with AccountError SECRET_MISSING. */
  async close({ account, stored }: FoundAccount, nowMs: number): Promise<PreparedAction<AccountFate>> {
    const { changes, revokedKeyIds, lastKeyIds } = await this.revokeAll(account, nowMs);
    const id = this.#closedId(account.email);
    const earlier = await this.#keys.records.get(CLOSED_KIND, id);
    const content = { value: { keyIds: lastKeyIds }, names: [], expiresMs: monthOf(nowMs).endMs };
    const remember: RecordChange =
      earlier === undefined ? { create: { kind: CLOSED_KIND, id, ...content } } : { change: earlier, to: content };
    return {
      changes: [{ delete: stored }, ...changes, ...(lastKeyIds.length === 0 ? [] : [remember])],
      result: { account, isChanged: true, revokedKeyIds },
    };
  }

  /** Adds a key, which continues the counts and the plan of an entry of its kind that is no longer good, if there is one. */
  async #nextKey(
    account: Account,
    entries: readonly KeyEntry[],
    nowMs: number,
    options: KeyOptions = {},
  ): Promise<PreparedAction<MadeKey>> {
    const { restrictions } = options;
    const isPublishable = restrictions !== undefined;
    const ended = entries.find(
      ({ record }) =>
        isAccountKeyOfKind(record, isPublishable) && isLastAccountKey(record) && !hasGoodKeyStatus(record, nowMs),
    );
    const { name = `key ${entries.length + 1}`, plan = lastingPlanOf(ended?.record), expires = null } = options;
    const record = createKeyRecord(name, new Date(nowMs), { plan, expires, restrictions });
    const clearKey = createApiKey(isPublishable);
    const key = sealKey(clearKey, record, this.secret);
    const keyId = record.id;
    const next = await this.addKey(account, { keyId, followedId: ended?.record.id }, nowMs);
    const result = { account: next, keyId, clearKey, key };
    const { directory } = this.#keys;
    if (ended === undefined) {
      return { result, changes: [await directory.prepareCreate({ ...key, usage: NO_USAGE })] };
    }
    const { changes } = await directory.prepareReplace(ended.record.id, (followed) => ({
      replaced: changeKeyToFollowed(followed, keyId),
      successor: key,
    }));
    return { result, changes };
  }

  /** The account with one more key. */
  async addKey(account: Account, added: AddedKey, nowMs: number): Promise<Account> {
    const isFull = account.keyIds.length >= KEYS_KEPT;
    return withKey(account, isFull ? await this.accounts.keysOf(account) : null, added, nowMs);
  }

  /** Revokes the good keys of an account. `lastKeyIds` are the keys that no other key has replaced. */
  async revokeAll(account: Account, nowMs: number) {
    const entries = await this.accounts.keysOf(account);
    const idsOf = (isWanted: (record: KeyRecord) => boolean): string[] =>
      entries.flatMap(({ record }) => (isWanted(record) ? [record.id] : []));
    const revokedKeyIds = idsOf((record) => hasGoodKeyStatus(record, nowMs));
    const planned = await Promise.all(
      revokedKeyIds.map((id) => this.#keys.directory.prepareChange(id, changeKeyToRevoked)),
    );
    return { changes: planned.map(({ change }) => change), revokedKeyIds, lastKeyIds: idsOf(isLastAccountKey) };
  }

  /** A digest under the secret: a reader of the store alone learns nothing about the address. */
  #closedId(email: string): string {
    if (this.secret === null) {
      const why = 'else the address of a closed account could begin the month anew with another account';
      throw new AccountError('SECRET_MISSING', `KEY_SECRET is not set: set it to that of the site, ${why}`);
    }
    return createHmac('sha256', this.secret)
      .update(`closed account ${mailboxOf(email)}`)
      .digest('hex');
  }
}

/** What happened, to be kept among the account's events. */
export interface NewEvent {
  readonly act: Act;
  readonly nowMs: number;
  readonly keyId?: string;
}

/** Changes an account that was found, beside other records, and notes why. `more` is added to the result. */
export function changeAccount<More extends object>(
  { stored }: FoundAccount,
  changed: Account,
  { act, nowMs, keyId }: NewEvent,
  others: readonly RecordChange[] = [],
  more?: More,
): PreparedAction<More & { readonly account: Account }> {
  const account = withEvent(changed, act, nowMs, keyId);
  const result = { ...(more as More), account };
  return { result, changes: [{ change: stored, to: encodeAccount(account) }, ...others] };
}

/** A key that expires was on its plan for a limited time only, so its successor starts on the free plan. */
function lastingPlanOf(record: KeyRecord | undefined): string {
  return record === undefined || record.expires !== null ? FREE_PLAN : record.plan;
}
