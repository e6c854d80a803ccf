/**
 * The routes below /account. A GET changes nothing; every change is a POST from a page of the site. No response is
 * cached. AccountErrors become pages here. All waits of a request for Redis together have one deadline.
 */

import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import type { Logger } from '../../base/logger.js';
import { AccountError } from '../../keys/accounts/account-error.js';
import type { RequestedCode } from '../../keys/accounts/sign-ins.js';
import { KeyStoreError } from '../../keys/storage/key-store-error.js';
import { withinWaitLimits } from '../../keys/storage/redis-wait.js';
import type { Opener } from '../http/request-context.js';
import { AccountContext, type Act } from './account-context.js';
import { type DashboardOptions, OVERLAP_SECONDS } from './dashboard-page.js';
import { hasForm, MAX_FORM_BYTES } from './form-body.js';
import { summarizeKeys } from './key-summaries.js';
import type { Mailer } from './mailer.js';
import { codeMail, type Notice } from './mails.js';
import type { AccountSite } from './open-accounts.js';
import { closedPage, outcomePageOf, refusalPage, STATUS, troublePage, unreadablePage } from './outcome-pages.js';
import { ProviderError } from './provider-error.js';
import type { Provider } from './provider-sign-in.js';
import { parseRestrictionForm, RefusedFormError } from './restriction-form.js';
import { isSameOrigin } from './same-origin.js';
import { arrivalPage, codePage, freshPage, leavingPage, linkPage, signInPage } from './sign-in-pages.js';

type AddRoute = (path: string, answer: (context: AccountContext) => void | Promise<void>) => void;

interface Routes {
  readonly get: AddRoute;
  /** A GET of the path that no route before answers is redirected to the dashboard: a form asked for as a page. */
  readonly post: AddRoute;
}

/** The cookies of a browser that forgets its session. */
const FORGOTTEN = { session: '' };

type MadeKey = NonNullable<DashboardOptions['shown']>;

function addKeyRoutes({ get, post }: Routes, { accounts, planOf, clock }: AccountSite): void {
  const changeKey = (path: string, notice: Notice, act: Act<void>): void =>
    post(path, (context) => context.act(notice, act, () => context.redirect()));
  /** Shows the key on the dashboard, or to the script of the reference. */
  const showKey = (path: string, notice: Notice, act: Act<MadeKey>): void =>
    post(path, (context) =>
      context.act(notice, act, (shown) =>
        context.wantsJson ? context.sendJson(shown) : context.showDashboard({ shown }),
      ),
    );

  get('/keys', async (context) => {
    // A browser that goes to this address asks for a page.
    if (!context.wantsJson) return context.redirect();
    const signed = await context.find();
    const keys = signed === undefined ? [] : await accounts.keysOf(signed.account);
    context.sendJson({ keys: summarizeKeys(keys, planOf, clock()), isFresh: signed?.isFresh ?? false });
  });
  get('/keys/publishable', async (context) => {
    if (!context.wantsJson) return context.redirect();
    const signed = await context.find();
    context.sendJson({ keys: signed === undefined ? [] : await accounts.publishableKeysOf(signed.account) });
  });

  showKey('/keys', 'made', (token) => accounts.makeKey(token));
  showKey('/keys/publishable', 'made', (token, { base }) =>
    accounts.makeKey(token, parseRestrictionForm(base.request)),
  );
  changeKey('/keys/:id/restrict', 'changed', (token, { base, keyId }) =>
    accounts.restrictKey(token, keyId, parseRestrictionForm(base.request).restrictions),
  );
  showKey('/keys/:id/reveal', 'revealed', async (token, { keyId }) => {
    return { keyId, clearKey: await accounts.revealKey(token, keyId) };
  });
  showKey('/keys/:id/replace', 'replaced', (token, context) =>
    accounts.replaceKey(token, context.keyId, parseOverlapMs(context.field('overlap'))),
  );
  changeKey('/keys/:id/revoke', 'revoked', (token, context) =>
    accounts.revokeKey(token, context.keyId, context.field('name')),
  );
}

function parseOverlapMs(text: string): number {
  const seconds = OVERLAP_SECONDS.find((known) => String(known) === text);
  if (seconds !== undefined) return seconds * 1000;
  throw new AccountError('CONFIRMATION_WRONG', 'Choose when the old key expires; nothing was replaced.');
}

