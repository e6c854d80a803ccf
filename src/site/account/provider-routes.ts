/**
 * Sign-in through the company's provider. A form's redirect to the provider, and from there to wherever the company
 * signs people in, would be held up by the policy `form-action 'self'` in some browsers, at each step; so the answer to
 * the form is a page that goes on by itself. Coming back changes nothing either, before the button of a page is
 * pressed.
 */
import type { Request, Response, Router } from 'express';
import type { AccountContext } from './account-context.js';
import { field } from './forms.js';
import type { Provider } from './provider.js';
import { ProviderError } from './provider-error.js';
import { arrivalPage, leavingPage } from './provider-pages.js';

const CALLBACK = '/provider/callback';
/**
 * What the provider's answer is made of, as names of parameters and of the form's fields (RFC 6749, 4.1.2; RFC 9207).
 */
const ANSWER = ['code', 'state', 'iss'] as const;
export function addProviderRoutes(router: Router, accountContext: AccountContext, provider: Provider): void {
  const { accounts, cookies } = accountContext.site;
  const callbackUrl = (request: Request, response: Response): string =>
    `${accountContext.open(request, response).site.siteUrl}/account${CALLBACK}`;

  router.post('/provider', async (request, response) => {
    accountContext.requireTurn(request, 'provider', 'Too many sign-ins were begun from your address.');
    const signed = await accountContext.find(request);
    const { id, url } = await provider.begin(callbackUrl(request, response), signed?.account.email);
    const headers = [...cookies.header('provider-sign-in', id), 'refresh', `0; url=${url}`];
    accountContext.open(request, response).send(leavingPage(provider.name, url), headers);
  });

  router.get(CALLBACK, (request, response) => {
    const context = accountContext.open(request, response);
    const answer = ANSWER.map((name) => [name, context.query.get(name) ?? ''] as const);
    const refusal = context.query.get('error');
    if (refusal !== null) throw new ProviderError('PROVIDER_REFUSED', `it refuses with ${nameIn(refusal)}`);
    context.send(arrivalPage(provider.name, answer));
  });

  router.post(CALLBACK, async (request, response) => {
    accountContext.requireTurn(request, 'provider', 'Too many sign-ins were tried from your address.');
    const answer = new URLSearchParams();
    for (const name of ANSWER) if (field(request, name) !== '') answer.set(name, field(request, name));
    const id = cookies.read(request, 'provider-sign-in');
    const { email, provedMs, uses } = await provider.prove(id, callbackUrl(request, response), answer);
    await accountContext.enter(request, response, 'provider-sign-in', (begin) =>
      accounts.signIns.signInAs(email, uses, begin, provedMs),
    );
  });
}

/** An error code of the protocol, for the log; any other text is not repeated. */
function nameIn(text: string): string {
  return /^[a-z_]{1,40}$/.test(text) ? text : 'something else';
}
