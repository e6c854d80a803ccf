/**
 * The children of a unit or a country, or the parts of a city, as a list, a page at a time: areas, then cities with their
 * codes, then towns without a code. Recipients follow, folded up or on pages of their own. In a country with regions, the
 * cities and towns that lie in none of them have pages of their own too.
 */

import { cityOf } from '../../core/snapshot/place-cities.js';
import { readListFields, readPointField } from '../../core/snapshot/place-fields.js';
import { formatCounted } from '../html/formats.js';
import { type Content, type Html, html } from '../html/html.js';
import { listRanksOfPage, summarizeCodes } from '../reading/code-summary.js';
import type { CoveredCountry } from '../reading/covered-country.js';
import { countryPath, listPath } from '../reading/page-paths.js';
import { findChain } from '../reading/single-child-chains.js';
import { listRows } from '../reading/standing-place.js';
import type { UnitChildren } from '../reading/unit-children.js';
import { countAreas, termOfAll, termOfNumbered } from '../reading/unit-terms.js';
import { codesInList } from './code-links.js';
import { pager } from './pager.js';

/** Maximum number of places on one page of a list. */
export const LIST_LENGTH = 100;
/** Maximum number of recipients that are folded up beside the other places; more have pages of their own. */
const MAX_FOLDED = 50;
/** Number of recipients folded up where there are more than MAX_FOLDED: 50 make a page of 100 places 7 kB longer. */
const SOME_FOLDED = 10;

type BlockKind = keyof UnitChildren;

/** Places of one kind. */
interface Block {
  readonly kind: BlockKind;
  readonly places: readonly number[];
}

/** The pages of a list: the front pages hold the front blocks together, and each further block has pages of its own. */
export interface ChildrenPages {
  readonly front: readonly Block[];
  readonly frontPageCount: number;
  readonly behind: readonly (Block & { readonly firstPage: number })[];
  readonly recipients: Block | undefined;
  readonly pageCount: number;
  /** What the list is of. */
  readonly of: ListOwner;
}

type ListOwner = 'country' | 'unit' | 'city';

/** In a country with areas, cities and towns have pages behind those of the areas; many recipients come last. */
export function childrenPages(parts: UnitChildren, of: ListOwner): ChildrenPages {
  const { areas, otherAreas = [], numbered = [], cities, towns } = parts;
  const isSplit = of === 'country' && areas.length > 0;
  const front = blocksOf(isSplit ? { areas, otherAreas } : { areas, numbered, cities, towns });
  const [recipients] = blocksOf({ recipients: parts.recipients });
  const blocks = isSplit ? blocksOf({ cities, towns }) : [];
  if (recipients !== undefined && recipients.places.length > MAX_FOLDED) blocks.push(recipients);
  const frontPageCount = Math.max(1, pagesFor(front));
  let pageCount = frontPageCount;
  const behind = blocks.map((block) => {
    const firstPage = pageCount + 1;
    pageCount += pagesFor([block]);
    return { ...block, firstPage };
  });
  return { front, frontPageCount, behind, recipients, pageCount, of };
}

function blocksOf(parts: Partial<UnitChildren>): Block[] {
  return (Object.keys(parts) as BlockKind[]).flatMap((kind) => {
    const places = parts[kind] ?? [];
    return places.length > 0 ? [{ kind, places }] : [];
  });
}

function pagesFor(blocks: readonly Block[]): number {
  return Math.ceil(blocks.reduce((sum, { places }) => sum + places.length, 0) / LIST_LENGTH);
}

/** Page `number` of the list, from 1 to `pageCount`; nothing if nothing is listed. `path` is that of its first page. */
export function childrenList(country: CoveredCountry, pages: ChildrenPages, number: number, path: string): Content {
  const { front, frontPageCount, behind, recipients, pageCount } = pages;
  if (front.length === 0 && recipients === undefined) return false;
  const own = behind.findLast(({ firstPage }) => firstPage <= number);
  const shown = own === undefined ? sliceOf(front, number) : sliceOf([own], number - own.firstPage + 1);
  const whole = (kind: BlockKind): Block => [...front, ...behind].find((block) => block.kind === kind) as Block;
  return [
    shown.map(
      ({
        kind,
        places,
      }) => html`<h3>${headingOf(country, pages, whole(kind))}${own !== undefined && inNone(country, pages, kind)}</h3>
${kind === 'areas' && pages.of === 'city' ? districtList(country, places) : placeList(country, kind, places)}`,
    ),
    number === frontPageCount && linksBehind(country, pages, path),
    number === 1 && recipients !== undefined && foldedRecipients(country, pages, recipients, path),
    (number > 1 || frontPageCount > 1) && pager(number, pageCount, path),
  ];
}

