/**
 * Signing in and signing up, which are one: by a code or a link that is mailed, or by the word of a provider. The first
 * sign-in makes the account, in the write that uses the code up and makes the session. A mailbox has one account, with
 * the address that was used first, and only a proof for that very address opens it: a server may give the mail of
 * `ada+list@…` to others than the owner of `ada@…`. So a code that is asked for with another spelling goes to the
 * account's address. Where the store fails, the error is a KeyStoreError, and nothing was done unless its code is
 * KEY_STORE_UNSURE.
 */
import { CHANGED_OR_EXISTS, type RecordChange, untilUnchanged } from '../records/record-store.js';
import type { Account } from './account.js';
import type { AccountDirectory } from './account-directory.js';
import { AccountError } from './account-error.js';
import type { AccountPlans, Plan } from './account-plans.js';
import type { AccountRules } from './account-rules.js';
import { isOfDomains, mailboxOf, parseEmailAddress } from './email-address.js';
import { type LimitedAction, RateLimiter } from './rate-limiter.js';
import { planSession } from './sessions.js';
import { type SentCode, SignInCodes } from './sign-in-codes.js';

export interface SignedIn {
  readonly token: string;
  readonly account: Account;
  readonly isNew: boolean;
}

export interface RequestedCode extends SentCode {
  /** The address that the code is to be sent to. */
  readonly email: string;
  /** The action that was counted for it, and its subject. */
  readonly counted: readonly [LimitedAction, string];
}

export class SignIns {
  readonly #codes: SignInCodes;
  readonly #limiter: RateLimiter;

  constructor(
    private readonly directory: AccountDirectory,
    private readonly plans: AccountPlans,
    private readonly rules: AccountRules,
    private readonly clock: () => number,
  ) {
    const { records } = directory.keys;
    this.#codes = new SignInCodes(records, rules.keySecret);
    this.#limiter = new RateLimiter(records, rules.keySecret);
  }

  /**
   * Makes a code to be sent to the address of the mailbox's account, or, without one, to this address. Rejects with
   * AccountError ADDRESS_INVALID, ADDRESS_REFUSED and LIMITED; whether there is an account makes no difference.
   * It costs as many reads, but for one more where the mailbox has an account under another spelling.
   */
  async requestCode(typed: string): Promise<RequestedCode> {
    const asked = this.#admit(typed);
    await this.#limiter.consume('mail', mailboxOf(asked), this.clock());
    const found = await this.directory.findByEmail(asked);
    return await this.#createCode(found?.account.email ?? asked, asked, ['mail', mailboxOf(asked)]);
  }

  /**
   * Makes a code for a person with a session, limited apart from the codes that anybody asks for. Rejects with LIMITED.
   */
  async requestFreshCode({ id, email }: Account): Promise<RequestedCode> {
    await this.#limiter.consume('fresh', id, this.clock());
    return await this.#createCode(email, email, ['fresh', id]);
  }

  /** A code that could not be sent does not count towards the limit. */
  async withdrawCode({ counted: [action, subject] }: RequestedCode): Promise<void> {
    await this.#limiter.refund(action, subject, this.clock());
  }

  /** The address that an open attempt was asked for. */
  findAttempt(attempt: string): Promise<string | undefined> {
    return this.#codes.find(attempt, this.clock());
  }

  /**
   * Signs in, and makes the account at the first time, before which `begin` may throw. Rejects with AccountError
   * CODE_GONE, CODE_WRONG and MAILBOX_TAKEN.
   */
  redeem(attempt: string, code: string, begin: () => void = () => {}): Promise<SignedIn> {
    return untilUnchanged(async () => {
      const { email, change } = await this.#codes.redeem(attempt, code, this.clock());
      return await this.#signIn(email, [change], begin);
    }, CHANGED_OR_EXISTS);
  }

  /** The same by the link of the mail. Rejects with AccountError CODE_GONE. */
  redeemLink(attempt: string, token: string, begin: () => void = () => {}): Promise<SignedIn> {
    return untilUnchanged(async () => {
      const { email, change } = await this.#codes.redeemLink(attempt, token, this.clock());
      return await this.#signIn(email, [change], begin);
    }, CHANGED_OR_EXISTS);
  }

  /**
   * Signs in the person who proved to another, at the instant `provedMs`, to be the owner of the address; `uses` are
   * used up by it. Rejects with AccountError ADDRESS_INVALID, ADDRESS_REFUSED and MAILBOX_TAKEN.
   */
  async signInAs(
    typed: string,
    uses: () => Promise<readonly RecordChange[]>,
    begin: () => void,
    provedMs = this.clock(),
  ): Promise<SignedIn> {
    const email = this.#admit(typed);
    return await untilUnchanged(async () => this.#signIn(email, await uses(), begin, provedMs), CHANGED_OR_EXISTS);
  }

  /** Rejects with AccountError ADDRESS_INVALID and ADDRESS_REFUSED. */
  #admit(typed: string): string {
    const email = parseEmailAddress(typed);
    if (isOfDomains(email, this.rules.domains)) return email;
    throw new AccountError('ADDRESS_REFUSED', `Only addresses of ${this.rules.domains?.join(', ')} can sign in here.`);
  }

  async #createCode(email: string, asked: string, counted: RequestedCode['counted']): Promise<RequestedCode> {
    return { email, counted, ...(await this.#codes.create(email, asked, this.clock())) };
  }

  async #signIn(
    email: string,
    uses: readonly RecordChange[],
    begin: () => void,
    provedMs = this.clock(),
  ): Promise<SignedIn> {
    const nowMs = this.clock();
    const found = await this.directory.findByEmail(email);
    if (found === undefined) begin();
    else if (found.account.email !== email) throw mailboxTaken();
    const planned: Plan =
      found === undefined
        ? await this.plans.planAccount(email, nowMs)
        : this.plans.planEvent(found, 'signed in', nowMs);
    const { account } = planned;
    const { token, change } = planSession(account.id, account.sessionGeneration, nowMs, provedMs);
    await this.directory.keys.records.write([...uses, ...planned.changes, change]);
    return { token, account, isNew: found === undefined };
  }
}

function mailboxTaken(): AccountError {
  const message = 'This mailbox has an account already, under another spelling of its address. Sign in with that one.';
  return new AccountError('MAILBOX_TAKEN', message);
}
