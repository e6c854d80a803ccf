/**
 * Signs in and signs up, by a mailed code or link or through a provider. The first sign-in creates the account, in the
 * write that uses up the code and creates the session. A mailbox has one account, with the address that was used first,
 * and only a proof for exactly that address signs in: a server may deliver `ada+list@…` to someone else than `ada@…`.
 * So a code that is requested with another spelling is sent to the account's address.
 */

import { CHANGED_OR_EXISTS, type RecordChange, untilRecordsUnchanged } from '../records/record-store.js';
import { type AccountActions, changeAccount } from './account-actions.js';
import type { AccountDirectory } from './account-directory.js';
import { AccountError } from './account-error.js';
import type { Account } from './account-record.js';
import type { AccountSettings } from './account-settings.js';
import { isOfDomains, mailboxOf, parseEmailAddress } from './email-address.js';
import { type SentCode, SignInCodes } from './mailed-codes.js';
import { type LimitedAction, RateLimiter } from './rate-limiter.js';
import { prepareSession } from './sessions.js';

export interface SignedIn {
  readonly token: string;
  readonly account: Account;
  readonly isNew: boolean;
}

export interface RequestedCode extends SentCode {
  /** The address that the code is to be sent to. */
  readonly email: string;
  /** The action that the rate limiter counted, and its subject. */
  readonly counted: readonly [LimitedAction, string];
}

export class SignIns {
  readonly #codes: SignInCodes;
  readonly #limiter: RateLimiter;

  constructor(
    private readonly directory: AccountDirectory,
    private readonly actions: AccountActions,
    private readonly settings: AccountSettings,
    private readonly clock: () => number,
  ) {
    const { records } = directory.keys;
    this.#codes = new SignInCodes(records, settings.keySecret);
    this.#limiter = new RateLimiter(records, settings.keySecret);
  }

  /**
   * Creates a code to be sent to the address of the mailbox's account or, without an account, to this address. Rejects
   * with AccountError ADDRESS_INVALID, ADDRESS_REFUSED and LIMITED, whether there is an account or not.
   */
  async requestCode(typed: string): Promise<RequestedCode> {
    const asked = this.#admit(typed);
    await this.#limiter.consume('mail', mailboxOf(asked), this.clock());
    const found = await this.directory.findByEmail(asked);
    return await this.#createCode(found?.account.email ?? asked, asked, ['mail', mailboxOf(asked)]);
  }

  /** Creates a code for a signed-in user, with a rate limit of its own. Rejects with AccountError LIMITED. */
  async requestFreshCode({ id, email }: Account): Promise<RequestedCode> {
    await this.#limiter.consume('fresh', id, this.clock());
    return await this.#createCode(email, email, ['fresh', id]);
  }

  /** Takes a code that could not be sent off the rate limit. */
  async withdrawCode({ counted: [action, subject] }: RequestedCode): Promise<void> {
    await this.#limiter.refund(action, subject, this.clock());
  }

  /** The address that was typed for an open attempt. */
  findAttempt(attempt: string): Promise<string | undefined> {
    return this.#codes.find(attempt, this.clock());
  }

  /**
   * Signs in; the first time, creates the account after `beforeSignUp`, which may throw. Rejects with AccountError
   * CODE_GONE, CODE_WRONG and MAILBOX_TAKEN.
   */
  redeem(attempt: string, code: string, beforeSignUp: () => void = () => {}): Promise<SignedIn> {
    return untilRecordsUnchanged(async () => {
      const { email, change } = await this.#codes.redeem(attempt, code, this.clock());
      return await this.#signIn(email, [change], beforeSignUp);
    }, CHANGED_OR_EXISTS);
  }

  /** Signs in likewise by the mailed link. Rejects with AccountError CODE_GONE and MAILBOX_TAKEN. */
  redeemLink(attempt: string, token: string, beforeSignUp: () => void = () => {}): Promise<SignedIn> {
    return untilRecordsUnchanged(async () => {
      const { email, change } = await this.#codes.redeemLink(attempt, token, this.clock());
      return await this.#signIn(email, [change], beforeSignUp);
    }, CHANGED_OR_EXISTS);
  }

  /**
   * Signs in a user who proved ownership of the address to a provider at `provedMs`. The write includes the changes of
   * `uses`. Rejects with AccountError ADDRESS_INVALID, ADDRESS_REFUSED and MAILBOX_TAKEN.
   */
  async signInAs(
    typed: string,
    uses: () => Promise<readonly RecordChange[]>,
    beforeSignUp: () => void,
    provedMs = this.clock(),
  ): Promise<SignedIn> {
    const email = this.#admit(typed);
    return await untilRecordsUnchanged(
      async () => this.#signIn(email, await uses(), beforeSignUp, provedMs),
      CHANGED_OR_EXISTS,
    );
  }

  /** Rejects with AccountError ADDRESS_INVALID and ADDRESS_REFUSED. */
  #admit(typed: string): string {
    const email = parseEmailAddress(typed);
    if (isOfDomains(email, this.settings.domains)) return email;
    throw new AccountError(
      'ADDRESS_REFUSED',
      `Only addresses of ${this.settings.domains?.join(', ')} can sign in here.`,
    );
  }

  async #createCode(email: string, asked: string, counted: RequestedCode['counted']): Promise<RequestedCode> {
    return { email, counted, ...(await this.#codes.create(email, asked, this.clock())) };
  }

  async #signIn(
    email: string,
    uses: readonly RecordChange[],
    beforeSignUp: () => void,
    provedMs = this.clock(),
  ): Promise<SignedIn> {
    const nowMs = this.clock();
    const found = await this.directory.findByEmail(email);
    if (found === undefined) beforeSignUp();
    else if (found.account.email !== email) throw mailboxTaken();
    const {
      result: { account },
      changes,
    } =
      found === undefined
        ? await this.actions.signUp(email, nowMs)
        : changeAccount(found, found.account, { act: 'signed in', nowMs });
    const { token, change } = prepareSession(account.id, account.sessionGeneration, nowMs, provedMs);
    await this.directory.keys.records.write([...uses, ...changes, change]);
    return { token, account, isNew: found === undefined };
  }
}

function mailboxTaken(): AccountError {
  const message = 'This mailbox has an account already, under another spelling of its address. Sign in with that one.';
  return new AccountError('MAILBOX_TAKEN', message);
}
