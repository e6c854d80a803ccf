/**
 * The directory of accounts: finds them, and plans what becomes of them and of their keys. Whatever it plans is one list of
 * changes for one write of the record store, so a process that is killed leaves all of it done or nothing: no account
 * without its key, no key without its account. For people; nothing here is asked for a request of the API.
 */
import { createHmac } from 'node:crypto';
import { findFault } from '../keys/admission.js';
import { createApiKey } from '../keys/api-key.js';
import { monthOf } from '../keys/calendar.js';
import { follow, replace, revoke } from '../keys/key-changes.js';
import type { KeyEntry } from '../keys/key-directory.js';
import { createKeyRecord } from '../keys/key-record.js';
import type { KeyStore } from '../keys/key-store.js';
import { sealKey } from '../keys/sealing.js';
import { NO_USAGE } from '../keys/usage.js';
import type { RecordChange, StoredRecord } from '../records/record-store.js';
import type { KeyStoreError } from '../storage/key-store-error.js';
import {
  ACCOUNT_KIND,
  type Account,
  type Act,
  createAccount,
  decodeAccount,
  encodeAccount,
  isAccountId,
  withEvent,
  withKey,
} from './account.js';
import { AccountError } from './account-error.js';

/** An account, and the record that it was read from; a change of that record is refused where it is another by then. */
export interface FoundAccount {
  readonly account: Account;
  readonly stored: StoredRecord;
}

/** What is to be written, and the account as it is then. */
export interface Plan {
  readonly account: Account;
  readonly changes: readonly RecordChange[];
}

/** Which also makes a key. */
export interface KeyPlan extends Plan {
  readonly keyId: string;
  readonly clearKey: string;
}

/** Names, until the month is over, the last key of an account that was closed: its address can't begin the month anew. */
const CLOSED_KIND = 'closed-account';

export class AccountDirectory {
  constructor(
    readonly keys: KeyStore,
    /** Seals keys; null where nobody could show a key again. */
    private readonly secret: string | null,
  ) {}

  /** Rejects with KeyStoreError. */
  async find(id: string): Promise<FoundAccount | undefined> {
    const stored = isAccountId(id) ? await this.keys.records.get(ACCOUNT_KIND, id) : undefined;
    return stored && this.#decode(stored);
  }

  /** The account of an address as parseEmailAddress gives it. Rejects with KeyStoreError. */
  async findByEmail(email: string): Promise<FoundAccount | undefined> {
    const stored = await this.keys.records.findByName(ACCOUNT_KIND, email);
    return stored && this.#decode(stored);
  }

