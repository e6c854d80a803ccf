/**
 * The addresses below /account. A GET shows and changes nothing; what changes something is a POST from a page of ours.
 * No answer is kept by anybody. What an account refuses becomes a page here, in one place.
 */
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { AccountError, type AccountErrorCode } from '../../accounts/account-error.js';
import type { Accounts, Visitor } from '../../accounts/accounts.js';
import { maskEmailAddress } from '../../accounts/email-address.js';
import { findFault } from '../../keys/admission.js';
import type { PlanFinder } from '../../keys/plan.js';
import type { Logger } from '../../logger.js';
import { KeyStoreError } from '../../storage/key-store-error.js';
import type { Visit } from '../app.js';
import { PRIVATE_HEADERS } from '../headers.js';
import type { Page } from '../page.js';
import type { AccountLimits } from './account-limits.js';
import type { Cookies } from './cookies.js';
import { dashboardPage, OVERLAP_SECONDS, SHOWN_SECONDS } from './dashboard-page.js';
import { MailError, type Mailer } from './mailer.js';
import { codeMail, type Notice, noticeMail } from './mails.js';
import { isSameOrigin } from './same-origin.js';
import { closedPage, codePage, freshPage, linkPage, refusalPage, signInPage } from './sign-in-pages.js';

/** What the pages of accounts need; made once, at the start. */
export interface AccountSite {
  readonly accounts: Accounts;
  readonly keysPerAccount: number;
  readonly planOf: PlanFinder;
  readonly mailer: Mailer;
  readonly cookies: Cookies;
  readonly limits: AccountLimits;
  readonly clock: () => number;
}

/** Somebody who is signed in, at one request. */
interface Signed extends Visitor {
  readonly token: string;
}

const STATUS: Readonly<Record<AccountErrorCode, number>> = {
  ADDRESS_INVALID: 422,
  ADDRESS_REFUSED: 403,
  CODE_GONE: 410,
  CODE_WRONG: 422,
  MAIL_LIMITED: 429,
  SIGN_UP_LIMITED: 429,
  SIGNED_OUT: 303,
  SIGN_IN_STALE: 403,
  ACCOUNT_UNKNOWN: 404,
  SUSPENDED: 403,
  KEY_UNKNOWN: 404,
  KEY_STATE: 409,
  KEY_SEALED: 409,
  KEY_LIMIT: 409,
  SECRET_MISSING: 503,
  CONFIRMATION_WRONG: 422,
};

const BODY_LIMIT = '4kb';

