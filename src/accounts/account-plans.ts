/**
 * What becomes of accounts and of their keys, each as one list of changes for one write of the record store: a process
 * that is killed leaves all of it done or nothing, no account without its key, no key without its account.
 */
import { createHmac } from 'node:crypto';
import { createApiKey } from '../keys/api-key.js';
import { monthOf } from '../keys/calendar.js';
import { endGrace, follow, replace, revoke } from '../keys/key-changes.js';
import type { KeyEntry, NewKey } from '../keys/key-directory.js';
import { createKeyRecord, isKeyId, type KeyRecord } from '../keys/key-record.js';
import type { KeyStore } from '../keys/key-store.js';
import { FREE_PLAN } from '../keys/plan.js';
import { sealKey } from '../keys/sealing.js';
import { NO_USAGE } from '../keys/usage.js';
import type { RecordChange } from '../records/record-store.js';
import { ACCOUNT_KIND, type Account, type Act, createAccount, encodeAccount, withEvent } from './account.js';
import type { AccountDirectory, FoundAccount } from './account-directory.js';
import { AccountError } from './account-error.js';
import { type AddedKey, isGood, isLast, KEYS_KEPT, keyLimit, overlapsBefore, withKey } from './account-keys.js';
import { mailboxOf } from './email-address.js';

/** What is to be written, and the account as it is then. */
export interface Plan {
  readonly account: Account;
  readonly changes: readonly RecordChange[];
}

/** Which also makes a key. */
export interface KeyPlan extends Plan {
  readonly keyId: string;
  readonly clearKey: string;
  readonly key: NewKey;
}

/** Which also revokes the keys that are still good. */
export interface RevokingPlan {
  readonly changes: readonly RecordChange[];
  readonly revokedKeyIds: readonly string[];
}

/** What a new key is to be, where that is not what it would be by itself. */
export type WantedKey = Partial<Pick<KeyRecord, 'name' | 'plan' | 'expires'>>;

/**
 * Names, until the month is over, the last keys of an account that was closed: its mailbox can't begin the month anew.
 */
const CLOSED_KIND = 'closed-account';

export class AccountPlans {
  readonly #keys: KeyStore;

  constructor(
    private readonly accounts: AccountDirectory,
    /** Seals keys; null where nobody could show a key again. */
    private readonly secret: string | null,
  ) {
    this.#keys = accounts.keys;
  }

  /** An account of this address with its first key. */
  async planAccount(email: string, nowMs: number): Promise<KeyPlan> {
    const account = withEvent(createAccount(email, nowMs), 'signed up', nowMs);
    const closed = await this.#keys.records.get(CLOSED_KIND, this.#closedId(email));
    const { keyIds } = closed?.value ?? {};
    const named = { ...account, keyIds: Array.isArray(keyIds) ? keyIds.filter(isKeyId) : [] };
    const planned = await this.#planNextKey(named, await this.accounts.keysOf(named), nowMs);
    const { id } = planned.account;
    const create = { kind: ACCOUNT_KIND, id, ...encodeAccount(planned.account) };
    return { ...planned, changes: [{ create }, ...planned.changes] };
  }

  /**
   * One more key, which goes on with the counts and the plan of a key of the account that is no longer good, where
   * there is one. Rejects with AccountError KEY_LIMIT where the account has `limit` good keys, or all that it can name.
   */
  async planKey(found: FoundAccount, limit: number, nowMs: number, wanted: WantedKey = {}): Promise<KeyPlan> {
    const { account } = found;
    const entries = await this.accounts.keysOf(account);
    const goodCount = entries.filter(({ record }) => isGood(record, nowMs)).length;
    if (goodCount >= limit) throw keyLimit(limit);
    const planned = await this.#planNextKey(account, entries, nowMs, wanted);
    return this.#withAct(found, planned, 'key made', nowMs, planned.keyId);
  }

