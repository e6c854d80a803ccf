/** What a person who is signed in does with keys, and the ways to leave. */
import type { Router } from 'express';
import { AccountError } from '../../accounts/account-error.js';
import type { AccountVisits } from './account-visits.js';
import { OVERLAP_SECONDS } from './dashboard-page.js';
import { field, idIn, move } from './forms.js';
import { closedPage } from './sign-in-pages.js';

export function addKeyRoutes(router: Router, visits: AccountVisits): void {
  const { accounts } = visits.site;
  router.post('/keys', async (request, response) => {
    const { token } = await visits.require(request);
    await visits.showDashboard(request, response, { shown: await accounts.makeKey(token) });
  });
  router.post('/keys/:id/reveal', async (request, response) => {
    const { token, account } = await visits.require(request);
    const keyId = idIn(request);
    const clearKey = await accounts.revealKey(token, keyId);
    visits.notify(request, response, account.email, 'revealed');
    await visits.showDashboard(request, response, { shown: { keyId, clearKey } });
  });
  router.post('/keys/:id/replace', async (request, response) => {
    const { token, account } = await visits.require(request);
    const seconds = Number(field(request, 'overlap') || '0');
    if (!OVERLAP_SECONDS.includes(seconds)) throw new AccountError('CONFIRMATION_WRONG', 'There is no such overlap.');
    const shown = await accounts.replaceKey(token, idIn(request), seconds * 1000);
    visits.notify(request, response, account.email, 'replaced');
    await visits.showDashboard(request, response, { shown });
  });
  router.post('/keys/:id/revoke', async (request, response) => {
    const { token, account } = await visits.require(request);
    await accounts.revokeKey(token, idIn(request), field(request, 'name'));
    visits.notify(request, response, account.email, 'revoked');
    move(response, '/account');
  });
}

export function addLeavingRoutes(router: Router, visits: AccountVisits): void {
  const { accounts, cookies } = visits.site;
  router.post('/sign-out', async (request, response) => {
    await accounts.signOut(cookies.read(request, 'session'));
    move(response, '/account', cookies.header('session', ''));
  });
  router.post('/sign-out-everywhere', async (request, response) => {
    const { token } = await visits.require(request);
    await accounts.signOutEverywhere(token);
    move(response, '/account', cookies.header('session', ''));
  });
  router.post('/close', async (request, response) => {
    const { token } = await visits.require(request);
    const { email } = await accounts.close(token, field(request, 'email'));
    visits.notify(request, response, email, 'closed');
    visits.open(request, response).send(closedPage(), [...cookies.header('session', '')]);
  });
}
