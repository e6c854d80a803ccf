/**
 * What the routes of accounts share: the signed-in user, the dashboard, entering by a sign-in, rate limits of a network
 * address, and notices by mail.
 */

import type { Request, Response } from 'express';
import type { Logger } from '../../base/logger.js';
import { AccountError, accountLimitedError } from '../../keys/accounts/account-error.js';
import type { SignedInUser } from '../../keys/accounts/developer-actions.js';
import type { SignedIn } from '../../keys/accounts/sign-ins.js';
import { KeyStoreError } from '../../keys/storage/key-store-error.js';
import { clientAddress } from '../../server/client-address.js';
import { firstTarget } from '../docs/first-call.js';
import type { Opener } from '../http/request-context.js';
import { redirectAfterForm } from '../http/responses.js';
import type { AccountLimits } from './account-rate-limits.js';
import type { CookieName } from './cookies.js';
import { dashboardPage, SHOWN_SECONDS } from './dashboard-page.js';
import { type Notice, noticeMail } from './mails.js';
import type { AccountSite } from './open-accounts.js';
import { donePage } from './outcome-pages.js';
import type { RefusedForm } from './restriction-form.js';
import type { SignInWays } from './sign-in-pages.js';

interface Signed extends SignedInUser {
  readonly token: string;
}

export interface DashboardChange {
  readonly shown?: { readonly keyId: string; readonly clearKey: string };
  readonly message?: string;
  readonly status?: number;
  readonly refused?: RefusedForm;
}

export class AccountContext {
  readonly ways: SignInWays;

  constructor(
    readonly site: AccountSite,
    readonly open: Opener,
    private readonly logger: Logger,
  ) {
    this.ways = { hasMail: site.mailer !== undefined, provider: site.provider?.name };
  }

  async find(request: Request): Promise<Signed | undefined> {
    const token = this.site.cookies.read(request, 'session');
    const user = token === '' ? undefined : await this.site.accounts.findUser(token);
    return user && { ...user, token };
  }

  async require(request: Request): Promise<Signed> {
    const signed = await this.find(request);
    if (signed === undefined) throw new AccountError('SIGNED_OUT', 'You are signed out.');
    return signed;
  }

  /** `signed` is the signed-in user if the caller has just looked it up. */
  async showDashboard(
    request: Request,
    response: Response,
    change: DashboardChange = {},
    signed?: Signed,
  ): Promise<void> {
    const { accounts, clock, planOf } = this.site;
    const { account, isFresh } = signed ?? (await this.require(request));
    const context = this.open(request, response);
    const keys = await accounts.keysOf(account);
    const nowMs = clock();
    const page = dashboardPage({
      ...change,
      ...{ account, isFresh, keys, nowMs, planOf, site: context.site, ways: this.ways },
      example: firstTarget(context.snapshot),
      mayMakeKey: isFresh && accounts.mayMakeKey(keys, false),
      mayMakePublishableKey: isFresh && accounts.mayMakeKey(keys, true),
    });
    // Hides the key in browsers without scripts too.
    context.send(page, change.shown === undefined ? [] : ['refresh', `${SHOWN_SECONDS}; url=/account`]);
  }

  /** Signs in by `signIn`, deletes the cookie `ended` of the sign-in, and redirects to the dashboard. */
  async enter(
    request: Request,
    response: Response,
    ended: CookieName,
    signIn: (begin: () => void) => Promise<SignedIn>,
  ): Promise<void> {
    const { accounts, cookies } = this.site;
    const earlier = cookies.read(request, 'session');
    const { token } = await signIn(() =>
      this.countAction(request, 'signUp', 'Too many accounts were made from your address.'),
    );
    // The earlier session may be another user's, and is replaced anyway. If deleting it fails, it expires.
    if (earlier !== '') {
      await accounts
        .signOut(earlier)
        .catch((error) => this.logger.error({ problem: (error as Error).message }, 'a session was not ended'));
    }
    redirectAfterForm(response, '/account', cookies.header('session', token), cookies.header(ended, ''));
  }

  /** Counts an action of a network address; throws AccountError LIMITED if there were too many. */
  countAction(request: Request, limit: keyof AccountLimits, message: string): void {
    const waitMs = this.site.limits[limit](clientAddress(request));
    if (waitMs > 0) throw accountLimitedError(message, waitMs);
  }

  /**
   * Runs an action on a key, notifies the owner by mail, and responds by `show`. If `show` fails after the action, a
   * page says that the action was done.
   */
  async act<Result>(
    request: Request,
    response: Response,
    notice: Notice,
    act: (signed: Signed) => Promise<Result>,
    show: (result: Result) => void | Promise<void>,
  ): Promise<void> {
    const signed = await this.require(request);
    let result: Result;
    try {
      result = await act(signed);
    } catch (error) {
      const isUnsure = error instanceof KeyStoreError && error.code === 'KEY_STORE_UNSURE';
      if (isUnsure) this.#notify(request, response, signed.account.email, notice, true);
      throw error;
    }
    this.#notify(request, response, signed.account.email, notice, false);
    try {
      await show(result);
    } catch (error) {
      if (!(error instanceof KeyStoreError) || response.headersSent) throw error;
      this.logger.error({ problem: error.message }, 'an account could not be shown');
      this.open(request, response).send(donePage(), ['retry-after', '30']);
    }
  }

  /** A failed mail is only logged, since the action was done. */
  #notify(request: Request, response: Response, to: string, notice: Notice, isUnsure: boolean): void {
    const { mailer, clock } = this.site;
    if (mailer === undefined) return;
    const mail = noticeMail(this.open(request, response).site.siteUrl, { to, notice, isUnsure, nowMs: clock() });
    mailer
      .send(mail)
      .catch((error) => this.logger.error({ problem: (error as Error).message }, 'a notice was not sent'));
  }
}
