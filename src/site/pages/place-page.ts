/**
 * The page of a place, at the `url` of its answer: its names and codes, the places around, in, beside and near it, a
 * map, and the call to the API that gives the same. It needs no script and stays under 30 kB.
 */
import { levelOf, type PlaceTree } from '../../format/place-tree.js';
import type { PlaceResource } from '../../format/rendered-places.js';
import type { Range } from '../../store/mapped-numbers.js';
import { readEntry, readPlace, slugIn } from '../../store/place-fields.js';
import { childRange, levelRange, listAncestors } from '../../store/place-tree.js';
import { countryPath } from '../addresses.js';
import { apiCall, copyable } from '../html/api-call.js';
import { inSentence } from '../html/country-name.js';
import { type Content, type Html, html } from '../html/html.js';
import { breadcrumbs } from '../html/json-ld.js';
import { languageOf } from '../html/local-language.js';
import { nearestPlaces } from '../html/nearest-places.js';
import { childList, isArea, kindOf, type ListPage, listPage, placeItem, pluralOf } from '../html/place-list.js';
import { type Crumb, codeLinks, count, fact, section, trail } from '../html/place-parts.js';
import type { MapDot } from '../map/map-dot.js';
import { drawPlaceMap, drawSurroundings } from '../map/place-map.js';
import type { Page, PageContext } from '../page.js';
import { listCodesWithin } from '../reading/descendant-codes.js';
import { dotsAround, dotsWithin, sampleWithin } from '../reading/map-dots.js';
import { listNearPlaces, type NearPlaceEntry } from '../reading/near-places.js';
import type { CoveredCountry } from '../site-snapshot.js';

const NEIGHBOUR_COUNT = 12;
/** Number of parts from which on an area's map shows its parts. */
const LEAST_PARTS = 2;

/** Phones would break it in the middle. */
const LONG_WORD = /[^\s-]{19}/;
const RECIPIENT = html`<br><span class="note">An organisation, post boxes or a delivery office with a code of its own</span>`;

interface Subject {
  readonly context: PageContext;
  readonly country: CoveredCountry;
  readonly number: number;
  readonly place: PlaceResource;
  readonly path: string;
  /** The places that contain it, the country first. */
  readonly within: readonly Crumb[];
  readonly children: Range;
}

/** Page `listNumber` of the places in it; undefined if there is no such page. */
export function placePage(
  context: PageContext,
  country: CoveredCountry,
  number: number,
  listNumber: number,
): Page | undefined {
  const { structures } = country;
  const children = childRange(structures.tree, number);
  const list = listPage(structures.tree, children, listNumber);
  if (list === undefined) return undefined;
  const place = readPlace(structures, number);
  const path = countryPath(country) + place.path;
  const ancestors = listAncestors(structures.tree, number).map((ancestor) => {
    const { name, path } = readEntry(structures, ancestor);
    return { name, path: countryPath(country) + path };
  });
  const within = [{ name: country.entry.name, path: countryPath(country) }, ...ancestors];
  const subject: Subject = { context, country, number, place, path, within, children };
  const suffix = list.number === 1 ? '' : `?page=${list.number}`;
  return {
    title: titleOf(subject) + (suffix && `, page ${list.number}`),
    description: descriptionOf(subject),
    canonicalPath: path + suffix,
    body: body(subject, list),
    linkedData: linkedData(subject),
  };
}

/** The places around it, the innermost first: "Vaduz, Oberland, Liechtenstein". */
function surroundings({ within }: Subject): string {
  return within
    .map(({ name }) => name)
    .reverse()
    .join(', ');
}

/** Two places of one name differ in code, kind or surroundings. */
function titleOf(subject: Subject): string {
  const { name, postalCode, type } = subject.place;
  return `${name} ${postalCode ?? `(${type})`}, ${surroundings(subject)}`;
}

function descriptionOf(subject: Subject): string {
  const { place, children } = subject;
  const code = place.postalCode === null ? '' : ` Its postal code is ${place.postalCode}.`;
  const inside = children.end - children.start;
  const parts = inside === 0 ? '' : ` ${count(inside, 'place')} in it.`;
  return `${place.name} is a ${place.type} in ${surroundings(subject)}.${code}${parts} Coordinates: ${place.latitude}, ${place.longitude}.`;
}

