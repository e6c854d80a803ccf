/**
 * The page of a place, at the `url` of its answer: its map, facts and postal codes, the places in it, those near it.
 * A city has the codes of all places that belong to it and lists its parts (city-parts.ts); a part names its city. The
 * localities of one name in one unit have one page (standing-place.ts), and so has a chain of single children
 * (single-child-chains.ts); each place keeps its address, and search engines keep one of them. The page needs no
 * script and stays under 40 kB.
 */

import { codeRanksOf } from '../../core/lookup/code-ranks.js';
import { placesOfCodes } from '../../core/lookup/place-postcodes.js';
import { cityOf } from '../../core/snapshot/place-cities.js';
import { placeUnitCodesOf, populationOf, timezoneOf } from '../../core/snapshot/place-facts.js';
import { readKindField, readListFields, readOtherNames } from '../../core/snapshot/place-fields.js';
import { isArea } from '../../core/snapshot/place-tree.js';
import { apiCall } from '../components/api-call.js';
import { cityLink } from '../components/city-link.js';
import { codeLine, codeLinks, foldedCodes } from '../components/code-links.js';
import { coordinates } from '../components/coordinates.js';
import { fullCodeList } from '../components/full-code-list.js';
import { otherNamesSection } from '../components/other-names.js';
import { pageNote } from '../components/pager.js';
import { type ChildrenPages, childrenList, childrenPages } from '../components/unit-children-list.js';
import { breadcrumbList, breadcrumbTrail } from '../html/breadcrumbs.js';
import { fact } from '../html/facts.js';
import { capitalize, formatCounted, formatNumber } from '../html/formats.js';
import { type Content, type Html, html, joinHtml } from '../html/html.js';
import { languageOf } from '../html/name-language.js';
import type { Page, PageContext, SiteAddresses } from '../html/page.js';
import { section } from '../html/section.js';
import { listPartsOfCity } from '../reading/city-parts.js';
import { codeOfRank } from '../reading/code-summary.js';
import type { CoveredCountry } from '../reading/covered-country.js';
import { listPath, placeCodesPath, placePath } from '../reading/page-paths.js';
import { codesOfRows, type PlaceDetails, readPlaceDetails } from '../reading/place-details.js';
import { canonicalPlace, childrenOfChain, findChain } from '../reading/single-child-chains.js';
import { standingPlace } from '../reading/standing-place.js';
import type { UnitChildren } from '../reading/unit-children.js';
import { termOf } from '../reading/unit-terms.js';
import { aroundSection, nearestCodes, placeMap, readAroundPlace, type Surroundings } from './around-place.js';

/** Maximum number of codes on the page; more have pages of their own. London has 279. */
const MAX_CODES = 300;
/** Maximum number of rows of a place whose other names are read: those of one place cost 0.1 ms, a large part of a page. */
const MAX_NAMED_ROWS = 12;
/** A word that phones would break in the middle. */
const LONG_WORD = /[^\s-]{19}/;

/** `listNumber` is the page of the list of places in it; undefined if there is no such page. */
export function placePage(
  context: PageContext,
  country: CoveredCountry,
  number: number,
  listNumber: number,
): Page | undefined {
  const { structures } = country;
  const chain = findChain(structures, number);
  const details = readPlaceDetails(country, number, chain);
  const { city } = details;
  const listed = city === undefined ? childrenOfChain(country, chain) : listPartsOfCity(country, city, chain);
  const pages = childrenPages(listed, city === undefined ? 'unit' : 'city');
  if (listNumber > pages.pageCount) return undefined;
  return {
    title: titleOf(details) + pageNote(listNumber),
    description: descriptionOf(details),
    canonicalPath: listPath(placePath(country, canonicalPlace(structures, number)), listNumber),
    path: listPath(details.path, listNumber),
    body: listNumber === 1 ? body(context, details, listed, pages) : furtherBody(details, pages, listNumber),
    linkedData: linkedData(context.site, details),
  };
}

