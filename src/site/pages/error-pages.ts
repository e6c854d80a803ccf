/** The pages of errors that are the same at every address. */

import { html } from '../html/html.js';
import type { Page } from '../html/page.js';

function plainPage(status: number, title: string, text: string): Page {
  return {
    title,
    description: text,
    canonicalPath: undefined,
    status,
    body: html`<h1>${title}</h1>
<p>${text}</p>`,
  };
}

export function errorPage(): Page {
  return plainPage(
    500,
    'Something went wrong',
    'This page could not be shown. The error is on our side and was logged.',
  );
}

export function methodPage(): Page {
  return plainPage(405, 'Method not allowed', 'The pages of this site are read-only.');
}

export function tooManyPage(): Page {
  return plainPage(429, 'Too many requests', 'Your network sent too many requests. Please wait a few seconds.');
}
