/**
 * Prepares the updates of accounts and their keys. Each update is one list of changes for one write of the record store:
 * a process that is killed leaves the whole update written or nothing, no account without its key, no key without its
 * account.
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

export interface AccountUpdate {
  /** The account after the update. */
  readonly account: Account;
  readonly changes: readonly RecordChange[];
}

/** An update that creates a key. */
export interface KeyCreation extends AccountUpdate {
  readonly keyId: string;
  readonly clearKey: string;
  readonly key: NewKey;
}

/** Revokes all good keys of an account. */
export interface KeyRevocation {
  readonly changes: readonly RecordChange[];
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

export class AccountUpdates {
  readonly #keys: KeyStore;

  constructor(
    private readonly accounts: AccountDirectory,
    /** KEY_SECRET, which seals keys; null: keys are not sealed. */
    private readonly secret: string | null,
  ) {
    this.#keys = accounts.keys;
  }

  /** A new account of this address, with its first key. */
  async prepareSignUp(email: string, nowMs: number): Promise<KeyCreation> {
    const account = withEvent(createAccount(email, nowMs), 'signed up', nowMs);
    const closed = await this.#keys.records.get(CLOSED_KIND, this.#closedId(email));
    const { keyIds } = closed?.value ?? {};
    const named = { ...account, keyIds: Array.isArray(keyIds) ? keyIds.filter(isKeyId) : [] };
    const update = await this.#prepareNextKey(named, await this.accounts.keysOf(named), nowMs);
    const { id } = update.account;
    const create = { kind: ACCOUNT_KIND, id, ...encodeAccount(update.account) };
    return { ...update, changes: [{ create }, ...update.changes] };
  }

  /**
   * Adds a key. The new key continues the counts and the plan of a key of its kind, secret or publishable, that is no
   * longer good, if the account has one. Rejects with AccountError KEY_LIMIT if the account has `limit` good keys of that
   * kind, or KEYS_KEPT keys that it can't forget.
   */
  async prepareNewKey(
    found: FoundAccount,
    limit: number,
    nowMs: number,
    options: KeyOptions = {},
  ): Promise<KeyCreation> {
    const { account } = found;
    const entries = await this.accounts.keysOf(account);
    const isPublishable = options.restrictions !== undefined;
    if (countGood(entries, isPublishable, nowMs) >= limit) throw keyLimit(limit, isPublishable);
    const update = await this.#prepareNextKey(account, entries, nowMs, options);
    return this.#withEvent(found, update, 'key made', nowMs, update.keyId);
  }

