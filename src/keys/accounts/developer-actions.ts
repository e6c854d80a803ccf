/**
 * The actions of a signed-in developer on the account and its keys. Each action gets the session's token, finds the
 * account, and checks that the sign-in is recent enough and that the key belongs to the account. An action is one write
 * of the record store, repeated if another tab wrote first. If the store fails, the error is a KeyStoreError, and
 * nothing was written unless its code is KEY_STORE_UNSURE.
 */

import type { KeyStore } from '../decision/key-store.js';
import type { KeyEntry } from '../key/key-directory.js';
import { KeyError } from '../key/key-error.js';
import { createKeySeal } from '../key/key-seal.js';
import { isGood } from '../key/key-status.js';
import type { Restrictions } from '../key/restrictions.js';
import { CHANGED_OR_EXISTS, RecordError, untilUnchanged } from '../records/record-store.js';
import { type AccountUpdate, AccountUpdates, type KeyOptions } from './account-actions.js';
import { AccountDirectory, type AccountRules, type FoundAccount } from './account-directory.js';
import { AccountError } from './account-error.js';
import { countGood, isOfKind } from './account-keys.js';
import { type Account, encodeAccount } from './account-record.js';
import { isSameAddress } from './email-address.js';
import { RateLimiter } from './rate-limiter.js';
import { type FoundSession, findSession, isFresh, prepareSeen, prepareSignOut } from './sessions.js';
import { SignIns } from './sign-ins.js';

export interface SignedInUser {
  readonly account: Account;
  /** Whether the sign-in is recent enough to show, replace or revoke a key. */
  readonly isFresh: boolean;
}

interface FoundUser extends SignedInUser {
  readonly found: FoundAccount;
  readonly session: FoundSession;
}

export class DeveloperActions {
  readonly directory: AccountDirectory;
  readonly updates: AccountUpdates;
  readonly signIns: SignIns;
  readonly #limiter: RateLimiter;

  constructor(
    private readonly keys: KeyStore,
    private readonly rules: AccountRules,
    private readonly clock: () => number = Date.now,
  ) {
    this.directory = new AccountDirectory(keys);
    this.updates = new AccountUpdates(this.directory, rules.keySecret);
    this.signIns = new SignIns(this.directory, this.updates, rules, clock);
    this.#limiter = new RateLimiter(keys.records, rules.keySecret);
  }

  /** The user whose session has this token, or undefined. Updates the session's last use about once an hour. */
  async findUser(token: string): Promise<SignedInUser | undefined> {
    const user = await this.#find(token);
    if (user === undefined) return undefined;
    const seen = prepareSeen(user.session, this.clock());
    // Another request of the same session has updated or ended it.
    if (seen !== undefined) await this.keys.records.write([seen]).catch(ignoreChanged);
    return user;
  }

  /** The account's keys, the newest first. */
  keysOf(account: Account): Promise<KeyEntry[]> {
    return this.directory.keysOf(account);
  }

