/** The directory of accounts: finds them and their keys. No request of the API uses it. */

import type { KeyStore } from '../decision/key-store.js';
import type { KeyEntry } from '../key/key-directory.js';
import { byCreatedThenId } from '../key/key-directory.js';
import type { StoredRecord } from '../records/record-store.js';
import { isKeyStoreDamage, type KeyStoreError } from '../storage/key-store-error.js';
import { keysNamedBy } from './account-keys.js';
import { ACCOUNT_KIND, type Account, accountRecordName, decodeAccount, isAccountId } from './account-record.js';

/** An account and its record. The store refuses a change of the record if another process has changed it since. */
export interface FoundAccount {
  readonly account: Account;
  readonly stored: StoredRecord;
}

type OnDamaged = (error: KeyStoreError) => void;

export class AccountDirectory {
  constructor(readonly keys: KeyStore) {}

  async find(id: string): Promise<FoundAccount | undefined> {
    const stored = isAccountId(id) ? await this.keys.records.get(ACCOUNT_KIND, id) : undefined;
    return stored && this.#decode(stored);
  }

  /**
   * The account of an address's mailbox; `email` must come from parseEmailAddress. The account's own address may be
   * spelled differently. Rejects with KeyStoreError.
   */
  async findByEmail(email: string): Promise<FoundAccount | undefined> {
    const stored = await this.keys.records.findByName(ACCOUNT_KIND, accountRecordName(email));
    return stored && this.#decode(stored);
  }

  /**
   * All accounts by creation time, then id. With `onDamaged`, a damaged account is reported
   * there and left out.
   */
  async list(onDamaged?: OnDamaged): Promise<Account[]> {
    const accounts: Account[] = [];
    for (const stored of await this.keys.records.list(ACCOUNT_KIND, onDamaged)) {
      try {
        accounts.push(this.#decode(stored).account);
      } catch (error) {
        if (onDamaged === undefined || !isKeyStoreDamage(error)) throw error;
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

  /** Whether the key is one of the account's. */
  async hasKey(account: Account, keyId: string): Promise<boolean> {
    // Usually the account names the key, and nothing need be read.
    if (account.keyIds.includes(keyId)) return true;
    return (await this.keysOf(account)).some(({ record }) => record.id === keyId);
  }

  async #findKey(id: string, onDamaged?: OnDamaged): Promise<KeyEntry | undefined> {
    try {
      return await this.keys.directory.find(id);
    } catch (error) {
      if (onDamaged === undefined || !isKeyStoreDamage(error)) throw error;
      onDamaged(error);
      return undefined;
    }
  }

  #decode(stored: StoredRecord): FoundAccount {
    return { account: decodeAccount(stored, this.keys.records.place), stored };
  }
}