  /**
   * Replaces a key, which stays good for `graceMs`; 0 also ends the grace of keys that it had replaced. Rejects with
   * KeyError KEY_INACTIVE.
   */
  async prepareReplacement(found: FoundAccount, keyId: string, graceMs: number, nowMs: number): Promise<KeyCreation> {
    let clearKey = '';
    const graceUntil = graceMs === 0 ? null : new Date(nowMs + graceMs).toISOString();
    const { successor, changes } = await this.#keys.directory.prepareReplace(keyId, (record) => {
      clearKey = createApiKey(record.restrictions !== undefined);
      const made = sealKey(clearKey, createSuccessor(record, new Date(nowMs)), this.secret);
      return { replaced: replace(record, made.record.id, graceUntil, nowMs), successor: made };
    });
    const { id } = successor.record;
    const account = await this.#withKey(found.account, { keyId: id, followedId: keyId }, nowMs);
    const overlaps = graceMs === 0 ? overlapsBefore(keyId, await this.accounts.keysOf(found.account), nowMs) : [];
    const ended = await Promise.all(overlaps.map((record) => this.#keys.directory.prepareChange(record.id, endGrace)));
    const update = {
      ...{ account, keyId: id, clearKey, key: successor },
      changes: [...changes, ...ended.map(({ change }) => change)],
    };
    return this.#withEvent(found, update, 'key replaced', nowMs, keyId);
  }

  /** Rejects with KeyError KEY_INACTIVE, and KEY_SECRET for a secret key. */
  async prepareRestriction(
    found: FoundAccount,
    keyId: string,
    restrictions: Restrictions,
    nowMs: number,
  ): Promise<AccountUpdate> {
    const { change } = await this.#keys.directory.prepareChange(keyId, (record) => restrict(record, restrictions));
    return this.#withEvent(found, { account: found.account, changes: [change] }, 'key changed', nowMs, keyId);
  }

  async prepareRevocation(found: FoundAccount, keyId: string, nowMs: number): Promise<AccountUpdate> {
    const { change } = await this.#keys.directory.prepareChange(keyId, revoke);
    return this.#withEvent(found, { account: found.account, changes: [change] }, 'key revoked', nowMs, keyId);
  }

  /** Revokes the keys for good; after a resumption a new key continues their counts. */
  async prepareSuspension(found: FoundAccount, nowMs: number): Promise<AccountUpdate & KeyRevocation> {
    const { changes, revokedKeyIds } = await this.#prepareRevocations(found.account, nowMs);
    const account: Account = { ...found.account, state: 'suspended' };
    return this.#withEvent(found, { account, changes, revokedKeyIds }, 'suspended', nowMs);
  }

  prepareResumption(found: FoundAccount, nowMs: number): AccountUpdate {
    const account: Account = { ...found.account, state: 'active' };
    return this.#withEvent(found, { account, changes: [] }, 'resumed', nowMs);
  }

  /** Deletes the account and its address, and revokes its keys. Rejects with AccountError SECRET_MISSING. */
  async prepareClosing({ account, stored }: FoundAccount, nowMs: number): Promise<KeyRevocation> {
    const { changes, revokedKeyIds, lastKeyIds } = await this.#prepareRevocations(account, nowMs);
    const id = this.#closedId(account.email);
    const earlier = await this.#keys.records.get(CLOSED_KIND, id);
    const content = { value: { keyIds: lastKeyIds }, names: [], expiresMs: monthOf(nowMs).endMs };
    const remember: RecordChange =
      earlier === undefined ? { create: { kind: CLOSED_KIND, id, ...content } } : { change: earlier, to: content };
    return { changes: [{ delete: stored }, ...changes, ...(lastKeyIds.length === 0 ? [] : [remember])], revokedKeyIds };
  }

  /** Adds an event to the account. */
  prepareEvent(found: FoundAccount, act: Act, nowMs: number, keyId: string | null = null): AccountUpdate {
    return this.#withEvent(found, { account: found.account, changes: [] }, act, nowMs, keyId);
  }

  /** Adds a key, which continues the counts and the plan of an entry of its kind that is no longer good, if there is one. */
  async #prepareNextKey(
    account: Account,
    entries: readonly KeyEntry[],
    nowMs: number,
    options: KeyOptions = {},
  ): Promise<KeyCreation> {
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
    const update = {
      account: await this.#withKey(account, { keyId, followedId: ended?.record.id }, nowMs),
      keyId,
      clearKey,
      key,
    };
    const { directory } = this.#keys;
    if (ended === undefined) {
      return { ...update, changes: [await directory.prepareCreate({ ...key, usage: NO_USAGE })] };
    }
    const { changes } = await directory.prepareReplace(ended.record.id, (followed) => ({
      replaced: follow(followed, keyId),
      successor: key,
    }));
    return { ...update, changes };
  }

  /** Rejects with AccountError KEY_LIMIT. */
  async #withKey(account: Account, added: AddedKey, nowMs: number): Promise<Account> {
    const isFull = account.keyIds.length >= KEYS_KEPT;
    return withKey(account, isFull ? await this.accounts.keysOf(account) : null, added, nowMs);
  }

  /** `lastKeyIds` are the keys that no other key has replaced. */
  async #prepareRevocations(
    account: Account,
    nowMs: number,
  ): Promise<KeyRevocation & { readonly lastKeyIds: readonly string[] }> {
    const entries = await this.accounts.keysOf(account);
    const good = entries.filter(({ record }) => isGood(record, nowMs));
    const revokedKeyIds = good.map(({ record }) => record.id);
    const update = revokedKeyIds.map((id) => this.#keys.directory.prepareChange(id, revoke));
    const changes = (await Promise.all(update)).map(({ change }) => change);
    return {
      changes,
      revokedKeyIds,
      lastKeyIds: entries.filter(({ record }) => isLast(record)).map(({ record }) => record.id),
    };
  }

  #withEvent<Update extends AccountUpdate>(
    { stored }: FoundAccount,
    update: Update,
    act: Act,
    nowMs: number,
    keyId: string | null = null,
  ): Update {
    const account = withEvent(update.account, act, nowMs, keyId);
    return { ...update, account, changes: [{ change: stored, to: encodeAccount(account) }, ...update.changes] };
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

/** A key that expires was on its plan for a limited time only, so its successor starts on the free plan. */
function lastingPlanOf(record: KeyRecord | undefined): string {
  return record === undefined || record.expires !== null ? FREE_PLAN : record.plan;
}
