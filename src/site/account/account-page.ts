/** The frame of the pages of accounts, which search engines don't index. */

import { type Html, html } from '../html/html.js';
import type { Page } from '../html/page.js';

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

/** The error of the last form, which screen readers announce. */
export function accountPageProblem(message: string | undefined): Html | undefined {
  return message === undefined ? undefined : html`<p class="problem" role="alert">${message}</p>`;
}
