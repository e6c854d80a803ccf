/**
 * Signing in and signing up, which are one: by a code or a link that is mailed, or by the word of a provider. The account is
 * made at the first time, in the write that uses the code up and makes the session. Trouble with the store is a
 * KeyStoreError, and nothing was done unless its code is KEY_STORE_UNSURE.
 */
import { CHANGED_OR_EXISTS, type RecordChange, untilUnchanged } from '../records/record-store.js';
import type { Account } from './account.js';
import type { AccountDirectory } from './account-directory.js';
import { AccountError } from './account-error.js';
import type { AccountPlans, Plan } from './account-plans.js';
import type { AccountRules } from './account-rules.js';
import { isOfDomains, mailboxOf, parseEmailAddress } from './email-address.js';
import { planSession } from './sessions.js';
import { type SentCode, SignInCodes } from './sign-in-codes.js';
import { type TurnKind, Turns } from './turns.js';

export interface SignedIn {
  readonly token: string;
  readonly account: Account;
  readonly isNew: boolean;
}

export interface RequestedCode extends SentCode {
  readonly email: string;
  /** What was counted for it. */
  readonly turn: readonly [TurnKind, string];
}

export class SignIns {
  readonly #codes: SignInCodes;
  readonly #turns: Turns;

  constructor(
    private readonly directory: AccountDirectory,
    private readonly plans: AccountPlans,
    private readonly rules: AccountRules,
    private readonly clock: () => number,
  ) {
    const { records } = directory.keys;
    this.#codes = new SignInCodes(records, rules.keySecret);
    this.#turns = new Turns(records, rules.keySecret);
  }

  /**
   * Makes a code to be sent to the address. Rejects with AccountError ADDRESS_INVALID, ADDRESS_REFUSED and LIMITED; whether
   * the address has an account makes no difference.
   */
  async requestCode(typed: string): Promise<RequestedCode> {
    const email = this.#admit(typed);
    return await this.#sendTo(email, 'mail', mailboxOf(email));
  }

  /** Makes a code for somebody who is signed in, who need not wait for what others ask for. Rejects with LIMITED. */
  async requestFreshCode({ id, email }: Account): Promise<RequestedCode> {
    return await this.#sendTo(email, 'fresh', id);
  }

  /** For a code that could not be sent: its turn was not used. */
  async withdrawCode({ turn: [kind, subject] }: RequestedCode): Promise<void> {
    await this.#turns.giveBack(kind, subject, this.clock());
  }

  /** The address that an open attempt is for. */
  findAttempt(attempt: string): Promise<string | undefined> {
    return this.#codes.find(attempt);
  }

  /**
   * Signs in, and makes the account at the first time, before which `begin` may throw. Rejects with AccountError CODE_GONE
   * and CODE_WRONG.
   */
  redeem(attempt: string, code: string, begin: () => void = () => {}): Promise<SignedIn> {
    return untilUnchanged(async () => {
      const { email, change } = await this.#codes.redeem(attempt, code);
      return await this.#signIn(email, [change], begin);
    }, CHANGED_OR_EXISTS);
  }

  /** The same by the link of the mail. Rejects with AccountError CODE_GONE. */
  redeemLink(attempt: string, token: string, begin: () => void = () => {}): Promise<SignedIn> {
    return untilUnchanged(async () => {
      const { email, change } = await this.#codes.redeemLink(attempt, token);
      return await this.#signIn(email, [change], begin);
    }, CHANGED_OR_EXISTS);
  }

  /**
   * Signs in the person who proved to another, at the instant `provedMs`, to be the owner of the address; `uses` are used up
   * by it. Rejects with AccountError ADDRESS_INVALID and ADDRESS_REFUSED.
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

  async #sendTo(email: string, kind: TurnKind, subject: string): Promise<RequestedCode> {
    await this.#turns.take(kind, subject, this.clock());
    return { email, turn: [kind, subject], ...(await this.#codes.create(email, this.clock())) };
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
