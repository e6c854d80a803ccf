/** What the pages of documents share: where a document stands, all documents by section, and tables of contents. */

import type { DocsEntry, DocsLibrary } from '../docs/docs-library.js';
import { breadcrumbTrail } from '../html/breadcrumbs.js';
import { type Content, type Html, html } from '../html/html.js';
import type { PageContext } from '../html/page.js';

export const DOCS = { name: 'Docs', path: '/docs' };

/** Links to the contents of all documents and to the section of this one. */
export function docsTrail({ sections }: DocsLibrary, path: string): Html {
  const section = sections.find(({ entries }) => entries.some((entry) => entry.path === path));
  return breadcrumbTrail(section === undefined ? [DOCS] : [DOCS, { name: section.title, path: `/docs#${section.id}` }]);
}

/** All documents by section. */
export function docsNav({ sections }: DocsLibrary, path: string): Html {
  return html`<nav class="documents" aria-label="Documents">${sections.map(
    ({ id, title, entries }) => html`<h2><a href="/docs#${id}">${title}</a></h2>
<ul>${entries.map(
      (entry) =>
        html`<li><a href="${entry.path}"${entry.path === path && html` aria-current="page"`}>${entry.title}</a></li>`,
    )}</ul>`,
  )}</nav>`;
}

/** Links to the document before this one and to the one after it. */
export function docsNeighbours({ sections }: DocsLibrary, path: string): Html {
  const all = sections.flatMap(({ entries }) => entries);
  const at = all.findIndex((entry) => entry.path === path);
  const link = (rel: 'prev' | 'next', name: string, entry: DocsEntry | undefined): Content =>
    entry !== undefined && html`<a rel="${rel}" href="${entry.path}"><span>${name}</span> ${entry.title}</a>`;
  return html`<nav class="neighbours" aria-label="Previous and next document">${link('prev', 'Previous', all[at - 1])}${link('next', 'Next', all[at + 1])}</nav>`;
}

export interface ContentsItem {
  readonly href: string;
  readonly text: string;
}

export function contents(items: readonly ContentsItem[]): Html {
  return html`<nav class="contents" aria-label="On this page">${listOf(items)}</nav>`;
}

/** Folded on a phone; elsewhere it may be scrolled, so it is focusable. Groups without items are left out. */
export function groupedContents(
  groups: readonly { readonly title: string; readonly items: readonly ContentsItem[] }[],
): Html {
  return html`<nav class="contents" aria-label="On this page" tabindex="0"><details class="folded"><summary>On this page</summary>${groups.map(
    ({ title, items }) => items.length > 0 && html`<div><p>${title}</p>${listOf(items)}</div>`,
  )}</details></nav>`;
}

function listOf(items: readonly ContentsItem[]): Html {
  return html`<ul>${items.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul>`;
}

export interface DocsContext extends PageContext {
  readonly docs: DocsLibrary;
}
