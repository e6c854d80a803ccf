/** The pages on the way to the company's provider and back. */
import { html } from '../html/html.js';
import type { Page } from '../page.js';
import { accountPage } from './sign-in-pages.js';

/** The browser goes on by itself, by a header; the link is for one that does not. */
export function leavingPage(provider: string, url: string): Page {
  return accountPage(
    'Sign in',
    html`<div class="narrow"><h1>Sign in with ${provider}</h1>
<p class="lede">You sign in there and then return here.</p>
<p><a href="${url}">Continue to ${provider}</a></p></div>`,
  );
}

/** Opening the page does nothing; its button, which a script presses, brings the provider's answer home. */
export function arrivalPage(provider: string, fields: readonly (readonly [string, string])[]): Page {
  return accountPage(
    'Sign in',
    html`<div class="narrow"><h1>Back from ${provider}</h1>
<p class="lede">One more step to sign in here.</p>
<form method="post" action="/account/provider/callback" data-sends>
${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="main">Sign in</button>
</form></div>`,
  );
}
