/** The routes for keys, for signing out and for closing the account. */
import type { Request, Response, Router } from 'express';
import { AccountError } from '../../accounts/account-error.js';
import { KeyStoreError } from '../../storage/key-store-error.js';
import { PRIVATE_HEADERS } from '../headers.js';
import { JSON_TYPE, sendOnce } from '../responses.js';
import type { AccountContext } from './account-context.js';
import { OVERLAP_SECONDS } from './dashboard-page.js';
import { field, idIn, move } from './forms.js';
import { summarizeKeys } from './key-summary.js';
import { NEW_FORM, parseTyped, type RefusedForm, readTyped } from './publishable-form.js';
import { closedPage, refusalPage } from './sign-in-pages.js';

export function addKeyRoutes(router: Router, accountContext: AccountContext): void {
  const { accounts, planOf, clock } = accountContext.site;
  const showKey = (request: Request, response: Response) => (shown: { keyId: string; clearKey: string }) =>
    accountContext.showDashboard(request, response, { shown });

  const refuse = (request: Request, response: Response, refused: RefusedForm) =>
    accountContext.showDashboard(request, response, { refused, status: 422 });

  router.get('/keys', async (request, response, next) => {
    // A browser that goes to this address asks for a page.
    if (request.accepts(['html', 'json']) !== 'json') return next();
    const signed = await accountContext.find(request);
    const keys = signed === undefined ? [] : await accounts.keysOf(signed.account);
    sendJson(response, { keys: summarizeKeys(keys, planOf, clock()), isFresh: signed?.isFresh ?? false });
  });

  router.get('/keys/publishable', async (request, response, next) => {
    if (request.accepts(['html', 'json']) !== 'json') return next();
    const signed = await accountContext.find(request);
    sendJson(response, { keys: signed === undefined ? [] : await accounts.publishableKeysOf(signed.account) });
  });

  router.post('/keys', async (request, response) => {
    await accountContext.act(
      request,
      response,
      'made',
      ({ token }) => accounts.makeKey(token),
      showKey(request, response),
    );
  });
  router.post('/keys/publishable', async (request, response) => {
    const typed = readTyped(request);
    const parsed = parseTyped(typed);
    if ('message' in parsed) return await refuse(request, response, { keyId: null, typed, message: parsed.message });
    await accountContext.act(
      request,
      response,
      'made',
      ({ token }) => accounts.makeKey(token, parsed),
      showKey(request, response),
    );
  });
  router.post('/keys/:id/restrict', async (request, response) => {
    const keyId = idIn(request);
    const typed = { ...readTyped(request), name: NEW_FORM.name };
    const parsed = parseTyped(typed);
    if ('message' in parsed) return await refuse(request, response, { keyId, typed, message: parsed.message });
    await accountContext.act(
      request,
      response,
      'changed',
      ({ token }) => accounts.restrictKey(token, keyId, parsed.restrictions),
      () => move(response, '/account'),
    );
  });
  router.post('/keys/:id/reveal', async (request, response) => {
    const keyId = idIn(request);
    await accountContext.act(
      request,
      response,
      'revealed',
      async ({ token }) => ({ keyId, clearKey: await accounts.revealKey(token, keyId) }),
      request.accepts(['html', 'json']) === 'json' ? (key) => sendJson(response, key) : showKey(request, response),
    );
  });
  router.post('/keys/:id/replace', async (request, response) => {
    const overlap = field(request, 'overlap');
    const seconds = OVERLAP_SECONDS.find((known) => String(known) === overlap);
    if (seconds === undefined) {
      throw new AccountError('CONFIRMATION_WRONG', 'Choose when the old key expires; nothing was replaced.');
    }
    await accountContext.act(
      request,
      response,
      'replaced',
      ({ token }) => accounts.replaceKey(token, idIn(request), seconds * 1000),
      showKey(request, response),
    );
  });
  router.post('/keys/:id/revoke', async (request, response) => {
    await accountContext.act(
      request,
      response,
      'revoked',
      ({ token }) => accounts.revokeKey(token, idIn(request), field(request, 'name')),
      () => move(response, '/account'),
    );
  });
}

/** For the script of the reference. */
function sendJson(response: Response, value: object): void {
  sendOnce(response, 200, JSON_TYPE, JSON.stringify(value), [], PRIVATE_HEADERS);
}

export function addLeavingRoutes(router: Router, accountContext: AccountContext): void {
  const { accounts, cookies } = accountContext.site;
  const forgotten = cookies.header('session', '');

  router.post('/sign-out', async (request, response) => {
    try {
      await accounts.signOut(cookies.read(request, 'session'));
      move(response, '/account', forgotten);
    } catch (error) {
      if (!(error instanceof KeyStoreError)) throw error;
      const message =
        'This browser has forgotten your account. The session itself could not be ended at the moment: sign in again later and choose “Sign out everywhere”.';
      accountContext
        .open(request, response)
        .send(refusalPage('Signed out in this browser', message, 503), [...forgotten]);
    }
  });
  router.post('/sign-out-everywhere', async (request, response) => {
    const { token } = await accountContext.require(request);
    await accounts.signOutEverywhere(token);
    move(response, '/account', forgotten);
  });
  router.post('/close', async (request, response) => {
    await accountContext.act(
      request,
      response,
      'closed',
      ({ token }) => accounts.close(token, field(request, 'email')),
      () => accountContext.open(request, response).send(closedPage(), [...forgotten]),
    );
  });
}
