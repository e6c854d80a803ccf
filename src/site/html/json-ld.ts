/**
 * Linked data for search engines (JSON-LD with the vocabulary of schema.org), as a data block: a strict
 * Content-Security-Policy lets it pass, since nothing runs it.
 */

import { Html } from './html.js';

export function jsonLd(data: object): Html {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return new Html(`<script type="application/ld+json">{"@context":"https://schema.org",${json.slice(1)}</script>`);
}
