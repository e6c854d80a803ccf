/** Sign-in by mail: a code is sent to an address and typed back, or comes back by the link and the button of its page. */
import type { Request, Response, Router } from 'express';
import { AccountError } from '../../accounts/account-error.js';
import { maskEmailAddress } from '../../accounts/email-address.js';
import type { AccountVisits } from './account-visits.js';
import { field, move } from './forms.js';
import type { Mailer } from './mailer.js';
import { codeMail } from './mails.js';
import { STATUS } from './refusals.js';
import { codePage, linkPage } from './sign-in-pages.js';

export function addMailRoutes(router: Router, visits: AccountVisits, mailer: Mailer): void {
  const { accounts, cookies } = visits.site;

  async function sendCode(request: Request, response: Response, typed: string): Promise<void> {
    visits.requireTurn(request, 'mail', 'Too many codes were asked for from your address.');
    const requested = await accounts.requestCode(typed);
    await mailer.send(codeMail(visits.open(request, response).site.siteUrl, requested));
    move(response, '/account/code', cookies.header('sign-in', requested.attempt));
  }

  router.post('/sign-in', (request, response) => sendCode(request, response, field(request, 'email')));
  router.post('/fresh', async (request, response) => {
    const { account } = await visits.require(request);
    await sendCode(request, response, account.email);
  });
  router.get('/code', async (request, response) => {
    const email = await accounts.findAttempt(cookies.read(request, 'sign-in'));
    if (email === undefined) move(response, '/account');
    else visits.open(request, response).send(codePage({ email }));
  });
  router.get('/link', async (request, response) => {
    const { query } = visits.open(request, response);
    const [attempt, code] = [query.get('attempt') ?? '', query.get('code') ?? ''];
    const email = await accounts.findAttempt(attempt);
    if (email === undefined) throw new AccountError('CODE_GONE', 'This link has been used or has expired.');
    visits.open(request, response).send(linkPage(maskEmailAddress(email), attempt, code));
  });
  router.post('/code', async (request, response) => {
    visits.requireTurn(request, 'guess', 'Too many codes were tried from your address.');
    const attempt = field(request, 'attempt') || cookies.read(request, 'sign-in');
    try {
      await visits.enter(request, response, 'sign-in', (begin) =>
        accounts.redeem(attempt, field(request, 'code'), begin),
      );
    } catch (error) {
      if (!(error instanceof AccountError && error.code === 'CODE_WRONG')) throw error;
      const email = await accounts.findAttempt(attempt);
      if (email === undefined) throw new AccountError('CODE_GONE', error.message);
      visits.open(request, response).send(codePage({ email, message: error.message, status: STATUS[error.code] }));
    }
  });
}
