/**
 * The place of a page: with its city, its chain and its codes, what the page says of these in words, and what is around
 * and in it.
 */

import {
  citiesOf,
  isArea,
  isLocalityAt,
  isRecipientAt,
  listCityPlaces,
  listRanks,
  listRanksWithin,
  parentOf,
} from '../../core/lookup/cities.js';
import { readEntry, readKind, readPlace, readPoint } from '../../core/snapshot/place-fields.js';
import { childRange, listAncestors, rangesBelow } from '../../core/snapshot/place-tree.js';
import type { PlaceResource } from '../../core/snapshot/rendered-places.js';
import { browsePath, countryPath } from '../addresses.js';
import { type Content, type Html, html, inSentence } from '../html/html.js';
import type { PageContext } from '../html/layout.js';
import { nearCities, nearCodes, placeList } from '../html/part-list.js';
import { type Crumb, count, section } from '../html/place-parts.js';
import type { MapDot } from '../map/dot-labels.js';
import { citiesAround, codesAround, dotsWithin, sampleWithin } from '../map/map-dots.js';
import { drawPlaceMap } from '../map/place-map.js';
import { type CodeSummary, summarizeCodes } from '../reading/code-groups.js';
import { listNearCities, listNearCodes, type NearEntry } from '../reading/near-cities.js';
import { type Chain, partsOf, termOf, termOfAll, type UnitParts } from '../reading/unit-parts.js';
import type { CoveredCountry } from '../site-snapshot.js';

export interface PlaceSubject {
  readonly context: PageContext;
  readonly country: CoveredCountry;
  readonly number: number;
  readonly place: PlaceResource;
  readonly path: string;
  /** The places that contain it, the country first. */
  readonly within: readonly Crumb[];
  readonly chain: Chain;
  /** The places of its own city; none for a unit. */
  readonly rows: readonly number[];
  /** The ranks of its codes. */
  readonly ranks: readonly number[];
  /** Its codes in short; undefined without any. */
  readonly summary: CodeSummary | undefined;
}

export function readSubject(context: PageContext, country: CoveredCountry, number: number, chain: Chain): PlaceSubject {
  const { structures } = country;
  const place = readPlace(structures, number);
  const path = countryPath(country) + place.path;
  const within = listWithin(country, number);
  const cities = citiesOf(structures);
  const rows = place.postalCode === null ? [] : listCityPlaces(structures, cities.cities[number] as number);
  const ranks =
    rows.length > 0 ? listRanks(cities, rows) : listRanksWithin(cities, rangesBelow(structures.tree, number));
  const summary = isRecipientAt(cities, number) ? recipientCodes(country, rows) : summaryOf(country, ranks);
  return { context, country, number, place, path, within, chain, rows, ranks, summary };
}

/** The country and the units around a place. Where one has the name of the unit around it, its kind tells them apart. */
function listWithin(country: CoveredCountry, number: number): Crumb[] {
  const { structures, entry } = country;
  const crumbs: Crumb[] = [{ name: entry.name, path: countryPath(country) }];
  for (const unit of listAncestors(structures.tree, number)) {
    const { name, path } = readEntry(structures, unit);
    const isNamesake = crumbs.some((crumb) => crumb.name === name);
    const kind = isNamesake ? termOf(entry.code, readKind(structures, unit)).one : undefined;
    crumbs.push({ name, path: countryPath(country) + path, kind });
  }
  return crumbs;
}

function summaryOf(country: CoveredCountry, ranks: readonly number[]): CodeSummary | undefined {
  return ranks.length === 0 ? undefined : summarizeCodes(country, ranks);
}

/** The codes of a recipient are few, and in no order with those of localities. */
function recipientCodes(country: CoveredCountry, rows: readonly number[]): CodeSummary {
  const codes = codesOfRows(country, rows);
  return {
    count: codes.length,
    text: codes.length === 1 ? (codes[0] as string) : `${codes[0]} … ${codes.at(-1)}`,
    hasGaps: false,
  };
}

export function codesOfRows({ structures }: CoveredCountry, rows: readonly number[]): string[] {
  return [...new Set(rows.map((row) => readEntry(structures, row).postalCode ?? ''))].sort();
}

/** What lies in the last unit of a chain, and the towns and recipients beside the single children. */
export function partsOfChain({ structures }: CoveredCountry, { units, city }: Chain): UnitParts {
  const parts = units.map((unit) => partsOf(structures, unit));
  const last = city === undefined ? parts.at(-1) : undefined;
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && last !== undefined) return only;
  return {
    areas: last?.areas ?? [],
    cities: last?.cities ?? [],
    towns: parts.flatMap(({ towns }) => towns),
    recipients: parts.flatMap(({ recipients }) => recipients),
  };
}

/** The places around it, the innermost first: "Vaduz, Oberland, Liechtenstein". */
function surroundings({ within }: PlaceSubject): string {
  let text = '';
  for (let at = within.length - 1; at >= 0; at--) text += (text && ', ') + (within[at] as Crumb).name;
  return text;
}

/** Two places of one name differ in codes, kind or surroundings. */
export function titleOf(subject: PlaceSubject): string {
  const { place, summary } = subject;
  const codes = place.postalCode === null ? `(${kindOf(subject).toLowerCase()})` : summary?.text;
  return `${place.name} ${codes}, ${surroundings(subject)}`;
}

