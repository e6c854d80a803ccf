/** The directory of accounts: finds them and their keys. For people; nothing here is asked for a request of the API. */
import type { KeyEntry } from '../keys/key-directory.js';
import { byCreatedThenId } from '../keys/key-record.js';
import type { KeyStore } from '../keys/key-store.js';
import type { StoredRecord } from '../records/record-store.js';
import { isDamage, type KeyStoreError } from '../storage/key-store-error.js';
import { ACCOUNT_KIND, type Account, decodeAccount, isAccountId, mailboxName } from './account.js';
import { keysNamedBy } from './account-keys.js';

/** An account, and the record that it was read from; a change of that record is refused where it is another by then. */
export interface FoundAccount {
  readonly account: Account;
  readonly stored: StoredRecord;
}

type Tell = (error: KeyStoreError) => void;

export class AccountDirectory {
  constructor(readonly keys: KeyStore) {}

  /** Rejects with KeyStoreError. */
  async find(id: string): Promise<FoundAccount | undefined> {
    const stored = isAccountId(id) ? await this.keys.records.get(ACCOUNT_KIND, id) : undefined;
    return stored && this.#decode(stored);
  }

  /**
   * The account of the mailbox to which an address leads, which is as parseEmailAddress gives it. The account's own
   * address may be another spelling. Rejects with KeyStoreError.
   */
  async findByEmail(email: string): Promise<FoundAccount | undefined> {
    const stored = await this.keys.records.findByName(ACCOUNT_KIND, mailboxName(email));
    return stored && this.#decode(stored);
  }

  /**
   * All accounts, oldest first, those of one instant by id. Rejects with KeyStoreError; where `onDamaged` is given, an
   * account whose data are damaged is told to it and left out.
   */
  async list(onDamaged?: Tell): Promise<Account[]> {
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
   * The account's keys, the newest first: those that it names, and those that an operator put in the place of one of
   * them. Rejects with KeyStoreError; damaged keys go the way of damaged accounts.
   */
  async keysOf({ keyIds }: Account, onDamaged?: Tell): Promise<KeyEntry[]> {
    return keysNamedBy(keyIds, (ids) => Promise.all(ids.map((id) => this.#findKey(id, onDamaged))));
  }

  /** Whether the key is one of the account's. Rejects with KeyStoreError. */
  async hasKey(account: Account, keyId: string): Promise<boolean> {
    // Mostly the account names it, and nothing need be read.
    if (account.keyIds.includes(keyId)) return true;
    return (await this.keysOf(account)).some(({ record }) => record.id === keyId);
  }

  async #findKey(id: string, onDamaged?: Tell): Promise<KeyEntry | undefined> {
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
