/** Breadcrumbs: the units around a page's subject, as links on the page and as linked data. */

import { type Html, html } from './html.js';

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

export interface Crumb {
  readonly name: string;
  readonly path: string;
  /** What the place is, where the one before has the same name. */
  readonly kind?: string | undefined;
}

export function trail(crumbs: readonly Crumb[]): Html {
  return html`<nav class="trail" aria-label="Breadcrumb"><ol>${crumbs.map(
    ({ name, path, kind }) =>
      html`<li><a href="${path}" dir="auto">${name}</a>${kind !== undefined && html` <span class="note">${kind}</span>`}</li>`,
  )}</ol></nav>`;
}
