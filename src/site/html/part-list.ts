/**
 * Lists of what lies in a unit or a country, a page at a time: areas, then cities with their codes, then towns without a
 * code. Recipients stand behind them, folded up or on pages of their own, and so does, in a country with regions, what
 * lies in none of them.
 */

import { citiesOf, listCityPlaces, listRanks } from '../../core/lookup/cities.js';
import { fullCodeAt } from '../../core/snapshot/full-codes.js';
import { readEntry, readPoint } from '../../core/snapshot/place-fields.js';
import { browsePath, countryPath } from '../addresses.js';
import { listSectors, summarizeCodes } from '../reading/code-groups.js';
import type { NearEntry } from '../reading/near-cities.js';
import { termOfAll, type UnitParts } from '../reading/unit-parts.js';
import type { CoveredCountry } from '../site-snapshot.js';
import { type Content, type Html, html } from './html.js';
import { codeLinks, codesInList, count, formatKm, formatNumber, section } from './place-parts.js';

/** Places on one page of a list. */
export const LIST_LENGTH = 100;
/** Maximum number of recipients that are folded up beside the other places; more have pages of their own. */
const MAX_FOLDED = 50;
/** Number of recipients folded up where there are more than MAX_FOLDED: 50 make a page of 100 places 7 kB longer. */
const SOME_FOLDED = 10;

type BlockKind = keyof UnitParts;

/** Places of one kind. */
interface Block {
  readonly kind: BlockKind;
  readonly places: readonly number[];
}

/** The pages of a list: first those of the blocks in front, then those of each block behind them. */
export interface PartPages {
  readonly front: readonly Block[];
  readonly frontPageCount: number;
  readonly behind: readonly (Block & { readonly firstPage: number })[];
  readonly recipients: Block | undefined;
  readonly pageCount: number;
}

/** In a country with areas, cities and towns are behind them. Many recipients are behind all others. */
export function pagesOf(parts: UnitParts, isCountry: boolean): PartPages {
  const { areas, cities, towns } = parts;
  const isSplit = isCountry && areas.length > 0;
  const front = blocksOf(isSplit ? { areas } : { areas, cities, towns });
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
  return { front, frontPageCount, behind, recipients, pageCount };
}

function blocksOf(parts: Partial<UnitParts>): Block[] {
  return (Object.keys(parts) as BlockKind[]).flatMap((kind) => {
    const places = parts[kind] ?? [];
    return places.length > 0 ? [{ kind, places }] : [];
  });
}

function pagesFor(blocks: readonly Block[]): number {
  return Math.ceil(blocks.reduce((sum, { places }) => sum + places.length, 0) / LIST_LENGTH);
}

/** Page `number` of the list, from 1 to `pageCount`; nothing if nothing is listed. `path` is that of its first page. */
export function partList(country: CoveredCountry, pages: PartPages, number: number, path: string): Content {
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
      }) => html`<h3>${headingOf(country, whole(kind))}${own !== undefined && inNone(country, pages, kind)}</h3>
${placeList(country, kind, places)}`,
    ),
    number === frontPageCount && linksBehind(country, pages, path),
    number === 1 && recipients !== undefined && foldedRecipients(country, pages, recipients, path),
    (number > 1 || frontPageCount > 1) && pager(number, pageCount, path),
  ];
}

/** Units of one name, which cities and recipients are not, are told apart by their coordinates. */
export function placeList(country: CoveredCountry, kind: BlockKind, places: readonly number[]): Html {
  const { structures } = country;
  const entries = places.map((place) => readEntry(structures, place));
  const isUnit = kind === 'areas' || kind === 'towns';
  const items = entries.map(({ name, path }, at) => {
    const place = places[at] as number;
    const link = html`<li><a href="${countryPath(country) + path}" dir="auto">${name}</a>`;
    if (!isUnit) return html`${link}${codesOf(country, kind, place)}</li>`;
    const isDoubled = entries.some((other, otherAt) => otherAt !== at && other.name === name);
    return html`${link}${isDoubled && coordinatesOf(country, place)}</li>`;
  });
  return html`<ul class="places${kind === 'recipients' && ' tall'}">${items}</ul>`;
}

function coordinatesOf({ structures }: CoveredCountry, place: number): Html {
  const { latitude, longitude } = readPoint(structures, place);
  return html` <span class="code">${latitude}, ${longitude}</span>`;
}

/** " in no state": what the places behind the regions of a country have in common. */
function inNone(country: CoveredCountry, { front }: PartPages, kind: BlockKind): string {
  const [areas] = front;
  return areas?.kind === 'areas' && kind !== 'recipients' ? ` in no ${termOfAll(country, areas.places).one}` : '';
}

function linksBehind(country: CoveredCountry, pages: PartPages, path: string): Content {
  return pages.behind
    .filter(({ kind }) => kind !== 'recipients')
    .map(
      (block) =>
        html`<p class="more"><a href="${path}?page=${block.firstPage}">${headingOf(country, block)}${inNone(country, pages, block.kind)}</a></p>`,
    );
}

