/**
 * Linked data for search engines (JSON-LD with the vocabulary of schema.org) as a data block, which a strict
 * Content-Security-Policy lets pass, since nothing runs it. `<` is escaped, so no text can end the block.
 */
import { Html } from './html.js';

export function jsonLd(data: object): Html {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return new Html(`<script type="application/ld+json">{"@context":"https://schema.org",${json.slice(1)}</script>`);
}

/** Where a page stands: names and absolute addresses, the outermost first. */
export function breadcrumbs(items: readonly { readonly name: string; readonly url: string }[]): object {
  return {
    '@type': 'BreadcrumbList',
    itemListElement: items.map(({ name, url }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item: url,
    })),
  };
}