/** The names of its city, of the units around it and of its country: "Shoreditch" is in "London, England, United Kingdom". */
function unitNames({ country, partOf, within }: PlaceDetails): string {
  const units = within.map(({ name }) => name).reverse();
  const city = partOf === undefined ? [] : [readListFields(country.structures, partOf).name];
  return [...new Set([...city, ...units])].join(', ');
}

/** Two places of one name differ in codes, kind or units. */
function titleOf(details: PlaceDetails): string {
  const { place, name, summary } = details;
  const codes = place.postalCode === null ? `(${kindOf(details).toLowerCase()})` : summary?.text;
  return `${name} ${codes}, ${unitNames(details)}`;
}

function descriptionOf(details: PlaceDetails): string {
  const { place, name, summary } = details;
  const codes =
    summary === undefined
      ? 'has no postal code of its own'
      : `has ${summary.count === 1 ? 'the postal code' : `${formatCounted(summary.count, 'postal code')}:`} ${summary.text}`;
  return `${name}, ${unitNames(details)}, ${codes}. Coordinates: ${place.latitude}, ${place.longitude}.`;
}

/** "District": the country's term for a unit, or a word for other places. */
function kindOf({ country, number, place, summary }: PlaceDetails): string {
  if (place.type === 'recipient') return 'Organisation';
  if (place.postalCode !== null) return 'Locality';
  if (summary === undefined && !isArea(country.structures.tree, number)) return 'Town or quarter';
  return capitalize(termOf(place.countryCode, place.type).one);
}

function heading({ place, name }: PlaceDetails): Html {
  const local = ![place.name, name].includes(place.localName) && place.localName;
  return html`<h1 dir="auto"${LONG_WORD.test(name) && html` class="long"`}>${name}${local && html` ${localName(local, place.countryCode)}`}</h1>`;
}

function localName(name: string, countryCode: string): Html {
  const language = languageOf(name, countryCode);
  return html`<span class="local" dir="auto"${language !== undefined && html` lang="${language}"`}>${name}</span>`;
}

function answer({ country, summary }: PlaceDetails): Html {
  if (summary !== undefined) return codeLine(country, summary);
  return html`<p class="answer">No postal code of its own in this release</p>`;
}

function body(
  { site, snapshot }: PageContext,
  details: PlaceDetails,
  listed: UnitChildren,
  pages: ChildrenPages,
): Html {
  const { name, within, path } = details;
  const around = readAroundPlace(snapshot, details, listed);
  return html`${breadcrumbTrail(within)}
<article class="place">
<header>${heading(details)}
${answer(details)}</header>
<div class="pictured">
${placeMap(snapshot, details, around)}
<div>${facts(details)}
${codeSection(details, around)}
${aroundSection(details, around)}</div>
</div>
${fullCodesOf(details)}
${section('within', `In ${name}`, childrenList(details.country, pages, 1, path))}
${otherNamesSection(otherNames(details))}
${apiCall(site, callsOf(details))}
</article>`;
}

/** The names in other languages of the first place of the chain and city that has any. */
function otherNames({ country, number, place, chain, city, rows }: PlaceDetails): ReadonlyMap<string, string> {
  const { namesByLanguage } = country.structures;
  const places = [number, city ?? [], chain.units, chain.city ?? [], rows.slice(0, MAX_NAMED_ROWS)].flat();
  for (const one of new Set(places)) {
    const names = readOtherNames(namesByLanguage, one);
    if (names.size === 0) continue;
    return new Map([...names].filter(([, name]) => name !== place.name && name !== place.localName));
  }
  return new Map();
}

/** The second and further pages of the list. */
function furtherBody(details: PlaceDetails, pages: ChildrenPages, listNumber: number): Html {
  return html`${breadcrumbTrail(details.within)}
<article class="place">
<header>${heading(details)}
${answer(details)}</header>
${section('within', `In ${details.name}`, childrenList(details.country, pages, listNumber, details.path))}
</article>`;
}

function callsOf({ place }: PlaceDetails): string[] {
  const call = `/v1/countries/${place.countryCode}/places/${place.id}`;
  const near = `/v1/nearby?country=${place.countryCode}&place=${place.id}`;
  return [`${call}?include=population,timezone,codes`, `${call}/postcodes`, near];
}