/** Units of the same name have their coordinates beside them; no two cities or recipients of a list share a name. */
export function placeList(country: CoveredCountry, kind: BlockKind, places: readonly number[]): Html {
  const { structures } = country;
  const entries = places.map((place) => readListFields(structures, place));
  const isUnit = kind === 'areas' || kind === 'otherAreas' || kind === 'towns';
  const items = entries.map(({ name, path }, at) => {
    const place = places[at] as number;
    const link = html`<li><a href="${countryPath(country) + path}" dir="auto">${name}</a>`;
    if (!isUnit) return html`${link}${codesOf(country, kind, place)}</li>`;
    const isDoubled = entries.some((other, otherAt) => otherAt !== at && other.name === name);
    return html`${link}${isDoubled && coordinatesOf(country, place)}</li>`;
  });
  return html`<ul class="places${kind === 'recipients' ? ' tall' : isUnit && ' brief'}">${items}</ul>`;
}

/** Units of a city with their codes. A unit with one town in it is the town: Kings is Brooklyn. */
function districtList(country: CoveredCountry, units: readonly number[]): Html {
  const { structures } = country;
  const items = units.map((unit) => {
    const { city } = findChain(structures, unit);
    const isTown = city !== undefined && cityOf(structures, city) === city;
    const { name, path } = readListFields(structures, isTown ? city : unit);
    return html`<li><a href="${countryPath(country) + path}" dir="auto">${name}</a>${codesOf(country, 'areas', unit)}</li>`;
  });
  return html`<ul class="places">${items}</ul>`;
}

function coordinatesOf({ structures }: CoveredCountry, place: number): Html {
  const { latitude, longitude } = readPointField(structures, place);
  return html` <span class="code">${latitude}, ${longitude}</span>`;
}

/** " outside the states": the end of a heading over places of a country with states that lie in none of them. */
function inNone(country: CoveredCountry, { front }: ChildrenPages, kind: BlockKind): string {
  const [areas] = front;
  return areas?.kind === 'areas' && kind !== 'recipients'
    ? ` outside the ${termOfAll(country, areas.places).many}`
    : '';
}

function linksBehind(country: CoveredCountry, pages: ChildrenPages, path: string): Content {
  return pages.behind
    .filter(({ kind }) => kind !== 'recipients')
    .map(
      (block) =>
        html`<p class="more"><a href="${listPath(path, block.firstPage)}">${headingOf(country, pages, block)}${inNone(country, pages, block.kind)}</a></p>`,
    );
}

/** The first recipients, folded up, with a link to all recipients if there are more. */
function foldedRecipients(country: CoveredCountry, pages: ChildrenPages, recipients: Block, path: string): Html {
  const { kind, places } = recipients;
  const all = pages.behind.find((block) => block.kind === kind);
  const shown = all === undefined ? places : places.slice(0, SOME_FOLDED);
  return html`<details><summary>${headingOf(country, pages, recipients)}</summary>
${placeList(country, kind, shown)}${
  all !== undefined &&
  html`<p class="more"><a href="${listPath(path, all.firstPage)}">All ${formatCounted(places.length, 'organisation')}</a></p>`
}</details>`;
}

/** Page `number` of the blocks, which follow each other without a page break. */
function sliceOf(blocks: readonly Block[], number: number): Block[] {
  let skipped = (number - 1) * LIST_LENGTH;
  let left = LIST_LENGTH;
  const shown: Block[] = [];
  for (const { kind, places } of blocks) {
    const part = places.slice(skipped, skipped + left);
    skipped = Math.max(0, skipped - places.length);
    left -= part.length;
    if (part.length > 0) shown.push({ kind, places: part });
  }
  return shown;
}

function headingOf(country: CoveredCountry, pages: ChildrenPages, { kind, places }: Block): string {
  if (kind === 'areas' || kind === 'otherAreas') {
    const [only, ...more] = pages.of === 'unit' ? [] : countAreas(country, places);
    if (only !== undefined && more.length === 0) return only.text;
    const { one, many } = termOfAll(country, places);
    return formatCounted(places.length, one, many);
  }
  const numbered = kind === 'numbered' ? termOfNumbered(country) : undefined;
  if (numbered !== undefined) return formatCounted(places.length, numbered.one, numbered.many);
  if (kind === 'cities' && pages.of === 'city') return formatCounted(places.length, 'place');
  if (kind === 'cities') return formatCounted(places.length, 'city, town or village', 'cities, towns and villages');
  if (kind === 'towns')
    return `${formatCounted(places.length, 'town or quarter', 'towns and quarters')} without a code of ${places.length === 1 ? 'its' : 'their'} own`;
  return `${formatCounted(places.length, 'organisation')} with ${places.length === 1 ? 'a code' : 'codes'} of ${places.length === 1 ? 'its' : 'their'} own`;
}

/** The codes of a unit, or of the city or the recipient that `place` stands for. */
function codesOf(country: CoveredCountry, kind: BlockKind, place: number): Content {
  if (kind === 'recipients') return html` <span class="code">${recipientCodes(country, place)}</span>`;
  const ranks = listRanksOfPage(country, place);
  return ranks.length > 0 && codesInList(summarizeCodes(country, ranks));
}

function recipientCodes({ structures }: CoveredCountry, place: number): string {
  const codes = new Set(listRows(structures, place).map((row) => readListFields(structures, row).postalCode));
  return codes.size === 1 ? ([...codes][0] ?? '') : formatCounted(codes.size, 'code');
}
