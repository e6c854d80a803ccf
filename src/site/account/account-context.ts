/**
 * One request to the routes of accounts: its fields and cookies, the signed-in user, and how it is answered: by the
 * dashboard, after a sign-in, after an action of which the owner is notified by mail, or within rate limits of a network
 * address.
 */

import type { Logger } from '../../base/logger.js';
import { AccountError, accountLimitedError } from '../../keys/accounts/account-error.js';
import type { SignedInUser } from '../../keys/accounts/developer-actions.js';
import type { SignedIn } from '../../keys/accounts/sign-ins.js';
import { KeyStoreError } from '../../keys/storage/key-store-error.js';
import { clientAddress } from '../../server/client-address.js';
import { firstTarget } from '../docs/first-call.js';
import type { RequestContext } from '../http/request-context.js';
import { JSON_TYPE, PRIVATE_HEADERS, redirectAfterForm, sendOnce } from '../http/responses.js';
import type { AccountLimits } from './account-rate-limits.js';
import type { CookieName } from './cookies.js';
import { type DashboardOptions, dashboardPage, SHOWN_SECONDS } from './dashboard-page.js';
import { formField } from './form-body.js';
import { type Notice, noticeMail } from './mails.js';
import type { AccountSite } from './open-accounts.js';
import { donePage } from './outcome-pages.js';
import type { SignInWays } from './sign-in-pages.js';

interface Signed extends SignedInUser {
  readonly token: string;
}

/** An action of the user with this session token, on what the request names. */
export type Act<Result> = (token: string, context: AccountContext) => Promise<Result>;

type DashboardChange = Pick<DashboardOptions, 'shown' | 'message' | 'status' | 'refused'>;

export class AccountContext {
  readonly ways: SignInWays;

  constructor(
    readonly site: AccountSite,
    /** The request as any page of the site has it. */
    readonly base: RequestContext,
    private readonly logger: Logger,
  ) {
    this.ways = { hasMail: site.mailer !== undefined, provider: site.provider?.name };
  }

  /** The text of a field of the form; '' if it is missing. */
  field(name: string): string {
    return formField(this.base.request, name);
  }

  /** The id of the key in the path; '' if the path has none. */
  get keyId(): string {
    return String(this.base.request.params.id ?? '');
  }

  cookie(name: CookieName): string {
    return this.site.cookies.read(this.base.request, name);
  }

  /** Whether a script asks, and not a browser for a page. */
  get wantsJson(): boolean {
    return this.base.request.accepts(['html', 'json']) === 'json';
  }

  /** For the script of the reference. */
  sendJson(value: object): void {
    sendOnce(this.base.response, 200, JSON_TYPE, JSON.stringify(value), [], PRIVATE_HEADERS);
  }

  /** Redirects to the dashboard, or to another page of accounts. */
  redirect(cookies: Readonly<Partial<Record<CookieName, string>>> = {}, path = '/account'): void {
    const headers = Object.entries(cookies).map(([name, value]) => this.site.cookies.header(name as CookieName, value));
    redirectAfterForm(this.base.response, path, ...headers);
  }

  async find(): Promise<Signed | undefined> {
    const token = this.cookie('session');
    const user = token === '' ? undefined : await this.site.accounts.findUser(token);
    return user && { ...user, token };
  }

  async require(): Promise<Signed> {
    const signed = await this.find();
    if (signed === undefined) throw new AccountError('SIGNED_OUT', 'You are signed out.');
    return signed;
  }

  /** `signed` is the signed-in user if the caller has just looked it up. */
  async showDashboard(change: DashboardChange = {}, signed?: Signed): Promise<void> {
    const { accounts, clock, planOf } = this.site;
    const { account, isFresh } = signed ?? (await this.require());
    const { site, snapshot } = this.base;
    const keys = await accounts.keysOf(account);
    const nowMs = clock();
    const page = dashboardPage({
      ...change,
      ...{ account, isFresh, keys, nowMs, planOf, site, ways: this.ways },
      example: firstTarget(snapshot),
      mayMakeKey: isFresh && accounts.mayMakeKey(keys, false),
      mayMakePublishableKey: isFresh && accounts.mayMakeKey(keys, true),
    });
    // Hides the key in browsers without scripts too.
    this.base.send(page, change.shown === undefined ? [] : ['refresh', `${SHOWN_SECONDS}; url=/account`]);
  }

  /** Signs in by `signIn`, deletes the cookie `ended` of the sign-in, and redirects to the dashboard. */
  async enter(ended: CookieName, signIn: (begin: () => void) => Promise<SignedIn>): Promise<void> {
    const earlier = this.cookie('session');
    const { token } = await signIn(() => this.count('signUp', 'Too many accounts were made from your address.'));
    // The earlier session may be another user's, and is replaced anyway. If deleting it fails, it expires.
    if (earlier !== '') {
      await this.site.accounts
        .signOut(earlier)
        .catch((error) => this.logger.error({ problem: (error as Error).message }, 'a session was not ended'));
    }
    this.redirect({ session: token, [ended]: '' });
  }

  /** Counts an action of a network address; throws AccountError LIMITED if there were too many. */
  count(limit: keyof AccountLimits, message: string): void {
    const waitMs = this.site.limits[limit](clientAddress(this.base.request));
    if (waitMs > 0) throw accountLimitedError(message, waitMs);
  }

  /**
   * Runs an action on a key, notifies the owner by mail, and responds by `show`. If `show` fails after the action, a
   * page says that the action was done.
   */
  async act<Result>(notice: Notice, act: Act<Result>, show: (result: Result) => void | Promise<void>): Promise<void> {
    const { account, token } = await this.require();
    let result: Result;
    try {
      result = await act(token, this);
    } catch (error) {
      const isUnsure = error instanceof KeyStoreError && error.code === 'KEY_STORE_UNSURE';
      if (isUnsure) this.#notify(account.email, notice, true);
      throw error;
    }
    this.#notify(account.email, notice, false);
    try {
      await show(result);
    } catch (error) {
      if (!(error instanceof KeyStoreError) || this.base.response.headersSent) throw error;
      this.logger.error({ problem: error.message }, 'an account could not be shown');
      this.base.send(donePage(), ['retry-after', '30']);
    }
  }

  /** A failed mail is only logged, since the action was done. */
  #notify(to: string, notice: Notice, isUnsure: boolean): void {
    const { mailer, clock } = this.site;
    mailer
      ?.send(noticeMail(this.base.site.siteUrl, { to, notice, isUnsure, nowMs: clock() }))
      .catch((error) => this.logger.error({ problem: (error as Error).message }, 'a notice was not sent'));
  }
}
