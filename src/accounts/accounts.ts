/**
 * The actions of a developer with a session: to look at the account and to change its keys. Each action names the
 * session's token, from which this file finds the account; it checks that the sign-in is recent enough and that the key
 * belongs to the account. An action is one write of the record store, repeated where another tab wrote first. Where the
 * store fails, the error is a KeyStoreError, and nothing was done unless its code is KEY_STORE_UNSURE.
 */
import { KeyChangeError } from '../keys/key-changes.js';
import type { KeyEntry } from '../keys/key-directory.js';
import type { KeyStore } from '../keys/key-store.js';
import { createKeySeal, SealError } from '../keys/sealing.js';
import { CHANGED_OR_EXISTS, RecordError, untilUnchanged } from '../records/record-store.js';
import { type Account, encodeAccount } from './account.js';
import { AccountDirectory, type FoundAccount } from './account-directory.js';
import { AccountError } from './account-error.js';
import { isGood } from './account-keys.js';
import { AccountPlans, type Plan } from './account-plans.js';
import type { AccountRules } from './account-rules.js';
import { isSameAddress } from './email-address.js';
import { RateLimiter } from './rate-limiter.js';
import { type FoundSession, findSession, isFresh, planSeen, planSignOut } from './sessions.js';
import { SignIns } from './sign-ins.js';

/** Somebody who is signed in. */
export interface Visitor {
  readonly account: Account;
  /** Whether the person proved recently enough who they are for what shows or ends a key. */
  readonly isFresh: boolean;
}

interface FoundVisitor extends Visitor {
  readonly found: FoundAccount;
  readonly session: FoundSession;
}

export class Accounts {
  readonly directory: AccountDirectory;
  readonly plans: AccountPlans;
  readonly signIns: SignIns;
  readonly #limiter: RateLimiter;

  constructor(
    private readonly keys: KeyStore,
    private readonly rules: AccountRules,
    private readonly clock: () => number = Date.now,
  ) {
    this.directory = new AccountDirectory(keys);
    this.plans = new AccountPlans(this.directory, rules.keySecret);
    this.signIns = new SignIns(this.directory, this.plans, rules, clock);
    this.#limiter = new RateLimiter(keys.records, rules.keySecret);
  }

  /** The account and session of this token, or undefined; notes now and then that the session was used. */
  async visitor(token: string): Promise<Visitor | undefined> {
    const visitor = await this.#find(token);
    if (visitor === undefined) return undefined;
    const seen = planSeen(visitor.session, this.clock());
    // Another page of the same session has noted it, or ended it.
    if (seen !== undefined) await this.keys.records.write([seen]).catch(ignoreChanged);
    return visitor;
  }

  /** The account's keys, the newest first. */
  keysOf(account: Account): Promise<KeyEntry[]> {
    return this.directory.keysOf(account);
  }

