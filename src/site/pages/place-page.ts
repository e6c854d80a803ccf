/**
 * The page of a place, at the `url` of its answer. The postal codes come first, then what lies in it, then what is near.
 * The localities of one name in one unit are one city with one list of codes, and a chain of single children is one page
 * (unit-parts.ts); each place keeps its address, and search engines keep one of them. The page needs no script and stays
 * under 40 kB.
 */

import { citiesOf, listCityPlaces } from '../../core/lookup/cities.js';
import { codesOf, largestPopulationIn, populationOf, timezoneOf } from '../../core/snapshot/place-facts.js';
import { readEntry, readKind, readOtherNames } from '../../core/snapshot/place-fields.js';
import { rangesBelow } from '../../core/snapshot/place-tree.js';
import { placeCodesPath, placePath } from '../addresses.js';
import { breadcrumbs, type Content, type Html, html, joined, languageOf } from '../html/html.js';
import type { Page, PageContext } from '../html/layout.js';
import { fullCodeList, type PartPages, pagesOf, partList } from '../html/part-list.js';
import {
  alsoCalled,
  apiCall,
  codeLine,
  codeLinks,
  copyable,
  count,
  fact,
  formatNumber,
  section,
  trail,
} from '../html/place-parts.js';
import { codeOfRank } from '../reading/code-groups.js';
import { canonicalPlace, findChain, termOf } from '../reading/unit-parts.js';
import type { CoveredCountry } from '../site-snapshot.js';
import {
  aroundSection,
  codesOfRows,
  descriptionOf,
  kindOf,
  MAX_POINTS_OF_CITY,
  nearestCodes,
  type PlaceSubject,
  partsOfChain,
  placeMap,
  readSubject,
  readSurroundings,
  type Surroundings,
  titleOf,
} from './place-subject.js';

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