export function createAccountRouter(
  site: AccountSite,
  open: (request: Request, response: Response) => Visit,
  logger: Logger,
): Router {
  const { accounts, cookies, limits, mailer } = site;
  const router = Router({ caseSensitive: true });
  const addressOf = (request: Request): string => request.ip ?? '';

  async function find(request: Request): Promise<Signed | undefined> {
    const token = cookies.read(request, 'session');
    const visitor = token === '' ? undefined : await accounts.visitor(token);
    return visitor && { ...visitor, token };
  }

  async function require(request: Request): Promise<Signed> {
    const signed = await find(request);
    if (signed === undefined) throw new AccountError('SIGNED_OUT', 'You are signed out.');
    return signed;
  }

  async function showDashboard(
    request: Request,
    response: Response,
    more: { shown?: { keyId: string; clearKey: string }; message?: string; status?: number } = {},
  ): Promise<void> {
    const { account, isFresh } = await require(request);
    const visit = open(request, response);
    const keys = await accounts.keysOf(account);
    const nowMs = site.clock();
    const goodCount = keys.filter(({ record }) => findFault(record, nowMs) === undefined).length;
    const hasExample = visit.data.countryBySlug('liechtenstein')?.structures !== undefined;
    const page = dashboardPage({
      ...more,
      ...{ account, isFresh, keys, nowMs, planOf: site.planOf, site: visit.site },
      example: hasExample ? '/v1/countries/LI/postcodes/9490' : '/v1/countries?hasPostcodes=true',
      mayMakeKey: isFresh && goodCount < site.keysPerAccount,
    });
    // A browser without scripts hides the key as well.
    visit.send(page, more.shown === undefined ? [] : ['refresh', `${SHOWN_SECONDS}; url=/account`]);
  }

  async function sendCode(request: Request, response: Response, typed: string): Promise<void> {
    requireTurn(limits.mail(addressOf(request)), 'MAIL_LIMITED', 'Too many codes were asked for from your address.');
    const requested = await accounts.requestCode(typed);
    await mailer.send(codeMail(open(request, response).site.siteUrl, requested));
    move(response, '/account/code', cookies.header('sign-in', requested.attempt));
  }

  /** A mail that fails is logged: what it tells of is done. */
  function notify(request: Request, response: Response, to: string, notice: Notice): void {
    const mail = noticeMail(open(request, response).site.siteUrl, to, notice, site.clock());
    mailer.send(mail).catch((error) => logger.error({ problem: (error as Error).message }, 'a notice was not sent'));
  }

  router.post('/{*path}', refuseForeign(open), express.urlencoded({ extended: false, limit: BODY_LIMIT }));

  router.get('/', async (request, response) => {
    if ((await find(request)) !== undefined) await showDashboard(request, response);
    else open(request, response).send(signInPage({ hasMail: true }));
  });
  router.post('/sign-in', (request, response) => sendCode(request, response, field(request, 'email')));
  router.post('/fresh', async (request, response) => {
    const { account } = await require(request);
    await sendCode(request, response, account.email);
  });
  router.get('/code', async (request, response) => {
    const email = await accounts.findAttempt(cookies.read(request, 'sign-in'));
    if (email === undefined) move(response, '/account');
    else open(request, response).send(codePage({ email }));
  });
  router.get('/link', async (request, response) => {
    const { query } = open(request, response);
    const [attempt, code] = [query.get('attempt') ?? '', query.get('code') ?? ''];
    const email = await accounts.findAttempt(attempt);
    if (email === undefined) throw new AccountError('CODE_GONE', 'This link has been used or has expired.');
    open(request, response).send(linkPage(maskEmailAddress(email), attempt, code));
  });
  router.post('/code', async (request, response) => {
    requireTurn(limits.guess(addressOf(request)), 'MAIL_LIMITED', 'Too many codes were tried from your address.');
    const attempt = field(request, 'attempt') || cookies.read(request, 'sign-in');
    try {
      const earlier = cookies.read(request, 'session');
      const { token } = await accounts.redeem(attempt, field(request, 'code'), () =>
        requireTurn(
          limits.signUp(addressOf(request)),
          'SIGN_UP_LIMITED',
          'Too many accounts were made from your address.',
        ),
      );
      // The session before is another's, or has a better one now.
      if (earlier !== '') await accounts.signOut(earlier);
      move(response, '/account', cookies.header('session', token), cookies.header('sign-in', ''));
    } catch (error) {
      if (!(error instanceof AccountError && error.code === 'CODE_WRONG')) throw error;
      const email = await accounts.findAttempt(attempt);
      if (email === undefined) throw new AccountError('CODE_GONE', error.message);
      open(request, response).send(codePage({ email, message: error.message, status: STATUS[error.code] }));
    }
  });
  router.post('/keys', async (request, response) => {
    const { token } = await require(request);
    await showDashboard(request, response, { shown: await accounts.makeKey(token) });
  });
  router.post('/keys/:id/reveal', async (request, response) => {
    const { token, account } = await require(request);
    const keyId = idIn(request);
    const clearKey = await accounts.revealKey(token, keyId);
    notify(request, response, account.email, 'revealed');
    await showDashboard(request, response, { shown: { keyId, clearKey } });
  });
  router.post('/keys/:id/replace', async (request, response) => {
    const { token, account } = await require(request);
    const seconds = Number(field(request, 'overlap') || '0');
    if (!OVERLAP_SECONDS.includes(seconds)) throw new AccountError('CONFIRMATION_WRONG', 'There is no such overlap.');
    const shown = await accounts.replaceKey(token, idIn(request), seconds * 1000);
    notify(request, response, account.email, 'replaced');
    await showDashboard(request, response, { shown });
  });
  router.post('/keys/:id/revoke', async (request, response) => {
    const { token, account } = await require(request);
    await accounts.revokeKey(token, idIn(request), field(request, 'name'));
    notify(request, response, account.email, 'revoked');
    move(response, '/account');
  });
  router.post('/sign-out', async (request, response) => {
    await accounts.signOut(cookies.read(request, 'session'));
    move(response, '/account', cookies.header('session', ''));
  });
  router.post('/sign-out-everywhere', async (request, response) => {
    const { token } = await require(request);
    await accounts.signOutEverywhere(token);
    move(response, '/account', cookies.header('session', ''));
  });
  router.post('/close', async (request, response) => {
    const { token } = await require(request);
    const { email } = await accounts.close(token, field(request, 'email'));
    notify(request, response, email, 'closed');
    open(request, response).send(closedPage(), [...cookies.header('session', '')]);
  });

  const handleErrors: ErrorRequestHandler = async (error: unknown, request, response, next) => {
    const visit = open(request, response);
    if (response.headersSent) return next(error);
    if (error instanceof AccountError) {
      if (error.code === 'SIGNED_OUT') return move(response, '/account', cookies.header('session', ''));
      const { page, headers } = pageOf(error);
      if (page !== undefined) return visit.send(page, headers);
      const signed = await find(request);
      if (error.code === 'SIGN_IN_STALE' && signed !== undefined) return visit.send(freshPage(signed.account.email));
      if (signed === undefined) {
        return visit.send(
          signInPage({
            message: error.message,
            status: STATUS[error.code],
            email: field(request, 'email'),
            hasMail: true,
          }),
          headers,
        );
      }
      return showDashboard(request, response, { message: error.message, status: STATUS[error.code] });
    }
    const found = outagePage(error);
    if (found === undefined) return next(error);
    if (found.status === 503) logger.error({ problem: (error as Error).message }, 'an account could not be asked');
    visit.send(found, found.status === 503 ? ['retry-after', '30'] : []);
  };
  router.use(handleErrors);
  return router;
}

