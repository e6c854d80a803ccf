/**
 * The routes below /account. A GET changes nothing; every change is a POST from a page of the site. No response is
 * cached. AccountErrors become pages here. All waits of a request for Redis together have one deadline.
 */

import express, {
  type ErrorRequestHandler,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import type { Logger } from '../../base/logger.js';
import { AccountError } from '../../keys/accounts/account-error.js';
import type { RequestedCode } from '../../keys/accounts/sign-ins.js';
import { KeyStoreError } from '../../keys/storage/key-store-error.js';
import { withinWaitLimits } from '../../keys/storage/redis-wait.js';
import type { Opener } from '../http/request-context.js';
import { JSON_TYPE, PRIVATE_HEADERS, redirectAfterForm, sendOnce } from '../http/responses.js';
import { AccountContext } from './account-context.js';
import { OVERLAP_SECONDS } from './dashboard-page.js';
import { formField, hasForm, idIn, MAX_FORM_BYTES } from './form-body.js';
import { summarizeKeys } from './key-summaries.js';
import type { Mailer } from './mailer.js';
import { codeMail } from './mails.js';
import type { AccountSite } from './open-accounts.js';
import { closedPage, outcomePageOf, refusalPage, STATUS, troublePage, unreadablePage } from './outcome-pages.js';
import { ProviderError } from './provider-error.js';
import type { Provider } from './provider-sign-in.js';
import { NEW_FORM, parseRestrictionForm, type RefusedForm, readRestrictionForm } from './restriction-form.js';
import { isSameOrigin } from './same-origin.js';
import { arrivalPage, codePage, freshPage, leavingPage, linkPage, signInPage } from './sign-in-pages.js';

function addKeyRoutes(router: Router, account: AccountContext): void {
  const { accounts, planOf, clock } = account.site;
  const showKey = (request: Request, response: Response) => (shown: { keyId: string; clearKey: string }) =>
    account.showDashboard(request, response, { shown });

  const refuse = (request: Request, response: Response, refused: RefusedForm) =>
    account.showDashboard(request, response, { refused, status: 422 });

  router.get('/keys', async (request, response, next) => {
    // A browser that goes to this address asks for a page.
    if (request.accepts(['html', 'json']) !== 'json') return next();
    const signed = await account.find(request);
    const keys = signed === undefined ? [] : await accounts.keysOf(signed.account);
    sendJson(response, { keys: summarizeKeys(keys, planOf, clock()), isFresh: signed?.isFresh ?? false });
  });

  router.get('/keys/publishable', async (request, response, next) => {
    if (request.accepts(['html', 'json']) !== 'json') return next();
    const signed = await account.find(request);
    sendJson(response, { keys: signed === undefined ? [] : await accounts.publishableKeysOf(signed.account) });
  });

  router.post('/keys', async (request, response) => {
    await account.act(request, response, 'made', ({ token }) => accounts.makeKey(token), showKey(request, response));
  });
  router.post('/keys/publishable', async (request, response) => {
    const typed = readRestrictionForm(request);
    const parsed = parseRestrictionForm(typed);
    if ('message' in parsed) return await refuse(request, response, { keyId: null, typed, message: parsed.message });
    await account.act(
      request,
      response,
      'made',
      ({ token }) => accounts.makeKey(token, parsed),
      showKey(request, response),
    );
  });
  router.post('/keys/:id/restrict', async (request, response) => {
    const keyId = idIn(request);
    const typed = { ...readRestrictionForm(request), name: NEW_FORM.name };
    const parsed = parseRestrictionForm(typed);
    if ('message' in parsed) return await refuse(request, response, { keyId, typed, message: parsed.message });
    await account.act(
      request,
      response,
      'changed',
      ({ token }) => accounts.restrictKey(token, keyId, parsed.restrictions),
      () => redirectAfterForm(response, '/account'),
    );
  });
  router.post('/keys/:id/reveal', async (request, response) => {
    const keyId = idIn(request);
    await account.act(
      request,
      response,
      'revealed',
      async ({ token }) => ({ keyId, clearKey: await accounts.revealKey(token, keyId) }),
      request.accepts(['html', 'json']) === 'json' ? (key) => sendJson(response, key) : showKey(request, response),
    );
  });
  router.post('/keys/:id/replace', async (request, response) => {
    const overlap = formField(request, 'overlap');
    const seconds = OVERLAP_SECONDS.find((known) => String(known) === overlap);
    if (seconds === undefined) {
      throw new AccountError('CONFIRMATION_WRONG', 'Choose when the old key expires; nothing was replaced.');
    }
    await account.act(
      request,
      response,
      'replaced',
      ({ token }) => accounts.replaceKey(token, idIn(request), seconds * 1000),
      showKey(request, response),
    );
  });
  router.post('/keys/:id/revoke', async (request, response) => {
    await account.act(
      request,
      response,
      'revoked',
      ({ token }) => accounts.revokeKey(token, idIn(request), formField(request, 'name')),
      () => redirectAfterForm(response, '/account'),
    );
  });
}

/** For the script of the reference. */
function sendJson(response: Response, value: object): void {
  sendOnce(response, 200, JSON_TYPE, JSON.stringify(value), [], PRIVATE_HEADERS);
}

function addLeavingRoutes(router: Router, account: AccountContext): void {
  const { accounts, cookies } = account.site;
  const forgotten = cookies.header('session', '');

  router.post('/sign-out', async (request, response) => {
    try {
      await accounts.signOut(cookies.read(request, 'session'));
      redirectAfterForm(response, '/account', forgotten);
    } catch (error) {
      if (!(error instanceof KeyStoreError)) throw error;
      const message =
        'This browser has forgotten your account. The session itself could not be ended at the moment: sign in again later and choose “Sign out everywhere”.';
      account.open(request, response).send(refusalPage('Signed out in this browser', message, 503), [...forgotten]);
    }
  });
  router.post('/sign-out-everywhere', async (request, response) => {
    const { token } = await account.require(request);
    await accounts.signOutEverywhere(token);
    redirectAfterForm(response, '/account', forgotten);
  });
  router.post('/close', async (request, response) => {
    await account.act(
      request,
      response,
      'closed',
      ({ token }) => accounts.close(token, formField(request, 'email')),
      () => account.open(request, response).send(closedPage(), [...forgotten]),
    );
  });
}

/** A code is sent to an address and typed back, or comes back by the link and the button of its page. */
function addMailRoutes(router: Router, account: AccountContext, mailer: Mailer): void {
  const { accounts, cookies } = account.site;

  async function sendCode(request: Request, response: Response, requested: RequestedCode): Promise<void> {
    try {
      await mailer.send(codeMail(account.open(request, response).site.siteUrl, requested));
    } catch (error) {
      // Nothing was sent: the next try must not be one too many.
      await accounts.signIns.withdrawCode(requested);
      throw error;
    }
    redirectAfterForm(response, '/account/code', cookies.header('sign-in', requested.attempt));
  }

  const countAction = (request: Request): void =>
    account.countAction(request, 'mail', 'Too many codes were asked for from your address.');

  router.post('/sign-in', async (request, response) => {
    countAction(request);
    await sendCode(request, response, await accounts.signIns.requestCode(formField(request, 'email')));
  });
  router.post('/fresh', async (request, response) => {
    const signed = await account.require(request);
    countAction(request);
    await sendCode(request, response, await accounts.signIns.requestFreshCode(signed.account));
  });
  router.get('/code', async (request, response) => {
    const attempt = cookies.read(request, 'sign-in');
    const email = await accounts.signIns.findAttempt(attempt);
    if (email === undefined) redirectAfterForm(response, '/account');
    else account.open(request, response).send(codePage({ email, attempt }));
  });
  router.post('/code', async (request, response) => {
    account.countAction(request, 'guess', 'Too many codes were tried from your address.');
    const attempt = formField(request, 'attempt') || cookies.read(request, 'sign-in');
    try {
      await account.enter(request, response, 'sign-in', (begin) =>
        accounts.signIns.redeem(attempt, formField(request, 'code'), begin),
      );
    } catch (error) {
      if (!(error instanceof AccountError && error.code === 'CODE_WRONG')) throw error;
      const email = await accounts.signIns.findAttempt(attempt);
      if (email === undefined) throw new AccountError('CODE_GONE', error.message);
      const { code, message } = error;
      account.open(request, response).send(codePage({ email, attempt, message, status: STATUS[code] }));
    }
  });
  router.get('/link', async (request, response) => {
    const { query } = account.open(request, response);
    const [attempt, token] = [query.get('attempt') ?? '', query.get('token') ?? ''];
    const email = await accounts.signIns.findAttempt(attempt);
    if (email === undefined) throw new AccountError('CODE_GONE', 'This link has been used or has expired.');
    account.open(request, response).send(linkPage(email, attempt, token));
  });
  router.post('/link', async (request, response) => {
    account.countAction(request, 'guess', 'Too many links were tried from your address.');
    await account.enter(request, response, 'sign-in', (begin) =>
      accounts.signIns.redeemLink(formField(request, 'attempt'), formField(request, 'token'), begin),
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

function addProviderRoutes(router: Router, account: AccountContext, provider: Provider): void {
  const { accounts, cookies } = account.site;
  const callbackUrl = (request: Request, response: Response): string =>
    `${account.open(request, response).site.siteUrl}/account${CALLBACK}`;

  router.post('/provider', async (request, response) => {
    account.countAction(request, 'provider', 'Too many sign-ins were begun from your address.');
    const signed = await account.find(request);
    const { id, url } = await provider.begin(callbackUrl(request, response), signed?.account.email);
    const headers = [...cookies.header('provider-sign-in', id), 'refresh', `0; url=${url}`];
    account.open(request, response).send(leavingPage(provider.name, url), headers);
  });

  router.get(CALLBACK, (request, response) => {
    const context = account.open(request, response);
    const answer = ANSWER.map((name) => [name, context.query.get(name) ?? ''] as const);
    const refusal = context.query.get('error');
    if (refusal !== null) throw new ProviderError('PROVIDER_REFUSED', `it refuses with ${nameIn(refusal)}`);
    context.send(arrivalPage(provider.name, answer));
  });

  router.post(CALLBACK, async (request, response) => {
    account.countAction(request, 'provider', 'Too many sign-ins were tried from your address.');
    const answer = new URLSearchParams();
    for (const name of ANSWER) if (formField(request, name) !== '') answer.set(name, formField(request, name));
    const id = cookies.read(request, 'provider-sign-in');
    const { email, provedMs, uses } = await provider.prove(id, callbackUrl(request, response), answer);
    await account.enter(request, response, 'provider-sign-in', (begin) =>
      accounts.signIns.signInAs(email, uses, begin, provedMs),
    );
  });
}

/** An error code of the protocol, for the log; other texts are not repeated there. */
function nameIn(text: string): string {
  return /^[a-z_]{1,40}$/.test(text) ? text : 'something else';
}

const FORMS = [
  ...['/sign-in', '/fresh', '/provider', '/keys', '/keys/:id/reveal', '/keys/:id/replace', '/keys/:id/revoke'],
  ...['/keys/publishable', '/keys/:id/restrict'],
  ...['/sign-out', '/sign-out-everywhere', '/close'],
];

export function createAccountRouter(site: AccountSite, open: Opener, logger: Logger): Router {
  const { mailer, provider } = site;
  const account = new AccountContext(site, open, logger);
  const router = Router({ caseSensitive: true });
  router.post('/{*path}', refuseForeign(open));
  router.post('/{*path}', refuseOtherBodies(open));
  router.post('/{*path}', express.urlencoded({ extended: false, limit: MAX_FORM_BYTES }));
  // After the body parser: the last bytes of a body arrive outside of the request's async context.
  router.use((_request, _response, next) => withinWaitLimits(site.waitLimits, next));
  router.get('/', async (request, response) => {
    const signed = await account.find(request);
    if (signed === undefined) open(request, response).send(signInPage(account.ways));
    else await account.showDashboard(request, response, {}, signed);
  });
  if (mailer !== undefined) addMailRoutes(router, account, mailer);
  if (provider !== undefined) addProviderRoutes(router, account, provider);
  addKeyRoutes(router, account);
  addLeavingRoutes(router, account);
  // Where a form was sent to, and is asked for again as a page.
  router.get(FORMS, (_, response) => redirectAfterForm(response, '/account'));
  router.use(handleErrors(account, logger));
  return router;
}

function refuseForeign(open: Opener): RequestHandler {
  return (request, response, next) => {
    const context = open(request, response);
    if (isSameOrigin(request, context.site.siteUrl)) next();
    else context.send(refusalPage('Not from here', 'Only pages of this site can change an account.', 403));
  };
}

/** The server discards every body that is no form (app.ts), so there is nothing to read. */
function refuseOtherBodies(open: Opener): RequestHandler {
  return (request, response, next) => {
    if (request.headers['transfer-encoding'] === undefined && request.headers['content-length'] === undefined) next();
    else if (hasForm(request)) next();
    else open(request, response).send(unreadablePage());
  };
}

function handleErrors(account: AccountContext, logger: Logger): ErrorRequestHandler {
  return async (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    if (error instanceof AccountError) {
      try {
        return await refuse(account, error, request, response);
      } catch (trouble) {
        // The store failed while the account was looked up for the page.
        return tell(trouble, request, response, next);
      }
    }
    tell(error, request, response, next);
  };

  function tell(error: unknown, request: Request, response: Response, next: NextFunction): void {
    const page = troublePage(error);
    if (page === undefined) {
      next(error);
      return;
    }
    const { message } = error as Error;
    const isOutage = page.status === 503;
    if (error instanceof ProviderError) {
      const fields = { code: error.code, problem: message };
      if (isOutage) logger.error(fields, 'the provider could not be asked');
      else logger.warn(fields, 'a sign-in through the provider was refused');
    } else if (isOutage) logger.error({ problem: message }, 'an account could not be asked');
    account.open(request, response).send(page, isOutage ? ['retry-after', '30'] : []);
  }
}

async function refuse(
  account: AccountContext,
  error: AccountError,
  request: Request,
  response: Response,
): Promise<void> {
  const { code, message, waitSeconds } = error;
  if (code === 'SIGNED_OUT') return redirectAfterForm(response, '/account', account.site.cookies.header('session', ''));
  const context = account.open(request, response);
  const headers = waitSeconds === null ? [] : ['retry-after', String(waitSeconds)];
  const page = outcomePageOf(error);
  if (page !== undefined) return context.send(page, headers);
  const signed = await account.find(request);
  const status = STATUS[code];
  if (signed === undefined) {
    return context.send(signInPage({ ...account.ways, message, status, email: formField(request, 'email') }), headers);
  }
  if (code === 'SIGN_IN_STALE') return context.send(freshPage(signed.account.email, account.ways));
  await account.showDashboard(request, response, { message, status }, signed);
}
