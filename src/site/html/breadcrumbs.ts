/** Breadcrumbs: what a page's subject lies in, the outermost first, as links on the page and as linked data. */

import { type Html, html } from './html.js';
import type { SiteAddresses } from './page.js';

export interface Crumb {
  readonly name: string;
  readonly path: string;
  /** The kind of a place that has the name of the place around it. */
  readonly kind?: string | undefined;
}

export function breadcrumbTrail(crumbs: readonly Crumb[]): Html {
  return html`<nav class="trail" aria-label="Breadcrumb"><ol>${crumbs.map(
    ({ name, path, kind }) =>
      html`<li><a href="${path}" dir="auto">${name}</a>${kind !== undefined && html` <span class="note">${kind}</span>`}</li>`,
  )}</ol></nav>`;
}

/** As linked data; the last crumb is the page itself. */
export function breadcrumbList({ siteUrl }: SiteAddresses, crumbs: readonly Crumb[]): object {
  return {
    '@type': 'BreadcrumbList',
    itemListElement: crumbs.map(({ name, path }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item: siteUrl + path,
    })),
  };
}
