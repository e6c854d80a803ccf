/** The pages for signing in: for the address, the code and the mailed link, and for refusals. */

import type { AccountError, AccountErrorCode } from '../../keys/accounts/account-error.js';
import { CODE_MINUTES } from '../../keys/accounts/mailed-codes.js';
import { KeyStoreError } from '../../keys/storage/key-store-error.js';
import { type Html, html } from '../html/html.js';
import type { Page } from '../html/layout.js';
import { MailError } from './mailer.js';
import { ProviderError, type ProviderErrorCode } from './provider.js';

/** A page of accounts; search engines index none of them. */
export function accountPage(title: string, body: Html, status = 200): Page {
  return {
    title,
    description: 'Your account and its API key.',
    canonicalPath: undefined,
    status,
    isPrivate: true,
    body,
  };
}

/** The error of the last form; screen readers announce it. */
export function problem(message: string | undefined): Html | undefined {
  return message === undefined ? undefined : html`<p class="problem" role="alert">${message}</p>`;
}

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
${problem(message)}
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
${problem(message)}
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
${freshForms(email, ways)}
<p class="note"><a href="/account">Back to your account</a></p></div>`,
    403,
  );
}

export function freshForms(email: string, { hasMail, provider }: SignInWays): Html {
  return html`${hasMail && html`<form method="post" action="/account/fresh"><button class="main">Send a code to ${email}</button></form>`}
${provider !== undefined && providerForm(`Sign in with ${provider} again`)}`;
}

function providerForm(button: string): Html {
  return html`<form method="post" action="/account/provider"><button class="main">${button}</button></form>`;
}

export function refusalPage(title: string, message: string, status: number): Page {
  return accountPage(
    title,
    html`<div class="narrow"><h1>${title}</h1>
<p>${message}</p>
<p><a href="/account">Back to your account</a></p></div>`,
    status,
  );
}

/** After an action, if the dashboard can't be shown. */
export function donePage(): Page {
  return refusalPage(
    'Done',
    'Your change was made, but your account can’t be shown at the moment. Please reload it in a minute.',
    503,
  );
}

export function closedPage(): Page {
  return accountPage(
    'Your account is closed',
    html`<div class="narrow"><h1>Your account is closed</h1>
<p class="lede">Its keys are refused from now on, and your address has been deleted.</p>
<p><a href="/">Back to the home page</a></p></div>`,
  );
}

export function noAccountsPage(): Page {
  return accountPage(
    'No accounts here',
    html`<div class="narrow"><h1>No accounts here</h1>
<p class="lede">The operator of this site gives out API keys in another way.</p>
<p><a href="/docs">The documentation</a> has every call.</p></div>`,
    404,
  );
}

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

export const STATUS: Readonly<Record<AccountErrorCode, number>> = {
  ADDRESS_INVALID: 422,
  ADDRESS_REFUSED: 403,
  MAILBOX_TAKEN: 409,
  CODE_GONE: 410,
  CODE_WRONG: 422,
  LIMITED: 429,
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

/** The page of an AccountError; undefined if the user's own page shows its message. */
export function accountRefusal({ code, message }: AccountError): Page | undefined {
  if (code === 'LIMITED') return refusalPage('Too many requests', message, STATUS[code]);
  return code === 'KEY_UNKNOWN' ? refusalPage('Key not found', message, STATUS[code]) : undefined;
}

const PROVIDER_REFUSALS: Readonly<
  Record<ProviderErrorCode, readonly [title: string, message: string, status: number]>
> = {
  PROVIDER_FAILED: [
    'Sign-in is not available at the moment',
    'Your company’s sign-in can’t be reached or gave an unexpected response. Please try again in a minute.',
    503,
  ],
  PROVIDER_REFUSED: ['You were not signed in', 'Your company’s sign-in did not let you in here.', 403],
  ANSWER_WRONG: [
    'You were not signed in',
    'This response does not belong to a sign-in of this browser. Please start again.',
    403,
  ],
  SIGN_IN_GONE: [
    'This sign-in has expired',
    'It was used, has expired, or was not started in this browser. Please start again.',
    410,
  ],
  ADDRESS_UNVERIFIED: [
    'Your address is not verified',
    'Your company’s sign-in does not confirm that you own your e-mail address, so you can’t use it here.',
    403,
  ],
  NOT_FRESH: [
    'You were not signed in again',
    'Your company’s sign-in does not confirm that you signed in just now, which this action needs.',
    403,
  ],
};

export function unreadablePage(): Page {
  return refusalPage('Bad request', 'The request is not a form of this site.', 400);
}

/** The page for failures of mail, the provider or the store, and for bad requests; undefined for a defect. */
export function troublePage(error: unknown): Page | undefined {
  if (error instanceof MailError) {
    return refusalPage(
      'Mail is not available at the moment',
      'The code could not be sent. Please try again in a minute.',
      503,
    );
  }
  if (error instanceof ProviderError) return refusalPage(...PROVIDER_REFUSALS[error.code]);
  const { status } = error as { readonly status?: unknown };
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return unreadablePage();
  }
  if (!(error instanceof KeyStoreError)) return undefined;
  const what =
    error.code === 'KEY_STORE_UNSURE'
      ? 'The connection was lost: your change was made as a whole or not at all. Check your account again in a minute.'
      : 'Accounts can’t be reached at the moment. Nothing was changed. Please try again in a minute.';
  return refusalPage('Accounts are not available', what, 503);
}
