/**
 * Sign-in by mail: a code is sent to an address and typed back, or comes back by the link and the button of its page.
 */
import type { Request, Response, Router } from 'express';
import { AccountError } from '../../accounts/account-error.js';
import type { RequestedCode } from '../../accounts/sign-ins.js';
import type { AccountContext } from './account-context.js';
import { field, move } from './forms.js';
import type { Mailer } from './mailer.js';
import { codeMail } from './mails.js';
import { STATUS } from './refusals.js';
import { codePage, linkPage } from './sign-in-pages.js';

export function addMailRoutes(router: Router, accountContext: AccountContext, mailer: Mailer): void {
  const { accounts, cookies } = accountContext.site;

  async function sendCode(request: Request, response: Response, requested: RequestedCode): Promise<void> {
    try {
      await mailer.send(codeMail(accountContext.open(request, response).site.siteUrl, requested));
    } catch (error) {
      // Nothing was sent: the next try must not be one too many.
      await accounts.signIns.withdrawCode(requested);
      throw error;
    }
    move(response, '/account/code', cookies.header('sign-in', requested.attempt));
  }

  const requireTurn = (request: Request): void =>
    accountContext.requireTurn(request, 'mail', 'Too many codes were asked for from your address.');

  router.post('/sign-in', async (request, response) => {
    requireTurn(request);
    await sendCode(request, response, await accounts.signIns.requestCode(field(request, 'email')));
  });
  router.post('/fresh', async (request, response) => {
    const { account } = await accountContext.require(request);
    requireTurn(request);
    await sendCode(request, response, await accounts.signIns.requestFreshCode(account));
  });
  router.get('/code', async (request, response) => {
    const attempt = cookies.read(request, 'sign-in');
    const email = await accounts.signIns.findAttempt(attempt);
    if (email === undefined) move(response, '/account');
    else accountContext.open(request, response).send(codePage({ email, attempt }));
  });
  router.post('/code', async (request, response) => {
    accountContext.requireTurn(request, 'guess', 'Too many codes were tried from your address.');
    const attempt = field(request, 'attempt') || cookies.read(request, 'sign-in');
    try {
      await accountContext.enter(request, response, 'sign-in', (begin) =>
        accounts.signIns.redeem(attempt, field(request, 'code'), begin),
      );
    } catch (error) {
      if (!(error instanceof AccountError && error.code === 'CODE_WRONG')) throw error;
      const email = await accounts.signIns.findAttempt(attempt);
      if (email === undefined) throw new AccountError('CODE_GONE', error.message);
      const { code, message } = error;
      accountContext.open(request, response).send(codePage({ email, attempt, message, status: STATUS[code] }));
    }
  });
  router.get('/link', async (request, response) => {
    const { query } = accountContext.open(request, response);
    const [attempt, token] = [query.get('attempt') ?? '', query.get('token') ?? ''];
    const email = await accounts.signIns.findAttempt(attempt);
    if (email === undefined) throw new AccountError('CODE_GONE', 'This link has been used or has expired.');
    accountContext.open(request, response).send(linkPage(email, attempt, token));
  });
  router.post('/link', async (request, response) => {
    accountContext.requireTurn(request, 'guess', 'Too many links were tried from your address.');
    await accountContext.enter(request, response, 'sign-in', (begin) =>
      accounts.signIns.redeemLink(field(request, 'attempt'), field(request, 'token'), begin),
    );
  });
}