  /**
   * A key in the place of another, which stays good for `graceMs`; where that is 0, so do no keys before it. Rejects
   * with KeyChangeError.
   */
  async planReplacement(found: FoundAccount, keyId: string, graceMs: number, nowMs: number): Promise<KeyPlan> {
    const clearKey = createApiKey();
    const graceUntil = graceMs === 0 ? null : new Date(nowMs + graceMs).toISOString();
    const { successor, changes } = await this.#keys.directory.planReplace(keyId, (record) => {
      const { name, plan, expires } = record;
      const made = sealKey(clearKey, createKeyRecord(name, new Date(nowMs), { plan, expires }), this.secret);
      return { replaced: replace(record, made.record.id, graceUntil, nowMs), successor: made };
    });
    const { id } = successor.record;
    const account = await this.#withKey(found.account, { keyId: id, followedId: keyId }, nowMs);
    const overlaps = graceMs === 0 ? overlapsBefore(keyId, await this.accounts.keysOf(found.account), nowMs) : [];
    const ended = await Promise.all(overlaps.map((record) => this.#keys.directory.planChange(record.id, endGrace)));
    const planned = {
      ...{ account, keyId: id, clearKey, key: successor },
      changes: [...changes, ...ended.map(({ change }) => change)],
    };
    return this.#withAct(found, planned, 'key replaced', nowMs, keyId);
  }

  async planRevocation(found: FoundAccount, keyId: string, nowMs: number): Promise<Plan> {
    const { change } = await this.#keys.directory.planChange(keyId, revoke);
    return this.#withAct(found, { account: found.account, changes: [change] }, 'key revoked', nowMs, keyId);
  }

  /** Its keys are revoked, for good; once it is resumed, another key goes on with their counts. */
  async planSuspension(found: FoundAccount, nowMs: number): Promise<Plan & RevokingPlan> {
    const { changes, revokedKeyIds } = await this.#planRevocations(found.account, nowMs);
    const account: Account = { ...found.account, state: 'suspended' };
    return this.#withAct(found, { account, changes, revokedKeyIds }, 'suspended', nowMs);
  }

  planResumption(found: FoundAccount, nowMs: number): Plan {
    const account: Account = { ...found.account, state: 'active' };
    return this.#withAct(found, { account, changes: [] }, 'resumed', nowMs);
  }

  /** The account and its address are gone, its keys revoked. Rejects with AccountError SECRET_MISSING. */
  async planClosing({ account, stored }: FoundAccount, nowMs: number): Promise<RevokingPlan> {
    const { changes, revokedKeyIds, lastKeyIds } = await this.#planRevocations(account, nowMs);
    const id = this.#closedId(account.email);
    const earlier = await this.#keys.records.get(CLOSED_KIND, id);
    const content = { value: { keyIds: lastKeyIds }, names: [], expiresMs: monthOf(nowMs).endMs };
    const kept: RecordChange =
      earlier === undefined ? { create: { kind: CLOSED_KIND, id, ...content } } : { change: earlier, to: content };
    return { changes: [{ delete: stored }, ...changes, ...(lastKeyIds.length === 0 ? [] : [kept])], revokedKeyIds };
  }

  /** The account as it was found, with another content and an event more. */
  planEvent(found: FoundAccount, act: Act, nowMs: number, keyId: string | null = null): Plan {
    return this.#withAct(found, { account: found.account, changes: [] }, act, nowMs, keyId);
  }

  /** A key that goes on with the counts and the plan of one of `entries` that is no longer good, where there is one. */
  async #planNextKey(
    account: Account,
    entries: readonly KeyEntry[],
    nowMs: number,
    wanted: WantedKey = {},
  ): Promise<KeyPlan> {
    const ended = entries.find(({ record }) => isLast(record) && !isGood(record, nowMs));
    const { name = `key ${entries.length + 1}`, plan = lastingPlanOf(ended?.record), expires = null } = wanted;
    const record = createKeyRecord(name, new Date(nowMs), { plan, expires });
    const clearKey = createApiKey();
    const key = sealKey(clearKey, record, this.secret);
    const keyId = record.id;
    const planned = {
      account: await this.#withKey(account, { keyId, followedId: ended?.record.id }, nowMs),
      keyId,
      clearKey,
      key,
    };
    const { directory } = this.#keys;
    if (ended === undefined) {
      return { ...planned, changes: [await directory.planCreate({ ...key, usage: NO_USAGE })] };
    }
    const { changes } = await directory.planReplace(ended.record.id, (followed) => ({
      replaced: follow(followed, keyId),
      successor: key,
    }));
    return { ...planned, changes };
  }

  /** Rejects with AccountError KEY_LIMIT. */
  async #withKey(account: Account, added: AddedKey, nowMs: number): Promise<Account> {
    const isFull = account.keyIds.length >= KEYS_KEPT;
    return withKey(account, isFull ? await this.accounts.keysOf(account) : null, added, nowMs);
  }

  /** Of all keys that are still good; and which keys no other took the place of. */
  async #planRevocations(
    account: Account,
    nowMs: number,
  ): Promise<RevokingPlan & { readonly lastKeyIds: readonly string[] }> {
    const entries = await this.accounts.keysOf(account);
    const good = entries.filter(({ record }) => isGood(record, nowMs));
    const revokedKeyIds = good.map(({ record }) => record.id);
    const planned = revokedKeyIds.map((id) => this.#keys.directory.planChange(id, revoke));
    const changes = (await Promise.all(planned)).map(({ change }) => change);
    return {
      changes,
      revokedKeyIds,
      lastKeyIds: entries.filter(({ record }) => isLast(record)).map(({ record }) => record.id),
    };
  }

  #withAct<Planned extends Plan>(
    { stored }: FoundAccount,
    planned: Planned,
    act: Act,
    nowMs: number,
    keyId: string | null = null,
  ): Planned {
    const account = withEvent(planned.account, act, nowMs, keyId);
    return { ...planned, account, changes: [{ change: stored, to: encodeAccount(account) }, ...planned.changes] };
  }

  /** Tells nothing of the address to a reader of the store alone. */
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

/** A plan that was given for a time only is not the account's for ever. */
function lastingPlanOf(record: KeyRecord | undefined): string {
  return record === undefined || record.expires !== null ? FREE_PLAN : record.plan;
}