  /** The clear key. Rejects with AccountError KEY_SEALED if it can't be shown. */
  async revealKey(token: string, keyId: string): Promise<string> {
    return await this.#act(token, keyId, async ({ found }, nowMs) => {
      const entry = await this.keys.directory.find(keyId);
      if (entry !== undefined && !isGood(entry.record, nowMs)) {
        throw new AccountError('KEY_STATE', 'This key is no longer valid, so it can’t be shown.');
      }
      const key = this.#open(entry);
      return { ...this.updates.prepareEvent(found, 'key revealed', nowMs, keyId), result: key };
    });
  }

  /**
   * The good publishable keys of the account, as far as they can be shown. Web pages have them in clear, so nobody has to
   * sign in again to see one, and showing it is no event.
   */
  async publishableKeysOf(account: Account): Promise<{ readonly name: string; readonly clearKey: string }[]> {
    const nowMs = this.clock();
    const entries = (await this.keysOf(account)).filter(
      ({ record }) => isOfKind(record, true) && isGood(record, nowMs),
    );
    return entries.flatMap((entry) => {
      const clearKey = this.#tryOpen(entry);
      return clearKey === undefined ? [] : [{ name: entry.record.name, clearKey }];
    });
  }

  /** Replaces a key, which stays good for `graceMs`. */
  async replaceKey(token: string, keyId: string, graceMs: number): Promise<{ keyId: string; clearKey: string }> {
    return await this.#act(token, keyId, async ({ found }, nowMs) => {
      const planned = await this.updates.prepareReplacement(found, keyId, graceMs, nowMs);
      return { ...planned, result: { keyId: planned.keyId, clearKey: planned.clearKey } };
    });
  }

  /** Changes what a publishable key is bound to. */
  async restrictKey(token: string, keyId: string, restrictions: Restrictions): Promise<void> {
    await this.#act(token, keyId, async ({ found }, nowMs) => {
      return { ...(await this.updates.prepareRestriction(found, keyId, restrictions, nowMs)), result: undefined };
    });
  }

  /** Rejects with AccountError CONFIRMATION_WRONG if `typedName` is not the key's name. */
  async revokeKey(token: string, keyId: string, typedName: string): Promise<void> {
    await this.#act(token, keyId, async ({ found }, nowMs) => {
      const entry = await this.keys.directory.find(keyId);
      if (entry?.record.state === 'revoked') throw new AccountError('KEY_STATE', 'This key has been revoked already.');
      if (entry?.record.name !== typedName.trim()) {
        throw new AccountError('CONFIRMATION_WRONG', 'That is not the name of this key; nothing was revoked.');
      }
      return { ...(await this.updates.prepareRevocation(found, keyId, nowMs)), result: undefined };
    });
  }

  /** Whether an account with these keys may have one more of a kind. */
  mayMakeKey(entries: readonly KeyEntry[], isPublishable: boolean): boolean {
    return countGood(entries, isPublishable, this.clock()) < this.rules.keysPerAccount;
  }

  /** Rejects with AccountError KEY_LIMIT. */
  async makeKey(token: string, options: KeyOptions = {}): Promise<{ keyId: string; clearKey: string }> {
    return await this.#act(token, null, async ({ found }, nowMs) => {
      const planned = await this.updates.prepareNewKey(found, this.rules.keysPerAccount, nowMs, options);
      return { ...planned, result: { keyId: planned.keyId, clearKey: planned.clearKey } };
    });
  }

  /** Ends this session, if it has not ended. */
  async signOut(token: string): Promise<void> {
    const ended = await prepareSignOut(this.keys.records, token);
    if (ended !== undefined) await this.keys.records.write([ended]).catch(ignoreChanged);
  }

  /** Ends every session of the account. */
  async signOutEverywhere(token: string): Promise<void> {
    await untilUnchanged(async () => {
      const { found, session } = await this.#require(token);
      const { account } = this.updates.prepareEvent(found, 'signed out everywhere', this.clock());
      const ended = { ...account, sessionGeneration: account.sessionGeneration + 1 };
      await this.keys.records.write([{ change: found.stored, to: encodeAccount(ended) }, { delete: session.stored }]);
    });
  }

  /** Revokes the keys, deletes the account and its address. Rejects with AccountError CONFIRMATION_WRONG, SUSPENDED. */
  async close(token: string, typedAddress: string): Promise<Account> {
    return await untilUnchanged(async () => {
      const user = await this.#require(token);
      // Else a suspended developer could close the account and sign up again.
      requireActive(user.account);
      requireFresh(user);
      if (!isSameAddress(typedAddress, user.account.email)) {
        throw new AccountError('CONFIRMATION_WRONG', 'That is not the address of this account; nothing was closed.');
      }
      const { changes } = await this.updates.prepareClosing(user.found, this.clock());
      await this.keys.records.write([...changes, { delete: user.session.stored }]);
      return user.account;
    }, CHANGED_OR_EXISTS);
  }

  async #find(token: string): Promise<FoundUser | undefined> {
    const nowMs = this.clock();
    const session = await findSession(this.keys.records, token, nowMs);
    const found = session && (await this.directory.find(session.session.accountId));
    if (session === undefined || found?.account.sessionGeneration !== session.session.generation) return undefined;
    return { account: found.account, isFresh: isFresh(session.session, nowMs), found, session };
  }

  async #require(token: string): Promise<FoundUser> {
    const user = await this.#find(token);
    if (user === undefined) throw new AccountError('SIGNED_OUT', 'You are signed out.');
    return user;
  }

  /** An action on one key, or on the account's keys. The write fails if the session or the account was changed. */
  #act<Result>(
    token: string,
    keyId: string | null,
    prepare: (user: FoundUser, nowMs: number) => Promise<AccountUpdate & { readonly result: Result }>,
  ): Promise<Result> {
    let isCounted = false;
    return untilUnchanged(async () => {
      const user = await this.#require(token);
      const { account } = user;
      if (keyId !== null && !(await this.directory.hasKey(account, keyId))) {
        throw new AccountError('KEY_UNKNOWN', 'This account does not have that key.');
      }
      requireActive(account);
      requireFresh(user);
      if (!isCounted) await this.#limiter.consume('act', account.id, this.clock());
      isCounted = true;
      const { changes, result } = await prepare(user, this.clock()).catch(asKeyState);
      await this.keys.records.write([...changes, { require: user.session.stored }]);
      return result;
    });
  }

  #open(entry: KeyEntry | undefined): string {
    const clearKey = this.#tryOpen(entry);
    if (clearKey !== undefined) return clearKey;
    throw new AccountError('KEY_SEALED', 'This key can’t be shown again. Replace it for one that can.');
  }

  /** Undefined for a key that was made without KEY_SECRET, or with another. */
  #tryOpen(entry: KeyEntry | undefined): string | undefined {
    if (!entry?.sealed) return undefined;
    try {
      return createKeySeal(this.rules.keySecret).open(entry.sealed, entry.record.id);
    } catch (error) {
      if (!(error instanceof KeyError)) throw error;
      return undefined;
    }
  }
}

function requireActive({ state }: Account): void {
  if (state === 'suspended') throw new AccountError('SUSPENDED', 'This account is suspended.');
}

function requireFresh({ isFresh }: SignedInUser): void {
  if (!isFresh) throw new AccountError('SIGN_IN_STALE', 'Sign in again to do this: a sign-in counts for ten minutes.');
}

function asKeyState(error: unknown): never {
  if (error instanceof KeyError && error.code === 'KEY_INACTIVE')
    throw new AccountError('KEY_STATE', 'This key is no longer active.');
  if (error instanceof KeyError && error.code === 'KEY_SECRET')
    throw new AccountError('KEY_STATE', 'This key is a secret key, which has no origins.');
  throw error;
}

function ignoreChanged(error: unknown): void {
  if (!(error instanceof RecordError && error.code === 'RECORD_CHANGED')) throw error;
}