export function descriptionOf(subject: PlaceSubject): string {
  const { place, summary } = subject;
  const codes =
    summary === undefined
      ? 'has no postal code of its own'
      : `has ${summary.count === 1 ? 'the postal code' : `${count(summary.count, 'postal code')}:`} ${summary.text}`;
  return `${place.name}, ${surroundings(subject)}, ${codes}. Coordinates: ${place.latitude}, ${place.longitude}.`;
}

/** "District", or what a place without a term of the country is. */
export function kindOf({ country, number, place, summary }: PlaceSubject): string {
  if (place.type === 'recipient') return 'Organisation';
  if (place.postalCode !== null) return 'Locality';
  if (summary === undefined && !isArea(country.structures, number)) return 'Town or quarter';
  return capital(termOf(place.countryCode, place.type).one);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
/*
 * What is around and in the place of a page: its map, and the list of cities near it or of units beside it. An area with
 * several parts is shown with these on its map, and any other place with the cities or codes nearest to it.
 */

const SIBLING_COUNT = 12;
/** Number of parts from which on an area's map shows its parts. */
const LEAST_PARTS = 2;
/** Maximum number of a city's points on its map: a city is a few dots wide. */
export const MAX_POINTS_OF_CITY = 12;

export interface Surroundings {
  /** The linked parts of an area with several; empty for other places. */
  readonly parts: readonly MapDot[];
  /** The cities near a place that has codes and not several parts. */
  readonly cities: readonly NearEntry[];
  /** The codes near a place that has no code. */
  readonly codes: readonly NearEntry[];
}

export function readSurroundings({ context, country, number, chain, place, summary }: PlaceSubject): Surroundings {
  const { data } = context;
  const { structures } = country;
  if (summary === undefined) {
    const codes = listNearCodes(data, country, readPoint(structures, number), undefined);
    return { parts: [], cities: [], codes };
  }
  const parts = chain.city === undefined ? dotsWithin(country, childRange(structures.tree, number), place.name) : [];
  if (parts.length >= LEAST_PARTS) return { parts, cities: [], codes: [] };
  const own = chain.city ?? (isLocalityAt(citiesOf(structures), number) ? number : undefined);
  return { parts: [], cities: listNearCities(data, country, place, own), codes: [] };
}

export function placeMap({ context, country, number, place, rows }: PlaceSubject, around: Surroundings): Html {
  const { structures } = country;
  const { parts, cities, codes } = around;
  if (parts.length > 0) {
    const faint = sampleWithin(country, childRange(structures.tree, number));
    const caption = html`<b dir="auto">${place.name}</b> and places in it.`;
    return drawPlaceMap(context.data, { countries: [country], dots: parts, faint, caption });
  }
  const own = rows.length > 1 ? pointsOf(country, rows) : [readPoint(structures, number)];
  const dots = codes.length > 0 ? codesAround(codes) : citiesAround(cities);
  const caption = html`<b dir="auto">${place.name}</b>${dots.length > 0 && ` and the ${codes.length > 0 ? 'postal codes' : 'places'} around it`}.`;
  const request = { countries: [country], centre: place, own, ownName: place.name, dots, caption };
  return drawPlaceMap(context.data, request);
}

function pointsOf({ structures }: CoveredCountry, rows: readonly number[]): ReturnType<typeof readPoint>[] {
  const step = Math.ceil(rows.length / MAX_POINTS_OF_CITY);
  return rows.filter((_, at) => at % step === 0).map((row) => readPoint(structures, row));
}

/**
 * The codes nearest to a place without one, with their places: of a city that the release has only in parts, those of
 * its parts. The country's codes are a link further.
 */
export function nearestCodes({ country }: PlaceSubject, { codes }: Surroundings): Content {
  const list = html`${nearCodes(codes)}
<p class="more"><a href="${browsePath(country, '')}">All postal codes of ${inSentence(country.entry.name)}</a></p>`;
  return section('codes', 'Nearest postal codes', codes.length > 0 && list);
}

/** The cities nearest to a city with codes; of a unit with several cities, the units beside it. */
export function aroundSection(subject: PlaceSubject, { cities }: Surroundings): Content {
  const { country, number, chain, within } = subject;
  const { structures } = country;
  const isCity = chain.city !== undefined || !isArea(structures, number);
  if (isCity) return section('nearest', 'Nearby', nearCities(cities));
  const siblings = listSiblings(structures, number);
  const heading = `Other ${termOfAll(country, [number, ...siblings]).many} in ${inSentence(within.at(-1)?.name ?? '')}`;
  return section('beside', heading, siblings.length > 0 && placeList(country, 'areas', siblings));
}

/** The areas with the same parent, those around it in the order of names. */
function listSiblings(structures: CoveredCountry['structures'], number: number): number[] {
  const { areas } = partsOf(structures, parentOf(structures, number));
  const at = areas.indexOf(number);
  const start = Math.max(0, Math.min(at - SIBLING_COUNT / 2, areas.length - SIBLING_COUNT - 1));
  return areas.slice(start, start + SIBLING_COUNT + 1).filter((area) => area !== number);
}
