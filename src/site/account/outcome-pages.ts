/** The pages that say how a request to accounts ended: done, closed, refused or failed. */

import type { AccountError, AccountErrorCode } from '../../keys/accounts/account-error.js';
import { KeyStoreError } from '../../keys/storage/key-store-error.js';
import { html } from '../html/html.js';
import type { Page } from '../html/page.js';
import { accountPage } from './account-page.js';
import { MailError } from './mailer.js';
import { ProviderError, type ProviderErrorCode } from './provider-error.js';

export function refusalPage(title: string, message: string, status: number): Page {
  return accountPage(
    title,
    html`<div class="narrow"><h1>${title}</h1>
<p>${message}</p>
<p><a href="/account">Back to your account</a></p></div>`,
    status,
  );
}

/** For a change that was made while the dashboard can't be shown. */
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
  RESTRICTIONS_INVALID: 422,
};

/** The page of an AccountError; undefined if the dashboard or the sign-in page shows its message. */
export function outcomePageOf({ code, message }: AccountError): Page | undefined {
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