  /** The clear key. Rejects with AccountError KEY_SEALED where it can't be shown. */
  async revealKey(token: string, keyId: string): Promise<string> {
    return await this.#act(token, keyId, async ({ found }, nowMs) => {
      const entry = await this.keys.directory.find(keyId);
      if (entry !== undefined && !isGood(entry.record, nowMs)) {
        throw new AccountError('KEY_STATE', 'This key is no longer valid, so it can’t be shown.');
      }
      const key = this.#open(entry);
      return { ...this.plans.planEvent(found, 'key revealed', nowMs, keyId), result: key };
    });
  }

  /** The clear key that takes the place of this one, which stays good for `graceMs`. */
  async replaceKey(token: string, keyId: string, graceMs: number): Promise<{ keyId: string; clearKey: string }> {
    return await this.#act(token, keyId, async ({ found }, nowMs) => {
      const planned = await this.plans.planReplacement(found, keyId, graceMs, nowMs);
      return { ...planned, result: { keyId: planned.keyId, clearKey: planned.clearKey } };
    });
  }

  /** Rejects with AccountError CONFIRMATION_WRONG where `typedName` is not the key's name. */
  async revokeKey(token: string, keyId: string, typedName: string): Promise<void> {
    await this.#act(token, keyId, async ({ found }, nowMs) => {
      const entry = await this.keys.directory.find(keyId);
      if (entry?.record.state === 'revoked') throw new AccountError('KEY_STATE', 'This key has been revoked already.');
      if (entry?.record.name !== typedName.trim()) {
        throw new AccountError('CONFIRMATION_WRONG', 'That is not the name of this key; nothing was revoked.');
      }
      return { ...(await this.plans.planRevocation(found, keyId, nowMs)), result: undefined };
    });
  }

  /** Whether an account with these keys may have one more. */
  mayMakeKey(entries: readonly KeyEntry[]): boolean {
    const nowMs = this.clock();
    return entries.filter(({ record }) => isGood(record, nowMs)).length < this.rules.keysPerAccount;
  }

  /** Rejects with AccountError KEY_LIMIT. */
  async makeKey(token: string): Promise<{ keyId: string; clearKey: string }> {
    return await this.#act(token, null, async ({ found }, nowMs) => {
      const planned = await this.plans.planKey(found, this.rules.keysPerAccount, nowMs);
      return { ...planned, result: { keyId: planned.keyId, clearKey: planned.clearKey } };
    });
  }

  /** Ends this session; a session that is over already is as good. */
  async signOut(token: string): Promise<void> {
    const ended = await planSignOut(this.keys.records, token);
    if (ended !== undefined) await this.keys.records.write([ended]).catch(ignoreChanged);
  }

  /** Ends every session of the account. */
  async signOutEverywhere(token: string): Promise<void> {
    await untilUnchanged(async () => {
      const { found, session } = await this.#require(token);
      const { account } = this.plans.planEvent(found, 'signed out everywhere', this.clock());
      const ended = { ...account, sessionGeneration: account.sessionGeneration + 1 };
      await this.keys.records.write([{ change: found.stored, to: encodeAccount(ended) }, { delete: session.stored }]);
    });
  }

  /** Revokes the keys, deletes the account and its address. Rejects with AccountError CONFIRMATION_WRONG, SUSPENDED. */
  async close(token: string, typedAddress: string): Promise<Account> {
    return await untilUnchanged(async () => {
      const visitor = await this.#require(token);
      // Else its address could begin a new one.
      requireActive(visitor.account);
      requireFresh(visitor);
      if (!isSameAddress(typedAddress, visitor.account.email)) {
        throw new AccountError('CONFIRMATION_WRONG', 'That is not the address of this account; nothing was closed.');
      }
      const { changes } = await this.plans.planClosing(visitor.found, this.clock());
      await this.keys.records.write([...changes, { delete: visitor.session.stored }]);
      return visitor.account;
    }, CHANGED_OR_EXISTS);
  }

  async #find(token: string): Promise<FoundVisitor | undefined> {
    const nowMs = this.clock();
    const session = await findSession(this.keys.records, token, nowMs);
    const found = session && (await this.directory.find(session.session.accountId));
    if (session === undefined || found?.account.sessionGeneration !== session.session.generation) return undefined;
    return { account: found.account, isFresh: isFresh(session.session, nowMs), found, session };
  }

  async #require(token: string): Promise<FoundVisitor> {
    const visitor = await this.#find(token);
    if (visitor === undefined) throw new AccountError('SIGNED_OUT', 'You are signed out.');
    return visitor;
  }

  /**
   * An act on a key of the account, or on its keys. The write holds only while session and account are as they were.
   */
  #act<Result>(
    token: string,
    keyId: string | null,
    plan: (visitor: FoundVisitor, nowMs: number) => Promise<Plan & { readonly result: Result }>,
  ): Promise<Result> {
    let isCounted = false;
    return untilUnchanged(async () => {
      const visitor = await this.#require(token);
      const { account } = visitor;
      if (keyId !== null && !(await this.directory.hasKey(account, keyId))) {
        throw new AccountError('KEY_UNKNOWN', 'This account does not have that key.');
      }
      requireActive(account);
      requireFresh(visitor);
      if (!isCounted) await this.#limiter.consume('act', account.id, this.clock());
      isCounted = true;
      const { changes, result } = await plan(visitor, this.clock()).catch(asKeyState);
      await this.keys.records.write([...changes, { require: visitor.session.stored }]);
      return result;
    });
  }

  #open(entry: KeyEntry | undefined): string {
    const { keySecret } = this.rules;
    try {
      if (entry?.sealed) return createKeySeal(keySecret).open(entry.sealed, entry.record.id);
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
    }
    throw new AccountError('KEY_SEALED', 'This key can’t be shown again. Replace it for one that can.');
  }
}

function requireActive({ state }: Account): void {
  if (state === 'suspended') throw new AccountError('SUSPENDED', 'This account is suspended.');
}

function requireFresh({ isFresh }: Visitor): void {
  if (!isFresh) throw new AccountError('SIGN_IN_STALE', 'Sign in again to do this: a sign-in counts for ten minutes.');
}

function asKeyState(error: unknown): never {
  if (error instanceof KeyChangeError) throw new AccountError('KEY_STATE', 'This key is no longer active.');
  throw error;
}

function ignoreChanged(error: unknown): void {
  if (!(error instanceof RecordError && error.code === 'RECORD_CHANGED')) throw error;
}