/** The first recipients, folded up, and where there are more a link to all. */
function foldedRecipients(country: CoveredCountry, { behind }: PartPages, recipients: Block, path: string): Html {
  const { kind, places } = recipients;
  const all = behind.find((block) => block.kind === kind);
  const shown = all === undefined ? places : places.slice(0, SOME_FOLDED);
  return html`<details><summary>${headingOf(country, recipients)}</summary>
${placeList(country, kind, shown)}${
  all !== undefined &&
  html`<p class="more"><a href="${path}?page=${all.firstPage}">All ${count(places.length, 'organisation')}</a></p>`
}</details>`;
}

/** Page `number` of blocks that follow each other. */
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

function headingOf(country: CoveredCountry, { kind, places }: Block): string {
  if (kind === 'areas') {
    const { one, many } = termOfAll(country, places);
    return count(places.length, one, many);
  }
  if (kind === 'cities') return count(places.length, 'city, town or village', 'cities, towns and villages');
  if (kind === 'towns')
    return `${count(places.length, 'town or quarter', 'towns and quarters')} without a code of ${places.length === 1 ? 'its' : 'their'} own`;
  return `${count(places.length, 'organisation')} with ${places.length === 1 ? 'a code' : 'codes'} of ${places.length === 1 ? 'its' : 'their'} own`;
}

/** The codes of the city or the recipient that `place` stands for. */
function codesOf(country: CoveredCountry, kind: BlockKind, place: number): Content {
  const { structures } = country;
  const places = listCityPlaces(structures, place);
  if (kind === 'recipients') return html` <span class="code">${recipientCodes(country, places)}</span>`;
  const ranks = listRanks(citiesOf(structures), places);
  return ranks.length > 0 && codesInList(summarizeCodes(country, ranks));
}

function recipientCodes({ structures }: CoveredCountry, places: readonly number[]): string {
  const codes = new Set(places.map((place) => readEntry(structures, place).postalCode));
  return codes.size === 1 ? ([...codes][0] ?? '') : count(codes.size, 'code');
}

export function pager(number: number, pageCount: number, path: string): Html {
  const link = (to: number, rel: string, text: string): Html | false =>
    to >= 1 && to <= pageCount && html`<a href="${to === 1 ? path : `${path}?page=${to}`}" rel="${rel}">${text}</a>`;
  return html`<nav class="pager" aria-label="Pages of this list">${link(number - 1, 'prev', 'Previous')}
<span>Page ${formatNumber(number)} of ${formatNumber(pageCount)}</span> ${link(number + 1, 'next', 'Next')}</nav>`;
}

/* Lists of the cities and of the postal codes nearest to a point, the nearest first. */

/** Maximum number of entries of a list; a map shows more. */
const LISTED_COUNT = 8;

/** Nothing if no city is near. */
export function nearCities(near: readonly NearEntry[]): Content {
  const items = near
    .slice(0, LISTED_COUNT)
    .map(
      ({ name, path, postalCode, abroad, distanceKm }) =>
        html`<li><a href="${path}" dir="auto">${name}</a> <span class="code">${postalCode}${abroad !== undefined && ` ${abroad}`}</span> <span class="km">${formatKm(distanceKm)}</span></li>`,
    );
  return items.length > 0 && html`<ul class="places near">${items}</ul>`;
}

/** Nothing if no code is near. */
export function nearCodes(near: readonly NearEntry[], format = formatKm): Content {
  const items = near
    .slice(0, LISTED_COUNT)
    .map(
      ({ name, path, postalCode, abroad, distanceKm }) =>
        html`<li><a href="${path}">${postalCode}</a> <span class="where" dir="auto">${name}${abroad !== undefined && `, ${abroad}`}</span> <span class="km">${format(distanceKm)}</span></li>`,
    );
  return items.length > 0 && html`<ul class="places near">${items}</ul>`;
}

/* The full codes of first parts by sector: all where they are few, else a link to the page of each sector. */

/** Maximum number of full codes that a page lists besides other things: 14 kB. */
const MAX_FULL_CODES = 200;
/** Maximum number of sectors of a page: those of one first part at most, or of a few. */
const MAX_SECTORS = 40;

/**
 * `firsts` are first parts as numbers in the postcode index, of whose full codes those of the places that `isOwn` chooses
 * are listed. Nothing without full codes, or with so many sectors that each first part has to be looked at by itself.
 */
export function fullCodeList(
  country: CoveredCountry,
  firsts: readonly number[],
  isOwn?: (place: number) => boolean,
): Content {
  const { structures } = country;
  const { fullCodes } = structures;
  if (fullCodes === undefined || firsts.length > MAX_SECTORS) return false;
  const sectors = firsts.flatMap((first) => listSectors(structures, first, isOwn));
  const codeCount = sectors.reduce((sum, { codes }) => sum + codes.length, 0);
  if (codeCount === 0 || sectors.length > MAX_SECTORS) return false;
  const list =
    codeCount > MAX_FULL_CODES
      ? html`<ul class="places groups">${sectors.map(
          ({ name, codes }) =>
            html`<li><a href="${browsePath(country, name)}">${name}</a> <span class="where">${count(codes.length, 'code')}</span></li>`,
        )}</ul>${isOwn !== undefined && html`<p class="note">The lists can have codes of other places too.</p>`}`
      : sectors.map(
          ({ name, codes }) => html`<h3>${name}</h3>
${codeLinks(
  country,
  codes.map((code) => fullCodeAt(fullCodes, code).postcode),
)}`,
        );
  return section('full-codes', count(codeCount, 'full code'), list);
}