function addLeavingRoutes({ post }: Routes, { accounts, cookies }: AccountSite): void {
  post('/sign-out', async (context) => {
    try {
      await accounts.signOut(context.cookie('session'));
      context.redirect(FORGOTTEN);
    } catch (error) {
      if (!(error instanceof KeyStoreError)) throw error;
      const message =
        'This browser has forgotten your account. The session itself could not be ended at the moment: sign in again later and choose “Sign out everywhere”.';
      context.base.send(refusalPage('Signed out in this browser', message, 503), cookies.header('session', ''));
    }
  });
  post('/sign-out-everywhere', async (context) => {
    const { token } = await context.require();
    await accounts.signOutEverywhere(token);
    context.redirect(FORGOTTEN);
  });
  post('/close', (context) =>
    context.act(
      'closed',
      (token) => accounts.close(token, context.field('email')),
      () => context.base.send(closedPage(), cookies.header('session', '')),
    ),
  );
}

/** A code is sent to an address and typed back, or comes back by the link and the button of its page. */
function addMailRoutes({ get, post }: Routes, { signIns }: AccountSite['accounts'], mailer: Mailer): void {
  async function sendCode(context: AccountContext, requested: RequestedCode): Promise<void> {
    try {
      await mailer.send(codeMail(context.base.site.siteUrl, requested));
    } catch (error) {
      // Nothing was sent: the next try must not be one too many.
      await signIns.withdrawCode(requested);
      throw error;
    }
    context.redirect({ 'sign-in': requested.attempt }, '/account/code');
  }
  const countMail = (context: AccountContext): void =>
    context.count('mail', 'Too many codes were asked for from your address.');

  post('/sign-in', async (context) => {
    countMail(context);
    await sendCode(context, await signIns.requestCode(context.field('email')));
  });
  post('/fresh', async (context) => {
    const { account } = await context.require();
    countMail(context);
    await sendCode(context, await signIns.requestFreshCode(account));
  });
  get('/code', async (context) => {
    const attempt = context.cookie('sign-in');
    const email = await signIns.findAttempt(attempt);
    if (email === undefined) context.redirect();
    else context.base.send(codePage({ email, attempt }));
  });
  post('/code', async (context) => {
    context.count('guess', 'Too many codes were tried from your address.');
    const attempt = context.field('attempt') || context.cookie('sign-in');
    try {
      await context.enter('sign-in', (begin) => signIns.redeem(attempt, context.field('code'), begin));
    } catch (error) {
      if (!(error instanceof AccountError && error.code === 'CODE_WRONG')) throw error;
      const email = await signIns.findAttempt(attempt);
      if (email === undefined) throw new AccountError('CODE_GONE', error.message);
      const { code, message } = error;
      context.base.send(codePage({ email, attempt, message, status: STATUS[code] }));
    }
  });
  get('/link', async (context) => {
    const [attempt, token] = ['attempt', 'token'].map((name) => context.base.query.get(name) ?? '') as [string, string];
    const email = await signIns.findAttempt(attempt);
    if (email === undefined) throw new AccountError('CODE_GONE', 'This link has been used or has expired.');
    context.base.send(linkPage(email, attempt, token));
  });
  post('/link', async (context) => {
    context.count('guess', 'Too many links were tried from your address.');
    await context.enter('sign-in', (begin) =>
      signIns.redeemLink(context.field('attempt'), context.field('token'), begin),
    );
  });
}

/*
 * A form's redirect to the company's provider, and from there to wherever the company signs people in, would be held up
 * by the policy `form-action 'self'` in some browsers, at each step; so the answer to the form is a page that goes on
 * by itself. Coming back changes nothing either, before the button of a page is pressed.
 */
const CALLBACK = '/provider/callback';
/**
 * The parts of the provider's answer: names of its parameters, and of the form's fields (RFC 6749, 4.1.2; RFC 9207).
 */
const ANSWER = ['code', 'state', 'iss'] as const;

function addProviderRoutes({ get, post }: Routes, { accounts, cookies }: AccountSite, provider: Provider): void {
  const callbackUrl = ({ base }: AccountContext): string => `${base.site.siteUrl}/account${CALLBACK}`;

  post('/provider', async (context) => {
    context.count('provider', 'Too many sign-ins were begun from your address.');
    const signed = await context.find();
    const { id, url } = await provider.begin(callbackUrl(context), signed?.account.email);
    context.base.send(leavingPage(provider.name, url), [
      ...cookies.header('provider-sign-in', id),
      'refresh',
      `0; url=${url}`,
    ]);
  });
  get(CALLBACK, (context) => {
    const { query } = context.base;
    const refusal = query.get('error');
    if (refusal !== null) throw new ProviderError('PROVIDER_REFUSED', `it refuses with ${nameIn(refusal)}`);
    context.base.send(
      arrivalPage(
        provider.name,
        ANSWER.map((name) => [name, query.get(name) ?? '']),
      ),
    );
  });
  post(CALLBACK, async (context) => {
    context.count('provider', 'Too many sign-ins were tried from your address.');
    const sent = ANSWER.map((name): [string, string] => [name, context.field(name)]).filter(([, text]) => text !== '');
    const id = context.cookie('provider-sign-in');
    const { email, provedMs, uses } = await provider.prove(id, callbackUrl(context), new URLSearchParams(sent));
    await context.enter('provider-sign-in', (begin) => accounts.signIns.signInAs(email, uses, begin, provedMs));
  });
}

