/**
 * The page of a place, at the `url` of its answer. The postal codes come first, then what lies in it, then what is near.
 * The localities of one name in one unit are one city with one list of codes, and a chain of single children is one page
 * (unit-parts.ts); each place keeps its address, and search engines keep one of them. The page needs no script and stays
 * under 40 kB.
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
} from '../../core/snapshot/cities.js';
import { codesOf, largestPopulationIn, populationOf, timezoneOf } from '../../core/snapshot/place-facts.js';
import { readEntry, readKind, readOtherNames, readPlace, readPoint } from '../../core/snapshot/place-fields.js';
import { childRange, listAncestors, rangesBelow } from '../../core/snapshot/place-tree.js';
import type { PlaceResource } from '../../core/snapshot/rendered-places.js';
import { browsePath, countryPath, placeCodesPath, placePath } from '../addresses.js';
import { breadcrumbs, type Content, type Html, html, inSentence, joined, languageOf } from '../html/html.js';
import type { Page, PageContext } from '../html/layout.js';
import {
  fullCodeList,
  nearCities,
  nearCodes,
  type PartPages,
  pagesOf,
  partList,
  placeList,
} from '../html/part-list.js';
import {
  alsoCalled,
  apiCall,
  type Crumb,
  codeLine,
  codeLinks,
  copyable,
  count,
  fact,
  formatNumber,
  section,
  trail,
} from '../html/place-parts.js';
import type { MapDot } from '../map/dot-labels.js';
import { citiesAround, codesAround, dotsWithin, sampleWithin } from '../map/map-dots.js';
import { drawPlaceMap } from '../map/place-map.js';
import { type CodeSummary, codeOfRank, summarizeCodes } from '../reading/code-groups.js';
import { listNearCities, listNearCodes, type NearEntry } from '../reading/near-cities.js';
import {
  type Chain,
  canonicalPlace,
  findChain,
  partsOf,
  termOf,
  termOfAll,
  type UnitParts,
} from '../reading/unit-parts.js';
import type { CoveredCountry } from '../site-snapshot.js';

/* The place of a page with its city, its chain and its codes, and what the page says of these in words. */

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
const MAX_POINTS_OF_CITY = 12;

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

/** Maximum number of codes on the page; the list of all codes has a page of its own. */
const MAX_CODES = 200;
/** Number of codes shown of a place that has more than MAX_CODES. */
const SOME_CODES = 40;
/** Phones would break it in the middle. */
const LONG_WORD = /[^\s-]{19}/;

/** Page `listNumber` of what lies in it; undefined if there is no such page. */
export function placePage(
  context: PageContext,
  country: CoveredCountry,
  number: number,
  listNumber: number,
): Page | undefined {
  const { structures } = country;
  const chain = findChain(structures, number);
  const pages = pagesOf(partsOfChain(country, chain), false);
  if (listNumber > pages.pageCount) return undefined;
  const subject = readSubject(context, country, number, chain);
  const suffix = listNumber === 1 ? '' : `?page=${listNumber}`;
  return {
    title: titleOf(subject) + (suffix && `, page ${listNumber}`),
    description: descriptionOf(subject),
    canonicalPath: placePath(country, canonicalPlace(structures, number)) + suffix,
    path: subject.path + suffix,
    body: listNumber === 1 ? body(subject, pages) : furtherBody(subject, pages, listNumber),
    linkedData: linkedData(subject),
  };
}

function heading({ place }: PlaceSubject): Html {
  const local = place.localName !== place.name && place.localName;
  return html`<h1 dir="auto"${LONG_WORD.test(place.name) && html` class="long"`}>${place.name}${local && html` ${localName(local, place.countryCode)}`}</h1>`;
}

function localName(name: string, countryCode: string): Html {
  const language = languageOf(name, countryCode);
  return html`<span class="local" dir="auto"${language !== undefined && html` lang="${language}"`}>${name}</span>`;
}

function answer({ country, summary }: PlaceSubject): Html {
  if (summary !== undefined) return codeLine(country, summary);
  return html`<p class="answer">No postal code of its own in this release</p>`;
}

function body(subject: PlaceSubject, pages: PartPages): Html {
  const { context, place, within, path } = subject;
  const around = readSurroundings(subject);
  return html`${trail(within)}
<article class="place">
<header>${heading(subject)}
${answer(subject)}</header>
<div class="sides">
${codeSection(subject, around)}
<div class="aside">${placeMap(subject, around)}
${facts(subject)}</div>
<div class="rest">${section('within', `In ${place.name}`, partList(subject.country, pages, 1, path))}
${aroundSection(subject, around)}
${alsoCalled(otherNames(subject))}</div>
</div>
${apiCall(context.site, callsOf(subject))}
</article>`;
}

/** The names in other languages of the first place of the page that has any. */
function otherNames({ country, number, place, chain, rows }: PlaceSubject): ReadonlyMap<string, string> {
  const { namesByLanguage } = country.structures;
  const places = [number, ...chain.units, chain.city ?? [], ...rows.slice(0, MAX_POINTS_OF_CITY)].flat();
  const names = places.map((one) => readOtherNames(namesByLanguage, one)).find(({ size }) => size > 0);
  return new Map([...(names ?? [])].filter(([, name]) => name !== place.name && name !== place.localName));
}

