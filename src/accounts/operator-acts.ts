/**
 * What an operator can do with an account: suspend it, resume it, close it, and give it one more key. Each act is one
 * write of the record store, repeated where the developer or another operator was faster, and one that finds its work
 * done changes nothing. Trouble with the store is a KeyStoreError, and nothing was done unless its code is
 * KEY_STORE_UNSURE.
 */
import type { NewKey } from '../keys/key-directory.js';
import { CHANGED_OR_EXISTS, type RecordChange, untilUnchanged } from '../records/record-store.js';
import type { Account } from './account.js';
import type { AccountDirectory, FoundAccount } from './account-directory.js';
import { AccountError } from './account-error.js';
import { AccountPlans, type WantedKey } from './account-plans.js';

/** What became of an account. */
export interface ActOutcome {
  readonly account: Account;
  /** False where the account was as it should be before. */
  readonly isChanged: boolean;
  readonly revokedKeyIds: readonly string[];
}

export interface MadeKey {
  readonly account: Account;
  readonly key: NewKey;
  readonly clearKey: string;
}

export class OperatorActs {
  readonly #plans: AccountPlans;

  constructor(
    private readonly directory: AccountDirectory,
    /** KEY_SECRET; null where there is none. */
    secret: string | null,
    private readonly clock: () => number = Date.now,
  ) {
    this.#plans = new AccountPlans(directory, secret);
  }

  /** Revokes the account's keys, for good. Rejects with AccountError ACCOUNT_UNKNOWN, as all acts do. */
  suspend(id: string): Promise<ActOutcome> {
    return this.#act(id, async (found) => {
      if (found.account.state === 'suspended') return unchanged(found);
      const { account, changes, revokedKeyIds } = await this.#plans.planSuspension(found, this.clock());
      return { changes, outcome: { account, isChanged: true, revokedKeyIds } };
    });
  }

  resume(id: string): Promise<ActOutcome> {
    return this.#act(id, async (found) => {
      if (found.account.state === 'active') return unchanged(found);
      const { account, changes } = this.#plans.planResumption(found, this.clock());
      return { changes, outcome: { account, isChanged: true, revokedKeyIds: [] } };
    });
  }

  /** Deletes the account and its address and revokes its keys. Rejects with AccountError SECRET_MISSING. */
  close(id: string): Promise<ActOutcome> {
    return this.#act(id, async (found) => {
      const { changes, revokedKeyIds } = await this.#plans.planClosing(found, this.clock());
      return { changes, outcome: { account: found.account, isChanged: true, revokedKeyIds } };
    });
  }

  /**
   * Makes one more key, however many the account has. Rejects with AccountError SUSPENDED, and KEY_LIMIT where it has
   * as many good keys as an account can name.
   */
  makeKey(id: string, wanted: WantedKey): Promise<MadeKey> {
    return this.#act(id, async (found) => {
      if (found.account.state === 'suspended') {
        throw new AccountError('SUSPENDED', `${id} is suspended: resume it first`);
      }
      const { account, changes, key, clearKey } = await this.#plans.planKey(
        found,
        Number.POSITIVE_INFINITY,
        this.clock(),
        wanted,
      );
      return { changes, outcome: { account, key, clearKey } };
    });
  }

  #act<Outcome>(id: string, plan: (found: FoundAccount) => Promise<Planned<Outcome>>): Promise<Outcome> {
    return untilUnchanged(async () => {
      const found = await this.directory.find(id);
      if (found === undefined) throw unknownAccount(id);
      const { changes, outcome } = await plan(found);
      if (changes.length > 0) await this.directory.keys.records.write(changes);
      return outcome;
    }, CHANGED_OR_EXISTS);
  }
}

interface Planned<Outcome> {
  readonly changes: readonly RecordChange[];
  readonly outcome: Outcome;
}

export function unknownAccount(id: string): AccountError {
  return new AccountError('ACCOUNT_UNKNOWN', `there is no account "${id}": accounts shows all accounts`);
}

function unchanged({ account }: FoundAccount): Planned<ActOutcome> {
  return { changes: [], outcome: { account, isChanged: false, revokedKeyIds: [] } };
}