function body(subject: Subject, list: ListPage): Html {
  const { context, number, place, within, children, country, path } = subject;
  const inside = children.end - children.start;
  const parts = dotsWithin(country, children, place.name);
  const near = parts.length < LEAST_PARTS ? listNearPlaces(context.data, country, place, [number]) : [];
  const local = place.localName !== place.name && place.localName;
  return html`${trail(within)}
<article class="place">
<header><h1 dir="auto"${LONG_WORD.test(place.name) && html` class="long"`}>${place.name}${local && html` ${localName(local, place.countryCode)}`}</h1>
<p class="lede">${capital(place.type)} in ${surroundings(subject)}</p></header>
<div class="sides">
${facts(subject)}
${map(subject, parts, near)}
<div>${section(
    'within',
    `In ${place.name}`,
    inside > 0 && childList(country.structures, list, slugIn(path)),
  )}${section('nearest', 'Nearest places', inside === 0 && nearestPlaces(near))}</div>
</div>
${besideSection(subject)}
${apiCall(context.site, `/v1/countries/${place.countryCode}/places/${place.id}`)}
</article>`;
}

function localName(name: string, countryCode: string): Html {
  const language = languageOf(name, countryCode);
  return html`<span class="local" dir="auto"${language !== undefined && html` lang="${language}"`}>${name}</span>`;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function facts({ country, number, place }: Subject): Html {
  const codes = place.postalCode === null ? listCodesWithin(country.structures, number) : [place.postalCode];
  const heading = codes?.length === 1 ? 'Postal code' : 'Postal codes';
  return html`<dl class="facts">
${codes !== undefined && codes.length > 0 && fact(heading, codeLinks(country, codes))}
${fact('Kind', [`${capital(place.type)}, level ${place.level}`, place.type === 'recipient' && RECIPIENT])}
${fact('Coordinates', copyable(`${place.latitude}, ${place.longitude}`))}
</dl>`;
}

/** Of an area its parts; of a place without parts, or with parts at one point, the places around it. */
function map(
  { context, country, place, children }: Subject,
  parts: readonly MapDot[],
  near: readonly NearPlaceEntry[],
): Html {
  if (parts.length >= LEAST_PARTS) {
    const faint = sampleWithin(country, children);
    const caption = html`<b dir="auto">${place.name}</b> and places in it.`;
    return drawPlaceMap(context.data, { countries: [country], extent: faint, dots: parts, faint, caption });
  }
  const dots = dotsAround(near, place.name);
  const caption = html`<b dir="auto">${place.name}</b>${dots.length > 0 && ' and the places around it'}.`;
  return drawSurroundings(context.data, country, place, [place], place.name, dots, caption);
}

/** Places with the same parent, around it in the order of names: areas beside an area, others beside others. */
function besideSection({ country, number, within }: Subject): Content {
  const { structures } = country;
  const shown = listNeighbours(structures.tree, number);
  const items = shown.map((place) => {
    const entry = readEntry(structures, place);
    return placeItem(entry, slugIn(entry.path));
  });
  const kinds = isArea(structures.tree, number) ? pluralOf(kindOf(structures, [number, ...shown])) : 'places';
  const heading = `Other ${kinds} in ${inSentence(within.at(-1)?.name ?? '')}`;
  return section('beside', heading, items.length > 0 && html`<ul class="places">${items}</ul>`);
}

function listNeighbours(tree: PlaceTree, number: number): readonly number[] {
  const parent = listAncestors(tree, number).at(-1);
  const { start, end } = parent === undefined ? levelRange(tree, levelOf(tree, number)) : childRange(tree, parent);
  const isOfAreas = isArea(tree, number);
  const [before, after]: [number[], number[]] = [[], []];
  for (let at = number - 1; at >= start && before.length < NEIGHBOUR_COUNT; at--)
    if (isArea(tree, at) === isOfAreas) before.unshift(at);
  for (let at = number + 1; at < end && after.length < NEIGHBOUR_COUNT; at++)
    if (isArea(tree, at) === isOfAreas) after.push(at);
  // Near an end of the list there are more on the other side.
  const all = [...before, ...after];
  const first = Math.max(0, Math.min(before.length - NEIGHBOUR_COUNT / 2, all.length - NEIGHBOUR_COUNT));
  return all.slice(first, first + NEIGHBOUR_COUNT);
}

function linkedData({ context, place, within, path }: Subject): object[] {
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
