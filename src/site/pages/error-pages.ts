/** Pages of what goes wrong. */
import { html } from '../html/html.js';
import type { Page } from '../page.js';

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
  return plainPage(500, 'Something broke', 'This page could not be made. It is not your fault, and it was noted.');
}

export function methodPage(): Page {
  return plainPage(405, 'Nothing to send here', 'The pages of this site can be read, and nothing else.');
}

export function tooManyPage(): Page {
  return plainPage(429, 'One moment', 'Too many requests came from your network. Please wait some seconds.');
}