/** Pages of the list from the second on. */
function furtherBody(subject: PlaceSubject, pages: PartPages, listNumber: number): Html {
  return html`${trail(subject.within)}
<article class="place">
<header>${heading(subject)}
${answer(subject)}</header>
${section('within', `In ${subject.place.name}`, partList(subject.country, pages, listNumber, subject.path))}
</article>`;
}

function callsOf({ place }: PlaceSubject): string[] {
  const call = `/v1/countries/${place.countryCode}/places/${place.id}`;
  const near = `/v1/nearby?country=${place.countryCode}&place=${place.id}`;
  return [`${call}?include=population,timezone,codes`, `${call}/postcodes`, near];
}

function codeSection(subject: PlaceSubject, around: Surroundings): Content {
  const { country, number, place, ranks, rows, summary } = subject;
  if (place.type === 'recipient') {
    return html`<div>${rows.length > 1 && codeLinks(country, codesOfRows(country, rows))}
<p class="note">An organisation, post boxes or a delivery office with a code of its own</p></div>`;
  }
  if (summary === undefined) return html`<div>${nearestCodes(subject, around)}</div>`;
  const full = fullCodesOf(subject);
  if (summary.count === 1) return full !== false && html`<div>${full}</div>`;
  const isLong = ranks.length > MAX_CODES;
  const shown = (isLong ? ranks.slice(0, SOME_CODES) : ranks).map((rank) => codeOfRank(country, rank));
  return html`<div>${section(
    'codes',
    'Postal codes',
    html`${codeLinks(country, shown)}${
      isLong &&
      html`<p class="more"><a href="${placeCodesPath(country, number)}">All ${count(ranks.length, 'postal code')}</a></p>`
    }`,
  )}${
    place.postalCode !== null && html`<p class="note">The place at this address has the code ${place.postalCode}.</p>`
  }${full}</div>`;
}

/** The full codes of the places of its city or unit. */
function fullCodesOf({ country, number, ranks, rows }: PlaceSubject): Content {
  const { structures } = country;
  const { codes } = citiesOf(structures);
  const ranges =
    rows.length > 0 ? rows.map((row) => ({ start: row, end: row + 1 })) : rangesBelow(structures.tree, number);
  const firsts = ranks.map((rank) => codes[rank] as number);
  return fullCodeList(country, firsts, (place) => ranges.some(({ start, end }) => place >= start && place < end));
}

function facts(subject: PlaceSubject): Html {
  const { country, number, chain, place } = subject;
  const { structures } = country;
  const people = peopleOf(subject);
  const region = codesOf(structures, number).iso3166_2;
  const isInChain = chain.units.length + Number(chain.city !== undefined) > 1;
  return html`<dl class="facts">
${fact('Kind', kindText(subject))}
${isInChain && fact('Levels', levels(subject))}
${people !== null && people > 0 && fact('Population', formatNumber(people))}
${fact('Region code', region !== null && html`${region} <span class="note">ISO 3166-2</span>`)}
${fact('Time zone', timezoneOf(structures, number) ?? undefined)}
${fact('Coordinates', copyable(`${place.latitude}, ${place.longitude}`))}
</dl>`;
}

/** Of one city one place alone may have the number of its people. The places of a city have numbers close together. */
function peopleOf({ country: { structures }, number, chain, rows }: PlaceSubject): number | null {
  const places = rows.length > 0 ? rows : chain.city === undefined ? [] : listCityPlaces(structures, chain.city);
  const [first, last] = [places[0], places.at(-1)];
  const own = populationOf(structures, number);
  return (
    own ??
    (first === undefined || last === undefined
      ? null
      : largestPopulationIn(structures, { start: first, end: last + 1 }))
  );
}

function kindText(subject: PlaceSubject): Content {
  const { place } = subject;
  const kind = kindOf(subject);
  const type = kind.toLowerCase() === place.type ? `level ${place.level}` : `${place.type}, level ${place.level}`;
  return html`${kind} <span class="note">${type}</span>`;
}

/** The places of a chain, each with its kind and its address. */
function levels({ country, number, chain }: PlaceSubject): Content {
  const { structures } = country;
  const all = chain.city === undefined ? chain.units : [...chain.units, chain.city];
  const own = citiesOf(structures).cities[number];
  const links = all.map((place) => {
    const { name, postalCode } = readEntry(structures, place);
    const kind = postalCode === null ? termOf(country.entry.code, readKind(structures, place)).one : 'locality';
    const text =
      place === own
        ? html`<b dir="auto">${name}</b>`
        : html`<a href="${placePath(country, place)}" dir="auto">${name}</a>`;
    return html`${text} <span class="note">${kind}</span>`;
  });
  return joined(links, ' › ');
}

function linkedData({ context, place, within, path }: PlaceSubject): object[] {
  const { siteUrl } = context.site;
  const crumbs = [...within, { name: place.name, path }].map((crumb) => ({
    name: crumb.name,
    url: siteUrl + crumb.path,
  }));
  const alternateName = place.localName === place.name ? {} : { alternateName: place.localName };
  const address = { '@type': 'PostalAddress', addressCountry: place.countryCode };
  return [
    breadcrumbs(crumbs),
    {
      '@type': 'Place',
      name: place.name,
      ...alternateName,
      url: siteUrl + path,
      identifier: place.id,
      address: place.postalCode === null ? address : { ...address, postalCode: place.postalCode },
      geo: { '@type': 'GeoCoordinates', latitude: place.latitude, longitude: place.longitude },
    },
  ];
}
