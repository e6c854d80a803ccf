/** The pages for signing in: for the address, the code and the mailed link, and to the company's provider and back. */

import { CODE_MINUTES } from '../../keys/accounts/mailed-codes.js';
import { type Html, html } from '../html/html.js';
import type { Page } from '../html/page.js';
import { accountPage, accountPageProblem } from './account-page.js';

/** The ways to sign in; at least one of them exists. */
export interface SignInWays {
  /** Whether codes are sent by mail. */
  readonly hasMail: boolean;
  /** The name of the sign-in provider; undefined without one. */
  readonly provider: string | undefined;
}

export interface SignInOptions extends SignInWays {
  readonly message?: string | undefined;
  readonly status?: number;
  /** The typed address. */
  readonly email?: string;
}

export function signInPage({ message, status = 200, email = '', provider, hasMail }: SignInOptions): Page {
  return accountPage(
    'Your account',
    html`<div class="narrow"><h1>Your account</h1>
<p class="lede">An account is free and gives you an API key. There is no password${hasMail && ': you get a code by mail'}.</p>
${accountPageProblem(message)}
${
  hasMail &&
  html`<form method="post" action="/account/sign-in" class="fields">
<label for="email">E-mail address</label>
<input id="email" type="email" name="email" value="${email}" autocomplete="email" required maxlength="254" autofocus>
<button class="main">Send me a code</button>
</form>`
}
${provider !== undefined && providerForm(`Sign in with ${provider}`)}
<p class="note">If you have no account yet, signing in creates one. We store your address, your keys, how often they are
used and your recent activity, and nothing else.</p></div>`,
    status,
  );
}

export interface CodeOptions {
  readonly email: string;
  readonly attempt: string;
  readonly message?: string | undefined;
  readonly status?: number;
}

export function codePage({ email, attempt, message, status = 200 }: CodeOptions): Page {
  return accountPage(
    'Enter the code',
    html`<div class="narrow"><h1>Enter the code</h1>
<p class="lede">We sent a code to ${email}. It works once, within ${CODE_MINUTES} minutes.</p>
${accountPageProblem(message)}
<form method="post" action="/account/code" class="fields">
<input type="hidden" name="attempt" value="${attempt}">
<label for="code">Code</label>
<input id="code" name="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" required maxlength="20"
 placeholder="BCDF-2345" autofocus>
<button class="main">Sign in</button>
</form>
<p class="note">No mail? Check your spam folder, or <a href="/account">request another code</a>. If you created your account with
another spelling of this address, such as one with a <code>+tag</code>, the code was sent to that one.</p></div>`,
    status,
  );
}

/** Mail scanners open links; only a person presses a button. */
export function linkPage(email: string, attempt: string, token: string): Page {
  return accountPage(
    'Sign in',
    html`<div class="narrow"><h1>Sign in as ${email}?</h1>
<p class="lede">Press the button if this is your address and you asked for the mail.</p>
<form method="post" action="/account/link">
<input type="hidden" name="attempt" value="${attempt}"><input type="hidden" name="token" value="${token}">
<button class="main">Sign in</button>
</form></div>`,
  );
}

/** For actions on keys, where the sign-in is more than ten minutes old. */
export function freshPage(email: string, ways: SignInWays): Page {
  return accountPage(
    'Confirm that it is you',
    html`<div class="narrow"><h1>Confirm that it is you</h1>
<p class="lede">To show, replace or revoke a key, or to close the account, sign in again. A sign-in counts for ten minutes.</p>
${freshSignInForms(email, ways)}
<p class="note"><a href="/account">Back to your account</a></p></div>`,
    403,
  );
}

export function freshSignInForms(email: string, { hasMail, provider }: SignInWays): Html {
  return html`${hasMail && html`<form method="post" action="/account/fresh"><button class="main">Send a code to ${email}</button></form>`}
${provider !== undefined && providerForm(`Sign in with ${provider} again`)}`;
}

function providerForm(button: string): Html {
  return html`<form method="post" action="/account/provider"><button class="main">${button}</button></form>`;
}

/** A header makes the browser go on by itself; the link is for browsers that don't. */
export function leavingPage(provider: string, url: string): Page {
  return accountPage(
    'Sign in',
    html`<div class="narrow"><h1>Sign in with ${provider}</h1>
<p class="lede">You sign in there and then return here.</p>
<p><a href="${url}">Continue to ${provider}</a></p></div>`,
  );
}

/** Opening the page changes nothing; its button, which a script presses, sends the provider's answer to the site. */
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