/** An error code of the protocol, for the log; other texts are not repeated there. */
function nameIn(text: string): string {
  return /^[a-z_]{1,40}$/.test(text) ? text : 'something else';
}

export function createAccountRouter(site: AccountSite, open: Opener, logger: Logger): Router {
  const { accounts, mailer, provider } = site;
  const router = Router({ caseSensitive: true });
  router.post('/{*path}', checkForm(open), express.urlencoded({ extended: false, limit: MAX_FORM_BYTES }));
  // After the body parser: the last bytes of a body arrive outside of the request's async context.
  router.use((_request, _response, next) => withinWaitLimits(site.waitLimits, next));
  const contextOf = (request: Request, response: Response): AccountContext =>
    new AccountContext(site, open(request, response), logger);
  const get: AddRoute = (path, answer) =>
    void router.get(path, (request, response) => answer(contextOf(request, response)));
  const routes: Routes = {
    get,
    post(path, answer) {
      router.post(path, (request, response) => answer(contextOf(request, response)));
      get(path, (context) => context.redirect());
    },
  };
  get('/', async (context) => {
    const signed = await context.find();
    if (signed === undefined) context.base.send(signInPage(context.ways));
    else await context.showDashboard({}, signed);
  });
  if (mailer !== undefined) addMailRoutes(routes, accounts, mailer);
  if (provider !== undefined) addProviderRoutes(routes, site, provider);
  addKeyRoutes(routes, site);
  addLeavingRoutes(routes, site);
  router.use(handleErrors(contextOf, logger));
  return router;
}

/** Refuses forms of other sites and other bodies, which the server has discarded (app.ts). */
function checkForm(open: Opener): RequestHandler {
  return (request, response, next) => {
    const context = open(request, response);
    const hasBody = ['transfer-encoding', 'content-length'].some((name) => request.headers[name] !== undefined);
    if (!isSameOrigin(request, context.site.siteUrl)) {
      context.send(refusalPage('Not from here', 'Only pages of this site can change an account.', 403));
    } else if (hasBody && !hasForm(request)) context.send(unreadablePage());
    else next();
  };
}

function handleErrors(
  contextOf: (request: Request, response: Response) => AccountContext,
  logger: Logger,
): ErrorRequestHandler {
  return async (thrown: unknown, request, response, next) => {
    if (response.headersSent) return next(thrown);
    const context = contextOf(request, response);
    let error = thrown;
    if (error instanceof AccountError) {
      try {
        return await refuse(context, error);
      } catch (trouble) {
        // The store failed while the account was looked up for the page.
        error = trouble;
      }
    }
    const page = troublePage(error);
    if (page === undefined) return next(error);
    const { message } = error as Error;
    const isOutage = page.status === 503;
    if (error instanceof ProviderError) {
      const fields = { code: error.code, problem: message };
      if (isOutage) logger.error(fields, 'the provider could not be asked');
      else logger.warn(fields, 'a sign-in through the provider was refused');
    } else if (isOutage) logger.error({ problem: message }, 'an account could not be asked');
    context.base.send(page, isOutage ? ['retry-after', '30'] : []);
  };
}

async function refuse(context: AccountContext, error: AccountError): Promise<void> {
  const { code, message, waitSeconds } = error;
  if (code === 'SIGNED_OUT') return context.redirect(FORGOTTEN);
  const headers = waitSeconds === null ? [] : ['retry-after', String(waitSeconds)];
  const page = outcomePageOf(error);
  if (page !== undefined) return context.base.send(page, headers);
  const signed = await context.find();
  const status = STATUS[code];
  if (signed === undefined) {
    return context.base.send(signInPage({ ...context.ways, message, status, email: context.field('email') }), headers);
  }
  if (code === 'SIGN_IN_STALE') return context.base.send(freshPage(signed.account.email, context.ways));
  const shown = error instanceof RefusedFormError ? { refused: error.form } : { message };
  await context.showDashboard({ ...shown, status }, signed);
}
