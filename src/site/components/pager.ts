/** Links between the pages of a long list. */

import { formatNumber } from '../html/formats.js';
import { type Html, html } from '../html/html.js';
import { listPath } from '../reading/page-paths.js';

/** The end of a page's title, from the second page of a list on. */
export function pageNote(number: number): string {
  return number === 1 ? '' : `, page ${number}`;
}

export function pager(number: number, pageCount: number, path: string): Html {
  const link = (to: number, rel: string, text: string): Html | false =>
    to >= 1 && to <= pageCount && html`<a href="${listPath(path, to)}" rel="${rel}">${text}</a>`;
  return html`<nav class="pager" aria-label="Pages of this list">${link(number - 1, 'prev', 'Previous')}
<span>Page ${formatNumber(number)} of ${formatNumber(pageCount)}</span> ${link(number + 1, 'next', 'Next')}</nav>`;
}
