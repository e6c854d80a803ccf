/**
 * The actions of an operator on an account: suspend it, resume it, close it, and add a key. Each action is one write of
 * the record store, repeated if the developer or another operator wrote first. An action that was already done changes
 * nothing. If the store fails, the error is a KeyStoreError, and nothing was written unless its code is KEY_STORE_UNSURE.
 */

import type { NewKey } from '../key/key-seal.js';
import { CHANGED_OR_EXISTS, type RecordChange, untilUnchanged } from '../records/record-store.js';
import { AccountUpdates, type KeyOptions } from './account-actions.js';
import type { AccountDirectory, FoundAccount } from './account-directory.js';
import { AccountError } from './account-error.js';
import type { Account } from './account-record.js';

export interface ActionResult {
  readonly account: Account;
  /** False if the account was in this state before. */
  readonly isChanged: boolean;
  readonly revokedKeyIds: readonly string[];
}

export interface MadeKey {
  readonly account: Account;
  readonly key: NewKey;
  readonly clearKey: string;
}

export class OperatorActions {
  readonly #updates: AccountUpdates;

  constructor(
    private readonly directory: AccountDirectory,
    /** KEY_SECRET; null: not set. */
    secret: string | null,
    private readonly clock: () => number = Date.now,
  ) {
    this.#updates = new AccountUpdates(directory, secret);
  }

  /** Revokes the account's keys for good. Rejects with AccountError ACCOUNT_UNKNOWN, as all actions do. */
  suspend(id: string): Promise<ActionResult> {
    return this.#act(id, async (found) => {
      if (found.account.state === 'suspended') return unchanged(found);
      const { account, changes, revokedKeyIds } = await this.#updates.prepareSuspension(found, this.clock());
      return { changes, outcome: { account, isChanged: true, revokedKeyIds } };
    });
  }

  resume(id: string): Promise<ActionResult> {
    return this.#act(id, async (found) => {
      if (found.account.state === 'active') return unchanged(found);
      const { account, changes } = this.#updates.prepareResumption(found, this.clock());
      return { changes, outcome: { account, isChanged: true, revokedKeyIds: [] } };
    });
  }

  /** Deletes the account and its address and revokes its keys. Rejects with AccountError SECRET_MISSING. */
  close(id: string): Promise<ActionResult> {
    return this.#act(id, async (found) => {
      const { changes, revokedKeyIds } = await this.#updates.prepareClosing(found, this.clock());
      return { changes, outcome: { account: found.account, isChanged: true, revokedKeyIds } };
    });
  }

  /**
   * Adds a key, without regard to KEYS_PER_ACCOUNT. Rejects with AccountError SUSPENDED, and KEY_LIMIT if the account has
   * KEYS_KEPT keys that it can't forget.
   */
  makeKey(id: string, options: KeyOptions): Promise<MadeKey> {
    return this.#act(id, async (found) => {
      if (found.account.state === 'suspended') {
        throw new AccountError('SUSPENDED', `${id} is suspended: resume it first`);
      }
      const { account, changes, key, clearKey } = await this.#updates.prepareNewKey(
        found,
        Number.POSITIVE_INFINITY,
        this.clock(),
        options,
      );
      return { changes, outcome: { account, key, clearKey } };
    });
  }

  #act<Outcome>(id: string, prepare: (found: FoundAccount) => Promise<Prepared<Outcome>>): Promise<Outcome> {
    return untilUnchanged(async () => {
      const found = await this.directory.find(id);
      if (found === undefined) throw unknownAccount(id);
      const { changes, outcome } = await prepare(found);
      if (changes.length > 0) await this.directory.keys.records.write(changes);
      return outcome;
    }, CHANGED_OR_EXISTS);
  }
}

interface Prepared<Outcome> {
  readonly changes: readonly RecordChange[];
  readonly outcome: Outcome;
}

export function unknownAccount(id: string): AccountError {
  return new AccountError('ACCOUNT_UNKNOWN', `there is no account "${id}": keys accounts shows all accounts`);
}

function unchanged({ account }: FoundAccount): Prepared<ActionResult> {
  return { changes: [], outcome: { account, isChanged: false, revokedKeyIds: [] } };
}