function refuseForeign(open: (request: Request, response: Response) => Visit): RequestHandler {
  return (request, response, next) => {
    const visit = open(request, response);
    if (isSameOrigin(request, visit.site.siteUrl)) next();
    else visit.send(refusalPage('Not from here', 'Only pages of this site can change an account.', 403));
  };
}

function requireTurn(waitMs: number, code: 'MAIL_LIMITED' | 'SIGN_UP_LIMITED', message: string): void {
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  throw new AccountError(code, `${message} Please try again in ${Math.ceil(seconds / 60)} minutes.`, seconds);
}

/** Pages of refusals that look the same for everybody. */
function pageOf({ code, message, waitSeconds }: AccountError): { page: Page | undefined; headers: readonly string[] } {
  const headers = waitSeconds === null ? [] : ['retry-after', String(waitSeconds)];
  if (code === 'MAIL_LIMITED' || code === 'SIGN_UP_LIMITED') {
    return { page: refusalPage('One moment', message, STATUS[code]), headers };
  }
  return { page: code === 'KEY_UNKNOWN' ? refusalPage('No such key', message, STATUS[code]) : undefined, headers };
}

/** Where neither the person nor this program is at fault. */
function outagePage(error: unknown): Page | undefined {
  if (error instanceof MailError) {
    return refusalPage('No mail at the moment', 'The code could not be sent. Please try again in a minute.', 503);
  }
  const { status } = error as { readonly status?: unknown };
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return refusalPage('That could not be read', 'What was sent is no form of this site.', 400);
  }
  if (!(error instanceof KeyStoreError)) return undefined;
  const what =
    error.code === 'KEY_STORE_UNSURE'
      ? 'The connection was lost on the way: what you asked for was done as a whole or not at all. Look at your account again in a minute.'
      : 'Accounts can’t be reached at the moment. Nothing was changed. Please try again in a minute.';
  return refusalPage('One moment', what, 503);
}

/** To another page, which is then asked for with GET. */
function move(response: Response, path: string, ...cookies: readonly (readonly [string, string])[]): void {
  const headers = ['location', path, 'cache-control', 'no-store', 'content-length', '0', ...cookies.flat()];
  response.writeHead(303, [...PRIVATE_HEADERS, ...headers]).end();
}

function field(request: Request, name: string): string {
  const value = (request.body as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

function idIn({ params }: Request): string {
  return typeof params.id === 'string' ? params.id : '';
}
