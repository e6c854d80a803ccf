/**
 * The actions of a signed-in developer on the account and its keys. Each action gets the session's token, finds the
 * account, and checks that the sign-in is recent enough and that the key belongs to the account. An action is one write
 * of the record store, repeated if another tab wrote first. If the store fails, the error is a KeyStoreError, and
 * nothing was written unless its code is KEY_STORE_UNSURE.
 */

import type { KeyStore } from '../decision/key-store.js';
import { createApiKey } from '../key/api-key.js';
import {
  changeKeyRestrictions,
  changeKeyToReplaced,
  changeKeyToRevoked,
  createSuccessor,
  endKeyGrace,
} from '../key/key-changes.js';
import type { KeyEntry } from '../key/key-directory.js';
import { KeyError } from '../key/key-error.js';
import type { KeyRecord } from '../key/key-record.js';
import { createKeySeal, sealKey } from '../key/key-seal.js';
import { hasGoodKeyStatus } from '../key/key-status.js';
import type { Restrictions } from '../key/restrictions.js';
import {
  CHANGED_OR_EXISTS,
  type RecordChange,
  RecordError,
  type StoredRecord,
  untilRecordsUnchanged,
} from '../records/record-store.js';
import {
  AccountActions,
  changeAccount,
  type KeyOptions,
  type MadeKey,
  type NewEvent,
  type PreparedAction,
} from './account-actions.js';
import { AccountDirectory, type FoundAccount } from './account-directory.js';
import { AccountError } from './account-error.js';
import { countGoodAccountKeys, findOverlappingAccountKeys, isAccountKeyOfKind } from './account-keys.js';
import type { Account } from './account-record.js';
import type { AccountSettings } from './account-settings.js';
import { isSameAddress } from './email-address.js';
import { RateLimiter } from './rate-limiter.js';
import { type FoundSession, findSession, isFreshSession, prepareSeen, prepareSignOut } from './sessions.js';
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
  readonly signIns: SignIns;
  readonly #directory: AccountDirectory;
  readonly #actions: AccountActions;
  readonly #limiter: RateLimiter;

  constructor(
    private readonly keys: KeyStore,
    private readonly settings: AccountSettings,
    private readonly clock: () => number = Date.now,
  ) {
    this.#directory = new AccountDirectory(keys);
    this.#actions = new AccountActions(this.#directory, settings.keySecret);
    this.signIns = new SignIns(this.#directory, this.#actions, settings, clock);
    this.#limiter = new RateLimiter(keys.records, settings.keySecret);
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
    return this.#directory.keysOf(account);
  }

  /**
   * The good publishable keys of the account, as far as they can be shown. Web pages have them in clear, so nobody has to
   * sign in again to see one, and showing it is no event.
   */
  async publishableKeysOf(account: Account): Promise<{ readonly name: string; readonly clearKey: string }[]> {
    const nowMs = this.clock();
    const entries = (await this.keysOf(account)).filter(
      ({ record }) => isAccountKeyOfKind(record, true) && hasGoodKeyStatus(record, nowMs),
    );
    return entries.flatMap((entry) => {
      const clearKey = this.#tryOpen(entry);
      return clearKey === undefined ? [] : [{ name: entry.record.name, clearKey }];
    });
  }

  /** Whether an account with these keys may have one more of a kind. */
  mayMakeKey(entries: readonly KeyEntry[], isPublishable: boolean): boolean {
    return countGoodAccountKeys(entries, isPublishable, this.clock()) < this.settings.keysPerAccount;
  }

  /** Rejects with AccountError KEY_LIMIT. */
  makeKey(token: string, options: KeyOptions = {}): Promise<MadeKey> {
    const limit = this.settings.keysPerAccount;
    return this.#act(token, null, (found, nowMs) => this.#actions.makeKey(found, limit, nowMs, options));
  }

  /** The clear key. Rejects with AccountError KEY_SEALED if it can't be shown. */
  revealKey(token: string, keyId: string): Promise<string> {
    return this.#act(token, keyId, async (found, nowMs) => {
      const entry = await this.keys.directory.find(keyId);
      if (entry !== undefined && !hasGoodKeyStatus(entry.record, nowMs)) {
        throw new AccountError('KEY_STATE', 'This key is no longer valid, so it can’t be shown.');
      }
      const clearKey = this.#tryOpen(entry);
      if (clearKey === undefined) {
        throw new AccountError('KEY_SEALED', 'This key can’t be shown again. Replace it for one that can.');
      }
      const { changes } = changeAccount(found, found.account, { act: 'key revealed', nowMs, keyId });
      return { changes, result: clearKey };
    });
  }

  /** Replaces a key, which stays good for `graceMs`; 0 also ends the grace of keys that it had replaced. */
  replaceKey(token: string, oldId: string, graceMs: number): Promise<MadeKey> {
    const { directory } = this.keys;
    return this.#act(token, oldId, async (found, nowMs) => {
      let clearKey = '';
      const graceUntil = graceMs === 0 ? null : new Date(nowMs + graceMs).toISOString();
      const { successor: key, changes } = await directory.prepareReplace(oldId, (record) => {
        clearKey = createApiKey(record.restrictions !== undefined);
        const successor = sealKey(clearKey, createSuccessor(record, new Date(nowMs)), this.settings.keySecret);
        return { replaced: changeKeyToReplaced(record, successor.record.id, graceUntil, nowMs), successor };
      });
      const keyId = key.record.id;
      const account = await this.#actions.addKey(found.account, { keyId, followedId: oldId }, nowMs);
      const overlaps = graceMs === 0 ? findOverlappingAccountKeys(oldId, await this.keysOf(found.account), nowMs) : [];
      const ended = await Promise.all(overlaps.map(({ id }) => directory.prepareChange(id, endKeyGrace)));
      const others = [...changes, ...ended.map(({ change }) => change)];
      return changeAccount(found, account, { act: 'key replaced', nowMs, keyId: oldId }, others, {
        keyId,
        clearKey,
        key,
      });
    });
  }

  /** Changes what a publishable key is bound to. */
  async restrictKey(token: string, keyId: string, restrictions: Restrictions): Promise<void> {
    await this.#act(token, keyId, (found, nowMs) =>
      this.#changeKey(found, keyId, { act: 'key changed', nowMs }, (record) =>
        changeKeyRestrictions(record, restrictions),
      ),
    );
  }

  /** Rejects with AccountError CONFIRMATION_WRONG if `typedName` is not the key's name. */
  async revokeKey(token: string, keyId: string, typedName: string): Promise<void> {
    await this.#act(token, keyId, async (found, nowMs) => {
      const entry = await this.keys.directory.find(keyId);
      if (entry?.record.state === 'revoked') throw new AccountError('KEY_STATE', 'This key has been revoked already.');
      if (entry?.record.name !== typedName.trim()) {
        throw new AccountError('CONFIRMATION_WRONG', 'That is not the name of this key; nothing was revoked.');
      }
      return await this.#changeKey(found, keyId, { act: 'key revoked', nowMs }, changeKeyToRevoked);
    });
  }

  /** Ends this session, if it has not ended. */
  async signOut(token: string): Promise<void> {
    const ended = await prepareSignOut(this.keys.records, token);
    if (ended !== undefined) await this.keys.records.write([ended]).catch(ignoreChanged);
  }

  /** Ends every session of the account. */
  async signOutEverywhere(token: string): Promise<void> {
    await this.#write(token, deleting, async ({ account, found }, nowMs) => {
      const ended = { ...account, sessionGeneration: account.sessionGeneration + 1 };
      return changeAccount(found, ended, { act: 'signed out everywhere', nowMs });
    });
  }

  /** Revokes the keys, deletes the account and its address. Rejects with AccountError CONFIRMATION_WRONG, SUSPENDED. */
  async close(token: string, typedAddress: string): Promise<Account> {
    const { account } = await this.#write(token, deleting, async (user, nowMs) => {
      // Else a suspended developer could close the account and sign up again.
      requireActive(user.account);
      requireFresh(user);
      if (!isSameAddress(typedAddress, user.account.email)) {
        throw new AccountError('CONFIRMATION_WRONG', 'That is not the address of this account; nothing was closed.');
      }
      return await this.#actions.close(user.found, nowMs);
    });
    return account;
  }

  async #find(token: string): Promise<FoundUser | undefined> {
    const nowMs = this.clock();
    const session = await findSession(this.keys.records, token, nowMs);
    const found = session && (await this.#directory.find(session.session.accountId));
    if (session === undefined || found?.account.sessionGeneration !== session.session.generation) return undefined;
    return { account: found.account, isFresh: isFreshSession(session.session, nowMs), found, session };
  }

  async #changeKey(found: FoundAccount, keyId: string, event: NewEvent, change: (record: KeyRecord) => KeyRecord) {
    const planned = await this.keys.directory.prepareChange(keyId, change);
    return changeAccount(found, found.account, { ...event, keyId }, [planned.change]);
  }

  /** An action on one key, or on the account's keys. */
  #act<Result>(
    token: string,
    keyId: string | null,
    prepare: (found: FoundAccount, nowMs: number) => Promise<PreparedAction<Result>>,
  ): Promise<Result> {
    let isCounted = false;
    return this.#write(token, requiring, async (user, nowMs) => {
      const { account, found } = user;
      if (keyId !== null && !(await this.#directory.hasKey(account, keyId))) {
        throw new AccountError('KEY_UNKNOWN', 'This account does not have that key.');
      }
      requireActive(account);
      requireFresh(user);
      if (!isCounted) await this.#limiter.consume('act', account.id, nowMs);
      isCounted = true;
      return await prepare(found, nowMs).catch(asKeyState);
    });
  }

  /** Writes an action of the user, repeatedly if the session or the account was changed meanwhile. */
  #write<Result>(
    token: string,
    changeSession: (stored: StoredRecord) => RecordChange,
    prepare: (user: FoundUser, nowMs: number) => Promise<PreparedAction<Result>>,
  ): Promise<Result> {
    return untilRecordsUnchanged(async () => {
      const user = await this.#find(token);
      if (user === undefined) throw new AccountError('SIGNED_OUT', 'You are signed out.');
      const { changes, result } = await prepare(user, this.clock());
      await this.keys.records.write([...changes, changeSession(user.session.stored)]);
      return result;
    }, CHANGED_OR_EXISTS);
  }

  /** Undefined for a key that was made without KEY_SECRET, or with another. */
  #tryOpen(entry: KeyEntry | undefined): string | undefined {
    if (!entry?.sealed) return undefined;
    try {
      return createKeySeal(this.settings.keySecret).open(entry.sealed, entry.record.id);
    } catch (error) {
      if (!(error instanceof KeyError)) throw error;
      return undefined;
    }
  }
}

function requiring(session: StoredRecord): RecordChange {
  return { require: session };
}

function deleting(session: StoredRecord): RecordChange {
  return { delete: session };
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
