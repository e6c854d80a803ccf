/**
 * Lists of the places directly in a place or a country, a page at a time. Areas, which are places with others in them,
 * come first, by name; then the places that have none, such as the post offices of the armed forces beside the states
 * of a country. Where all do not fit on one page, each of the two groups begins on a page of its own. Links are
 * relative to the page, which keeps long paths out of it.
 */
import type { PlaceTree } from '../../format/place-tree.js';
import type { Range } from '../../store/mapped-numbers.js';
import { type PlaceEntry, readEntry, readKind, slugIn } from '../../store/place-fields.js';
import { childRange } from '../../store/place-tree.js';
import type { CountryStructures } from '../../store/snapshot.js';
import { type Content, type Html, html } from './html.js';
import { count, formatNumber } from './place-parts.js';

/** Places on one page of a list. */
export const LIST_LENGTH = 100;

/** One page of a list: numbers of places. */
export interface ListPage {
  /** From 1. */
  readonly number: number;
  readonly pageCount: number;
  /** On this page. */
  readonly areas: readonly number[];
  /** On the first page. */
  readonly firstAreas: readonly number[];
  readonly others: readonly number[];
  /** On all pages. */
  readonly areaCount: number;
  readonly otherCount: number;
  readonly firstPageOfOthers: number;
}

export function isArea(tree: PlaceTree, place: number): boolean {
  const { start, end } = childRange(tree, place);
  return start < end;
}

/** Page `number` of the list of siblings; undefined if there is no such page. */
export function listPage(tree: PlaceTree, range: Range, number: number): ListPage | undefined {
  const { areas, others } = splitSiblings(tree, range);
  const isWhole = areas.length + others.length <= LIST_LENGTH;
  const firstPageOfOthers = isWhole ? 1 : pagesOf(areas) + 1;
  const pageCount = Math.max(1, isWhole ? 1 : pagesOf(areas) + pagesOf(others));
  if (number < 1 || number > pageCount) return undefined;
  return {
    ...{ number, pageCount, firstPageOfOthers },
    areas: pageOf(areas, number),
    firstAreas: pageOf(areas, 1),
    others: pageOf(others, number - firstPageOfOthers + 1),
    areaCount: areas.length,
    otherCount: others.length,
  };
}

interface Siblings {
  readonly areas: Uint32Array;
  readonly others: Uint32Array;
}

/**
 * Siblings from which on it pays to remember what is an area: telling it takes some 20 ns for each, 2 ms for all of
 * Singapore.
 */
const MANY_SIBLINGS = 1_000;
const remembered = new WeakMap<PlaceTree, Map<number, Siblings>>();

/** Lists of MANY_SIBLINGS are remembered: the world has 49 of them with 290,000 places, which take 1.2 MB. */
function splitSiblings(tree: PlaceTree, { start, end }: Range): Siblings {
  const known = remembered.get(tree)?.get(start);
  if (known !== undefined) return known;
  const [areas, others]: [number[], number[]] = [[], []];
  for (let place = start; place < end; place++) (isArea(tree, place) ? areas : others).push(place);
  const split = { areas: Uint32Array.from(areas), others: Uint32Array.from(others) };
  if (end - start >= MANY_SIBLINGS) {
    const ofTree = remembered.get(tree) ?? new Map<number, Siblings>();
    remembered.set(tree, ofTree.set(start, split));
  }
  return split;
}

function pagesOf({ length }: Uint32Array): number {
  return Math.ceil(length / LIST_LENGTH);
}

/** Empty where the page is before the first or behind the last. */
function pageOf(places: Uint32Array, page: number): readonly number[] {
  return page < 1 ? [] : [...places.subarray((page - 1) * LIST_LENGTH, page * LIST_LENGTH)];
}

/** The places directly in a place or a country whose page's path ends with `slug`. */
export function childList(structures: CountryStructures, page: ListPage, slug: string): Content {
  const { areas, others, firstAreas, areaCount, otherCount, number, firstPageOfOthers } = page;
  const list = (places: readonly number[]): Html =>
    html`<ul class="places">${places.map((place) => {
      const entry = readEntry(structures, place);
      return placeItem(entry, `${slug}/${slugIn(entry.path)}`);
    })}</ul>`;
  const isMixed = areaCount > 0 && otherCount > 0;
  const heading = (text: string): Html =>
    isMixed ? html`<h3>${text}</h3>` : html`<p class="note">${text}, by name</p>`;
  const kind = kindOf(structures, firstAreas);
  const inNone = isMixed ? ` that ${otherCount === 1 ? 'belongs' : 'belong'} to no ${kind}` : '';
  return [
    areas.length > 0 && [heading(count(areaCount, kind, pluralOf(kind))), list(areas)],
    others.length > 0 && [heading(count(otherCount, 'place') + inNone), list(others)],
    isMixed &&
      number === firstPageOfOthers - 1 &&
      html`<p class="note"><a href="?page=${firstPageOfOthers}">${count(otherCount, 'more place')}${inNone}</a></p>`,
    page.pageCount > 1 && pager(page, slug),
  ];
}

const PLURALS: Readonly<Record<string, string>> = {
  region: 'regions',
  district: 'districts',
  municipality: 'municipalities',
};

/** The kind of these areas in a word: "region", or "area" where they are of several kinds. */
export function kindOf(structures: CountryStructures, areas: readonly number[]): string {
  const [kind = 'area', ...more] = new Set(areas.map((place) => readKind(structures, place)));
  return more.length > 0 ? 'area' : kind;
}

export function pluralOf(kind: string): string {
  return PLURALS[kind] ?? `${kind}s`;
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
