/** Lists of places, one page of a long one at a time. Links are relative to the page, which keeps long paths out of it. */
import type { Range } from '../../store/mapped-numbers.js';
import type { CountryStructures } from '../../store/snapshot.js';
import { type PlaceEntry, readEntries, slugIn } from '../reading/place-entry.js';
import { type Html, html } from './html.js';
import { formatNumber } from './place-parts.js';

/** Places on one page of a list. */
export const LIST_LENGTH = 60;

/** One page of a long list: numbers of places. */
export interface ListPage extends Range {
  /** From 1. */
  readonly number: number;
  readonly pageCount: number;
}

/** Page `number` of the places of a range; undefined where there is no such page. */
export function listPage({ start, end }: Range, number: number): ListPage | undefined {
  const pageCount = Math.max(1, Math.ceil((end - start) / LIST_LENGTH));
  if (number < 1 || number > pageCount) return undefined;
  const first = start + (number - 1) * LIST_LENGTH;
  return { start: first, end: Math.min(end, first + LIST_LENGTH), number, pageCount };
}

/** `parentSlug` is the last segment of the page's own path. */
export function childList(structures: CountryStructures, page: ListPage, parentSlug: string): Html {
  const entries = readEntries(structures, page.start, page.end);
  return html`<ul class="places">${entries.map((entry) => placeItem(entry, `${parentSlug}/${slugIn(entry.path)}`))}</ul>
${page.pageCount > 1 && pager(page, parentSlug)}`;
}

export function placeItem({ name, postalCode }: PlaceEntry, href: string): Html {
  return html`<li><a href="${href}" dir="auto">${name}</a>${postalCode !== null && html` <span class="code">${postalCode}</span>`}</li>`;
}

function pager({ number, pageCount }: ListPage, slug: string): Html {
  const link = (to: number, rel: string, text: string): Html | false =>
    to >= 1 && to <= pageCount && html`<a href="${to === 1 ? slug : `?page=${to}`}" rel="${rel}">${text}</a>`;
  return html`<nav class="pager" aria-label="Pages of this list">${link(number - 1, 'prev', 'Previous')}
<span>Page ${formatNumber(number)} of ${formatNumber(pageCount)}</span> ${link(number + 1, 'next', 'Next')}</nav>`;
}