function codeSection(details: PlaceDetails, around: Surroundings): Content {
  const { country, number, place, ranks, rows, summary } = details;
  if (place.type === 'recipient') {
    return html`${rows.length > 1 && codeLinks(country, codesOfRows(country, rows))}
<p class="note">An organisation, post boxes or a delivery office with a code of its own</p>`;
  }
  if (summary === undefined) return nearestCodes(details, around);
  if (summary.count === 1) return undefined;
  const all = formatCounted(ranks.length, 'postal code');
  return section(
    'codes',
    'Postal codes',
    ranks.length > MAX_CODES
      ? html`<p><a href="${placeCodesPath(country, number)}">All ${all}</a></p>`
      : foldedCodes(
          country,
          ranks.map((rank) => codeOfRank(country, rank)),
        ),
  );
}

/** The full codes of the places whose codes the page has: see listRanksOfPage. */
function fullCodesOf({ country, number, city, ranks }: PlaceDetails): Content {
  const { structures } = country;
  if (structures.fullCodes === undefined) return false;
  const { codes } = codeRanksOf(structures);
  const standing = standingPlace(structures, city ?? number);
  const { ranges } = placesOfCodes(structures, standing);
  const firsts = ranks.map((rank) => codes[rank] as number);
  const isOwn = (place: number): boolean =>
    cityOf(structures, place) === standing || ranges.some(({ start, end }) => place >= start && place < end);
  return fullCodeList(country, firsts, isOwn);
}

function facts(details: PlaceDetails): Html {
  const { country, number, chain, city, partOf, place } = details;
  const { structures } = country;
  const people = peopleOf(details);
  const region = placeUnitCodesOf(structures, number).iso3166_2;
  const isCity = city !== undefined || !isArea(structures.tree, number);
  const isInChain = chain.units.length + Number(chain.city !== undefined) > 1;
  return html`<dl class="facts">
${people !== null && people > 0 && fact('Population', formatNumber(people))}
${fact('City', partOf !== undefined && cityLink(country, partOf))}
${fact('Kind', city !== undefined && people !== null ? 'City or town' : kindOf(details))}
${isInChain && fact('Levels', levels(details))}
${fact('Region code', region !== null && html`${region} <span class="note">ISO 3166-2</span>`)}
${fact('Time zone', timezoneOf(structures, number) ?? undefined)}
${fact('Coordinates', coordinates(place, isCity ? 'town' : 'unit', `${place.latitude}, ${place.longitude}`))}
</dl>`;
}

/** Of the places of a page, often only the city has the number of its people. */
function peopleOf({ country: { structures }, number, city }: PlaceDetails): number | null {
  return populationOf(structures, number) ?? (city === undefined ? null : populationOf(structures, city));
}

/** Links to the places of a chain, each with its kind. */
function levels({ country, number, chain }: PlaceDetails): Content {
  const { structures } = country;
  const all = chain.city === undefined ? chain.units : [...chain.units, chain.city];
  const own = standingPlace(structures, number);
  const links = all.map((place) => {
    const { name, postalCode } = readListFields(structures, place);
    const kind = postalCode === null ? termOf(country.entry.code, readKindField(structures, place)).one : 'locality';
    const text =
      place === own
        ? html`<b dir="auto">${name}</b>`
        : html`<a href="${placePath(country, place)}" dir="auto">${name}</a>`;
    return html`${text} <span class="note">${kind}</span>`;
  });
  return joinHtml(links, ' › ');
}

function linkedData(site: SiteAddresses, { place, within, path }: PlaceDetails): object[] {
  const alternateName = place.localName === place.name ? {} : { alternateName: place.localName };
  const address = { '@type': 'PostalAddress', addressCountry: place.countryCode };
  return [
    breadcrumbList(site, [...within, { name: place.name, path }]),
    {
      '@type': 'Place',
      name: place.name,
      ...alternateName,
      url: site.siteUrl + path,
      identifier: place.id,
      address: place.postalCode === null ? address : { ...address, postalCode: place.postalCode },
      geo: { '@type': 'GeoCoordinates', latitude: place.latitude, longitude: place.longitude },
    },
  ];
}
