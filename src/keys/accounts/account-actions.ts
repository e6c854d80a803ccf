/**
 * What an action does to an account and its keys. Each action is prepared as one list of changes for one write of the
 * record store: a process that is killed leaves the whole action written or nothing, no account without its key, no key
 * without its account. Whether somebody may act is decided in developer-actions.ts, operator-actions.ts and sign-ins.ts,
 * which also write the changes.
 */

import { createHmac } from 'node:crypto';
import type { KeyStore } from '../decision/key-store.js';
import { createApiKey } from '../key/api-key.js';
import { monthOf } from '../key/calendar.js';
import { createSuccessor, endGrace, follow, replace, restrict, revoke } from '../key/key-changes.js';
import type { KeyEntry } from '../key/key-directory.js';
import { createKeyRecord, isKeyId, type KeyRecord, type NewKeyFields } from '../key/key-record.js';
import { type NewKey, sealKey } from '../key/key-seal.js';
import { isGood } from '../key/key-status.js';
import { FREE_PLAN } from '../key/plan.js';
import type { Restrictions } from '../key/restrictions.js';
import { NO_USAGE } from '../key/usage-counts.js';
import type { RecordChange } from '../records/record-store.js';
import type { AccountDirectory, FoundAccount } from './account-directory.js';
import { AccountError } from './account-error.js';
import {
  type AddedKey,
  countGood,
  isLast,
  isOfKind,
  KEYS_KEPT,
  keyLimit,
  overlapsBefore,
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
  async signUp(email: string, nowMs: number): Promise<PreparedAction<Account>> {
    const account = withEvent(createAccount(email, nowMs), 'signed up', nowMs);
    const closed = await this.#keys.records.get(CLOSED_KIND, this.#closedId(email));
    const { keyIds } = closed?.value ?? {};
    const named = { ...account, keyIds: Array.isArray(keyIds) ? keyIds.filter(isKeyId) : [] };
    const made = await this.#nextKey(named, await this.accounts.keysOf(named), nowMs);
    const result = made.result.account;
    const create = { kind: ACCOUNT_KIND, id: result.id, ...encodeAccount(result) };
    return { result, changes: [{ create }, ...made.changes] };
  }

  /**
   * Adds a key. The new key continues the counts and the plan of a key of its kind, secret or publishable, that is no
   * longer good, if the account has one. Rejects with AccountError KEY_LIMIT if the account has `limit` good keys of that
   * kind, or KEYS_KEPT keys that it can't forget.
   */
  async makeKey(found: FoundAccount, limit: number, nowMs: number, options: KeyOptions = {}) {
    const entries = await this.accounts.keysOf(found.account);
    const isPublishable = options.restrictions !== undefined;
    if (countGood(entries, isPublishable, nowMs) >= limit) throw keyLimit(limit, isPublishable);
    const made = await this.#nextKey(found.account, entries, nowMs, options);
    return withKeyEvent(found, made, 'key made', nowMs, made.result.keyId);
  }

  /**
   * Replaces a key, which stays good for `graceMs`; 0 also ends the grace of keys that it had replaced. Rejects with
   * KeyError KEY_INACTIVE.
   */
  async replaceKey(found: FoundAccount, keyId: string, graceMs: number, nowMs: number) {
    let clearKey = '';
    const graceUntil = graceMs === 0 ? null : new Date(nowMs + graceMs).toISOString();
    const { successor: key, changes } = await this.#keys.directory.prepareReplace(keyId, (record) => {
      clearKey = createApiKey(record.restrictions !== undefined);
      const made = sealKey(clearKey, createSuccessor(record, new Date(nowMs)), this.secret);
      return { replaced: replace(record, made.record.id, graceUntil, nowMs), successor: made };
    });
    const { id } = key.record;
    const account = await this.#withKey(found.account, { keyId: id, followedId: keyId }, nowMs);
    const overlaps = graceMs === 0 ? overlapsBefore(keyId, await this.accounts.keysOf(found.account), nowMs) : [];
    const ended = await Promise.all(overlaps.map((record) => this.#keys.directory.prepareChange(record.id, endGrace)));
    const made = {
      result: { account, keyId: id, clearKey, key },
      changes: [...changes, ...ended.map(({ change }) => change)],
    };
    return withKeyEvent(found, made, 'key replaced', nowMs, keyId);
  }

  /** Rejects with KeyError KEY_INACTIVE, and KEY_SECRET for a secret key. */
  restrictKey(found: FoundAccount, keyId: string, restrictions: Restrictions, nowMs: number) {
    return this.#changeKey(found, keyId, 'key changed', nowMs, (record) => restrict(record, restrictions));
  }

  revokeKey(found: FoundAccount, keyId: string, nowMs: number) {
    return this.#changeKey(found, keyId, 'key revoked', nowMs, revoke);
  }

  /** Revokes the keys for good; after the account is resumed, a new key continues their counts. */
  async suspend(found: FoundAccount, nowMs: number): Promise<PreparedAction<AccountFate>> {
    if (found.account.state === 'suspended') return unchanged(found);
    const { changes, revokedKeyIds } = await this.#revokeAll(found.account, nowMs);
    return withState(found, 'suspended', 'suspended', nowMs, changes, revokedKeyIds);
  }

  async resume(found: FoundAccount, nowMs: number): Promise<PreparedAction<AccountFate>> {
    return found.account.state === 'active' ? unchanged(found) : withState(found, 'active', 'resumed', nowMs);
  }

  /** Deletes the account and its address, and revokes its keys. Rejects with AccountError SECRET_MISSING. */
  async close({ account, stored }: FoundAccount, nowMs: number): Promise<PreparedAction<AccountFate>> {
    const { changes, revokedKeyIds, lastKeyIds } = await this.#revokeAll(account, nowMs);
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

  async #changeKey(
    found: FoundAccount,
    keyId: string,
    act: Act,
    nowMs: number,
    change: (record: KeyRecord) => KeyRecord,
  ): Promise<PreparedAction<Account>> {
    const planned = await this.#keys.directory.prepareChange(keyId, change);
    return changeAccount(found, found.account, act, nowMs, keyId, [planned.change]);
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
      ({ record }) => isOfKind(record, isPublishable) && isLast(record) && !isGood(record, nowMs),
    );
    const { name = `key ${entries.length + 1}`, plan = lastingPlanOf(ended?.record), expires = null } = options;
    const record = createKeyRecord(name, new Date(nowMs), { plan, expires, restrictions });
    const clearKey = createApiKey(isPublishable);
    const key = sealKey(clearKey, record, this.secret);
    const keyId = record.id;
    const next = await this.#withKey(account, { keyId, followedId: ended?.record.id }, nowMs);
    const result = { account: next, keyId, clearKey, key };
    const { directory } = this.#keys;
    if (ended === undefined) {
      return { result, changes: [await directory.prepareCreate({ ...key, usage: NO_USAGE })] };
    }
    const { changes } = await directory.prepareReplace(ended.record.id, (followed) => ({
      replaced: follow(followed, keyId),
      successor: key,
    }));
    return { result, changes };
  }

  /** Rejects with AccountError KEY_LIMIT. */
  async #withKey(account: Account, added: AddedKey, nowMs: number): Promise<Account> {
    const isFull = account.keyIds.length >= KEYS_KEPT;
    return withKey(account, isFull ? await this.accounts.keysOf(account) : null, added, nowMs);
  }

  /** Revokes the good keys of an account. `lastKeyIds` are the keys that no other key has replaced. */
  async #revokeAll(account: Account, nowMs: number) {
    const entries = await this.accounts.keysOf(account);
    const idsOf = (isWanted: (record: KeyRecord) => boolean): string[] =>
      entries.flatMap(({ record }) => (isWanted(record) ? [record.id] : []));
    const revokedKeyIds = idsOf((record) => isGood(record, nowMs));
    const planned = await Promise.all(revokedKeyIds.map((id) => this.#keys.directory.prepareChange(id, revoke)));
    return { changes: planned.map(({ change }) => change), revokedKeyIds, lastKeyIds: idsOf(isLast) };
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

/** Adds an event to an account that was found, beside other changes of it. */
export function changeAccount(
  { stored }: FoundAccount,
  changed: Account,
  act: Act,
  nowMs: number,
  keyId: string | null = null,
  others: readonly RecordChange[] = [],
): PreparedAction<Account> {
  const result = withEvent(changed, act, nowMs, keyId);
  return { result, changes: [{ change: stored, to: encodeAccount(result) }, ...others] };
}

function withKeyEvent(
  found: FoundAccount,
  { result, changes: others }: PreparedAction<MadeKey>,
  act: Act,
  nowMs: number,
  keyId: string,
): PreparedAction<MadeKey> {
  const { result: account, changes } = changeAccount(found, result.account, act, nowMs, keyId, others);
  return { result: { ...result, account }, changes };
}

function withState(
  found: FoundAccount,
  state: Account['state'],
  act: Act,
  nowMs: number,
  others: readonly RecordChange[] = [],
  revokedKeyIds: readonly string[] = [],
): PreparedAction<AccountFate> {
  const { result: account, changes } = changeAccount(found, { ...found.account, state }, act, nowMs, null, others);
  return { changes, result: { account, isChanged: true, revokedKeyIds } };
}

function unchanged({ account }: FoundAccount): PreparedAction<AccountFate> {
  return { changes: [], result: { account, isChanged: false, revokedKeyIds: [] } };
}

/** A key that expires was on its plan for a limited time only, so its successor starts on the free plan. */
function lastingPlanOf(record: KeyRecord | undefined): string {
  return record === undefined || record.expires !== null ? FREE_PLAN : record.plan;
}