  /** All accounts, oldest first. Rejects with KeyStoreError, or tells `onDamaged` of accounts that are damaged. */
  async list(onDamaged?: (error: KeyStoreError) => void): Promise<Account[]> {
    const records = await this.keys.records.list(ACCOUNT_KIND, onDamaged);
    const accounts = records.map((stored) => this.#decode(stored).account);
    return accounts.sort((one, other) => (one.created < other.created ? -1 : one.created > other.created ? 1 : 0));
  }

  /** The account's keys, the newest first. Rejects with KeyStoreError. */
  async keysOf({ keyIds }: Account): Promise<KeyEntry[]> {
    const entries = await Promise.all(keyIds.toReversed().map((id) => this.keys.directory.find(id)));
    return entries.filter((entry) => entry !== undefined);
  }

  /** An account of this address with its first key. */
  async planAccount(email: string, nowMs: number): Promise<KeyPlan> {
    const account = withEvent(createAccount(email, nowMs), 'signed up', nowMs);
    const closed = await this.keys.records.get(CLOSED_KIND, this.#closedId(email));
    const lastKeyId = typeof closed?.value.keyId === 'string' ? closed.value.keyId : undefined;
    const planned = await this.#planKey(account, 'key 1', lastKeyId, nowMs);
    const { id } = planned.account;
    const create = { kind: ACCOUNT_KIND, id, ...encodeAccount(planned.account) };
    return { ...planned, changes: [{ create }, ...planned.changes] };
  }

  /**
   * One more key, which goes on with the counts of a key of the account that is no longer good, where there is one.
   * Rejects with AccountError KEY_LIMIT where the account has `limit` good keys.
   */
  async planKey(found: FoundAccount, limit: number, nowMs: number): Promise<KeyPlan> {
    const { account } = found;
    const entries = await this.keysOf(account);
    const goodCount = entries.filter(({ record }) => findFault(record, nowMs) === undefined).length;
    if (goodCount >= limit) {
      throw new AccountError('KEY_LIMIT', `This account can have ${limit === 1 ? 'one key' : `${limit} keys`}.`);
    }
    const ended = entries.find(({ record }) => record.replacedBy === null && findFault(record, nowMs) !== undefined);
    const planned = await this.#planKey(account, `key ${entries.length + 1}`, ended?.record.id, nowMs);
    return this.#withAct(found, planned, 'key made', nowMs, planned.keyId);
  }

  /** A key in the place of another, which stays good for `graceMs`. Rejects with KeyChangeError. */
  async planReplacement(found: FoundAccount, keyId: string, graceMs: number, nowMs: number): Promise<KeyPlan> {
    const clearKey = createApiKey();
    const graceUntil = graceMs === 0 ? null : new Date(nowMs + graceMs).toISOString();
    const { successor, changes } = await this.keys.directory.planReplace(keyId, (record) => {
      const { name, plan, expires } = record;
      const made = sealKey(clearKey, createKeyRecord(name, new Date(nowMs), { plan, expires }), this.secret);
      return { replaced: replace(record, made.record.id, graceUntil, nowMs), successor: made };
    });
    const { id } = successor.record;
    const planned = { account: withKey(found.account, id), changes, keyId: id, clearKey };
    return this.#withAct(found, planned, 'key replaced', nowMs, keyId);
  }

  async planRevocation(found: FoundAccount, keyId: string, nowMs: number): Promise<Plan> {
    const { change } = await this.keys.directory.planChange(keyId, revoke);
    return this.#withAct(found, { account: found.account, changes: [change] }, 'key revoked', nowMs, keyId);
  }

  /** Its keys are revoked, for good; once it is resumed, another key goes on with their counts. */
  async planSuspension(found: FoundAccount, nowMs: number): Promise<Plan> {
    const changes = (await this.#planRevocations(found.account, nowMs)).changes;
    const account: Account = { ...found.account, state: 'suspended' };
    return this.#withAct(found, { account, changes }, 'suspended', nowMs);
  }

  planResumption(found: FoundAccount, nowMs: number): Plan {
    const account: Account = { ...found.account, state: 'active' };
    return this.#withAct(found, { account, changes: [] }, 'resumed', nowMs);
  }

  /** The account and its address are gone, its keys revoked. */
  async planClosing({ account, stored }: FoundAccount, nowMs: number): Promise<readonly RecordChange[]> {
    const { changes, lastKeyId } = await this.#planRevocations(account, nowMs);
    const id = this.#closedId(account.email);
    const earlier = await this.keys.records.get(CLOSED_KIND, id);
    const content = { value: { keyId: lastKeyId }, names: [], expiresMs: monthOf(nowMs).endMs };
    const kept: RecordChange =
      earlier === undefined ? { create: { kind: CLOSED_KIND, id, ...content } } : { change: earlier, to: content };
    return [{ delete: stored }, ...changes, ...(lastKeyId === null ? [] : [kept])];
  }

  /** The account as it was found, with another content and an event more. */
  planEvent(found: FoundAccount, act: Act, nowMs: number, keyId: string | null = null): Plan {
    return this.#withAct(found, { account: found.account, changes: [] }, act, nowMs, keyId);
  }

  async #planKey(account: Account, name: string, followed: string | undefined, nowMs: number): Promise<KeyPlan> {
    const clearKey = createApiKey();
    const made = sealKey(clearKey, createKeyRecord(name, new Date(nowMs)), this.secret);
    const keyId = made.record.id;
    const planned = { account: withKey(account, keyId), keyId, clearKey };
    const { directory } = this.keys;
    if (followed === undefined)
      return { ...planned, changes: [await directory.planCreate({ ...made, usage: NO_USAGE })] };
    const { changes } = await directory.planReplace(followed, (record) => ({
      replaced: follow(record, keyId),
      successor: made,
    }));
    return { ...planned, changes };
  }

  /** Of all keys that are still good, and the key that was made last. */
  async #planRevocations(
    account: Account,
    nowMs: number,
  ): Promise<{ readonly changes: readonly RecordChange[]; readonly lastKeyId: string | null }> {
    const entries = await this.keysOf(account);
    const good = entries.filter(({ record }) => findFault(record, nowMs) === undefined);
    const planned = good.map(({ record }) => this.keys.directory.planChange(record.id, revoke));
    const changes = (await Promise.all(planned)).map(({ change }) => change);
    return { changes, lastKeyId: entries[0]?.record.id ?? null };
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

  /** Tells nothing of the address to who has the store alone. */
  #closedId(email: string): string {
    return createHmac('sha256', this.secret ?? '')
      .update(`closed account ${email}`)
      .digest('hex');
  }

  #decode(stored: StoredRecord): FoundAccount {
    return { account: decodeAccount(stored, this.keys.records.place), stored };
  }
}
