/**
 * The actions of an operator on an account: suspend it, resume it, close it, and add a key. Each action is one write of
 * the record store, repeated if the developer or another operator wrote first. An action that was already done changes
 * nothing. If the store fails, the error is a KeyStoreError, and nothing was written unless its code is KEY_STORE_UNSURE.
 */

import { CHANGED_OR_EXISTS, untilRecordsUnchanged } from '../records/record-store.js';
import {
  AccountActions,
  type AccountFate,
  changeAccount,
  type KeyOptions,
  type MadeKey,
  type PreparedAction,
} from './account-actions.js';
import type { AccountDirectory, FoundAccount } from './account-directory.js';
import { AccountError, unknownAccountError } from './account-error.js';
import type { Account } from './account-record.js';

/** Every action rejects with AccountError ACCOUNT_UNKNOWN where there is no such account. */
export class OperatorActions {
  readonly #actions: AccountActions;

  constructor(
    private readonly directory: AccountDirectory,
    /** KEY_SECRET; null: not set. */
    secret: string | null,
    private readonly clock: () => number = Date.now,
  ) {
    this.#actions = new AccountActions(directory, secret);
  }

  /** Revokes the account's keys for good; after the account is resumed, a new key continues their counts. */
  suspend(id: string): Promise<AccountFate> {
    return this.#act(id, async (found, nowMs) => {
      if (found.account.state === 'suspended') return unchanged(found);
      const { changes, revokedKeyIds } = await this.#actions.revokeAll(found.account, nowMs);
      const suspended: Account = { ...found.account, state: 'suspended' };
      return changeAccount(found, suspended, { act: 'suspended', nowMs }, changes, { isChanged: true, revokedKeyIds });
    });
  }

  resume(id: string): Promise<AccountFate> {
    return this.#act(id, async (found, nowMs) => {
      if (found.account.state === 'active') return unchanged(found);
      const active: Account = { ...found.account, state: 'active' };
      return changeAccount(found, active, { act: 'resumed', nowMs }, [], { isChanged: true, revokedKeyIds: [] });
    });
  }

  /** Deletes the account and its address and revokes its keys. Rejects with AccountError SECRET_MISSING. */
  close(id: string): Promise<AccountFate> {
    return this.#act(id, (found, nowMs) => this.#actions.close(found, nowMs));
  }

  /**
   * Adds a key, without regard to KEYS_PER_ACCOUNT. Rejects with AccountError SUSPENDED, and KEY_LIMIT if the account has
   * KEYS_KEPT keys that it can't forget.
   */
  makeKey(id: string, options: KeyOptions): Promise<MadeKey> {
    return this.#act(id, async (found, nowMs) => {
      if (found.account.state === 'suspended') {
        throw new AccountError('SUSPENDED', `${id} is suspended: resume it first`);
      }
      return await this.#actions.makeKey(found, Number.POSITIVE_INFINITY, nowMs, options);
    });
  }

  #act<Result>(
    id: string,
    prepare: (found: FoundAccount, nowMs: number) => Promise<PreparedAction<Result>>,
  ): Promise<Result> {
    return untilRecordsUnchanged(async () => {
      const found = await this.directory.find(id);
      if (found === undefined) throw unknownAccountError(id);
      const { changes, result } = await prepare(found, this.clock());
      if (changes.length > 0) await this.directory.keys.records.write(changes);
      return result;
    }, CHANGED_OR_EXISTS);
  }
}

function unchanged({ account }: FoundAccount): PreparedAction<AccountFate> {
  return { changes: [], result: { account, isChanged: false, revokedKeyIds: [] } };
}
