/** What the routes of accounts have in common: who is signed in, the dashboard, signing in, and notices by mail. */
import type { Request, Response } from 'express';
import { AccountError } from '../../accounts/account-error.js';
import type { SignedIn, Visitor } from '../../accounts/accounts.js';
import { findFault } from '../../keys/admission.js';
import type { Logger } from '../../logger.js';
import type { Visit } from '../app.js';
import type { AccountLimits } from './account-limits.js';
import type { AccountSite } from './account-site.js';
import type { CookieName } from './cookies.js';
import { dashboardPage, SHOWN_SECONDS } from './dashboard-page.js';
import { move } from './forms.js';
import { type Notice, noticeMail } from './mails.js';
import type { SignInWays } from './sign-in-pages.js';

/** Somebody who is signed in, at one request. */
interface Signed extends Visitor {
  readonly token: string;
}

export interface DashboardChange {
  readonly shown?: { readonly keyId: string; readonly clearKey: string };
  readonly message?: string;
  readonly status?: number;
}

export class AccountVisits {
  readonly ways: SignInWays;

  constructor(
    readonly site: AccountSite,
    readonly open: (request: Request, response: Response) => Visit,
    private readonly logger: Logger,
  ) {
    this.ways = { hasMail: site.mailer !== undefined, provider: site.provider?.name };
  }

  async find(request: Request): Promise<Signed | undefined> {
    const token = this.site.cookies.read(request, 'session');
    const visitor = token === '' ? undefined : await this.site.accounts.visitor(token);
    return visitor && { ...visitor, token };
  }

  async require(request: Request): Promise<Signed> {
    const signed = await this.find(request);
    if (signed === undefined) throw new AccountError('SIGNED_OUT', 'You are signed out.');
    return signed;
  }

  async showDashboard(request: Request, response: Response, change: DashboardChange = {}): Promise<void> {
    const { accounts, clock, keysPerAccount, planOf } = this.site;
    const { account, isFresh } = await this.require(request);
    const visit = this.open(request, response);
    const keys = await accounts.keysOf(account);
    const nowMs = clock();
    const goodCount = keys.filter(({ record }) => findFault(record, nowMs) === undefined).length;
    const hasExample = visit.data.countryBySlug('liechtenstein')?.structures !== undefined;
    const page = dashboardPage({
      ...change,
      ...{ account, isFresh, keys, nowMs, planOf, site: visit.site, ways: this.ways },
      example: hasExample ? '/v1/countries/LI/postcodes/9490' : '/v1/countries?hasPostcodes=true',
      mayMakeKey: isFresh && goodCount < keysPerAccount,
    });
    // A browser without scripts hides the key as well.
    visit.send(page, change.shown === undefined ? [] : ['refresh', `${SHOWN_SECONDS}; url=/account`]);
  }

  /** Signs in by `signIn`, and goes to the dashboard; the cookie of the sign-in that is over is ended. */
  async enter(
    request: Request,
    response: Response,
    ended: CookieName,
    signIn: (begin: () => void) => Promise<SignedIn>,
  ): Promise<void> {
    const { accounts, cookies } = this.site;
    const earlier = cookies.read(request, 'session');
    const { token } = await signIn(() =>
      this.requireTurn(request, 'signUp', 'Too many accounts were made from your address.', 'SIGN_UP_LIMITED'),
    );
    // The session before is another's, or has a better one now.
    if (earlier !== '') await accounts.signOut(earlier);
    move(response, '/account', cookies.header('session', token), cookies.header(ended, ''));
  }

  /** Counts what an address does. Throws AccountError where it does too much. */
  requireTurn(
    request: Request,
    limit: keyof AccountLimits,
    message: string,
    code: 'MAIL_LIMITED' | 'SIGN_UP_LIMITED' = 'MAIL_LIMITED',
  ): void {
    const waitMs = this.site.limits[limit](request.ip ?? '');
    if (waitMs === 0) return;
    const seconds = Math.ceil(waitMs / 1000);
    throw new AccountError(code, `${message} Please try again in ${Math.ceil(seconds / 60)} minutes.`, seconds);
  }

  /** A mail that fails is logged: what it tells of is done. */
  notify(request: Request, response: Response, to: string, notice: Notice): void {
    const { mailer, clock } = this.site;
    if (mailer === undefined) return;
    const mail = noticeMail(this.open(request, response).site.siteUrl, to, notice, clock());
    mailer
      .send(mail)
      .catch((error) => this.logger.error({ problem: (error as Error).message }, 'a notice was not sent'));
  }
}
