/**
 * Lists of postal codes: the codes of a country by their first characters, all codes of a place, and the full codes of
 * a sector, a page at a time. Each code stands with its city, or in the list of a place with its places.
 */

import { codeRanksOf, isLocalityAt } from '../../core/lookup/code-ranks.js';
import { cityOfPostcode } from '../../core/lookup/main-place.js';
import { inNaturalOrder } from '../../core/lookup/natural-order.js';
import { fullCodeAt } from '../../core/snapshot/full-codes.js';
import { cityOfPlace } from '../../core/snapshot/place-cities.js';
import { readListFields } from '../../core/snapshot/place-fields.js';
import { isPlace } from '../../core/snapshot/place-tree.js';
import {
  indexedPostcode,
  indexedPostcodePlaces,
  type PostcodeMatch,
  postcodesWithPrefix,
} from '../../core/snapshot/postcode-index.js';
import type { CountryStructures } from '../../core/snapshot/snapshot.js';
import { codeLink } from '../components/code-links.js';
import { pageNote, pager } from '../components/pager.js';
import { breadcrumbList, breadcrumbTrail } from '../html/breadcrumbs.js';
import { inSentence } from '../html/country-in-sentence.js';
import { formatCounted } from '../html/formats.js';
import { type Content, type Html, html } from '../html/html.js';
import type { Page, PageContext } from '../html/page.js';
import { listRanksOfPage, summarizeCodes } from '../reading/code-summary.js';
import { type CodeGroup, groupCodes, regionsOfCodePrefix } from '../reading/codes-by-prefix.js';
import type { CoveredCountry } from '../reading/covered-country.js';
import type { Sector } from '../reading/full-code-sectors.js';
import { browsePath, countryPath, listPath, placeCodesPath, placePath, postcodePath } from '../reading/page-paths.js';

/** Maximum number of codes on one page of a list. */
const LIST_LENGTH = 200;
/** Number of regions named beside a group. */
const NAMED_REGIONS = 2;

/** The codes of a country that start with `prefix`; undefined if there are none. */
export function codesByPrefixPage(context: PageContext, country: CoveredCountry, prefix: string): Page | undefined {
  const { postcodes } = country.structures;
  const codes = postcodesWithPrefix(postcodes, prefix);
  if (codes.start >= codes.end) return undefined;
  const groups = groupCodes(country, prefix, codes);
  const ordered = inNaturalOrder(country.structures, codes);
  const where = inSentence(country.entry.name);
  const heading = prefix === '' ? `Postal codes of ${where}` : `Postal codes ${prefix}… of ${where}`;
  const path = browsePath(country, prefix);
  const crumbs = [{ name: country.entry.name, path: countryPath(country) }];
  if (prefix !== '') crumbs.push({ name: 'Postal codes', path: browsePath(country, '') });
  return {
    title: heading,
    description: `${formatCounted(codes.end - codes.start, 'postal code')} of ${where}${prefix === '' ? '' : ` that start with ${prefix}`}, with their places.`,
    canonicalPath: path,
    body: html`${breadcrumbTrail(crumbs)}
<header><h1>${heading}</h1>
<p class="answer"><b>${firstAndLast(country, ordered)}</b> · ${formatCounted(ordered.length, 'postal code')}</p></header>
${groups === undefined ? codeList(country, ordered, 'city') : groupList(country, groups)}`,
    linkedData: [breadcrumbList(context.site, [...crumbs, { name: heading, path }])],
  };
}

/** "8000 – 8099", or the code if it is the only one. */
function firstAndLast({ structures }: CoveredCountry, codes: Uint32Array): string {
  const ends = new Set([codes[0] as number, codes.at(-1) as number]);
  return [...ends].map((code) => indexedPostcode(structures.postcodes, code)).join(' – ');
}

function groupList(country: CoveredCountry, groups: readonly CodeGroup[]): Html {
  return html`<ul class="places groups">${groups.map((group) => {
    const { prefix, codes } = group;
    if (codes.end - codes.start === 1) return html`<li>${codeItem(country, codes.start, 'city')}</li>`;
    return html`<li><a href="${browsePath(country, prefix)}">${prefix}</a> <span class="where">${formatCounted(codes.end - codes.start, 'code')}${regionNames(country, group)}</span></li>`;
  })}</ul>`;
}

function regionNames(country: CoveredCountry, group: CodeGroup): string {
  const regions = regionsOfCodePrefix(country, group);
  const names = regions.slice(0, NAMED_REGIONS).map((region) => readListFields(country.structures, region).name);
  const more = regions.length - names.length;
  return names.length === 0 ? '' : ` · ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** `codes` are numbers of codes. */
function codeList(country: CoveredCountry, codes: Iterable<number>, by: NamedBy): Html {
  return html`<ul class="places groups">${Array.from(codes, (code) => html`<li>${codeItem(country, code, by)}</li>`)}</ul>`;
}

/** What stands beside a code: its city, or in a list of one city's codes its places. */
type NamedBy = 'city' | 'place';

/** A code with its main city or first place, and the number of others. Recipients count only where there are no others. */
function codeItem(country: CoveredCountry, code: number, by: NamedBy): Content {
  const { structures } = country;
  const ranks = codeRanksOf(structures);
  const match = { places: indexedPostcodePlaces(structures.postcodes, code) };
  const all = [...match.places].filter((place) => isPlace(structures.tree, place));
  const localities = all.filter((place) => isLocalityAt(ranks, place));
  const places = localities.length > 0 ? localities : all;
  const named = new Set(by === 'city' ? listCities(structures, match, places) : places);
  const [name = '', ...others] = new Set(Array.from(named, (place) => readListFields(structures, place).name));
  return [
    codeLink(country, indexedPostcode(structures.postcodes, code)),
    html` <span class="where" dir="auto">${name}${others.length > 0 && ` and ${others.length} more`}</span>`,
  ];
}

/** The city of a code's main place, then those of all its places. */
function listCities(
  structures: CountryStructures,
  match: Pick<PostcodeMatch, 'places'>,
  places: readonly number[],
): number[] {
  const cities = places.map((place) => cityOfPlace(structures, place));
  const main = cityOfPostcode(structures, match);
  return main === undefined ? cities : [main, ...cities];
}

/** The full codes of a sector in their order; undefined if there is no such page. */
export function sectorPage(
  context: PageContext,
  country: CoveredCountry,
  { name, codes }: Sector,
  listNumber: number,
): Page | undefined {
  const { structures, entry } = country;
  const { fullCodes } = structures;
  const pageCount = Math.ceil(codes.length / LIST_LENGTH);
  if (fullCodes === undefined || listNumber > pageCount) return undefined;
  const shown = codes.slice((listNumber - 1) * LIST_LENGTH, listNumber * LIST_LENGTH);
  const items = shown.map((code) => {
    const { postcode, place } = fullCodeAt(fullCodes, code);
    const where = isPlace(structures.tree, place) ? readListFields(structures, place).name : '';
    return html`<li>${codeLink(country, postcode)} <span class="where" dir="auto">${where}</span></li>`;
  });
  const where = inSentence(entry.name);
  const path = browsePath(country, name);
  const firstPart = name.slice(0, name.lastIndexOf(' '));
  const crumbs = [
    { name: entry.name, path: countryPath(country) },
    { name: 'Postal codes', path: browsePath(country, '') },
    { name: firstPart, path: postcodePath(country, firstPart) },
  ];
  return {
    title: `Postal codes ${name}… of ${where}${pageNote(listNumber)}`,
    description: `${formatCounted(codes.length, 'full postal code')} of ${where} that start with ${name}, with their places.`,
    canonicalPath: listPath(path, listNumber),
    body: html`${breadcrumbTrail(crumbs)}
<header><h1>Postal codes ${name}… of ${where}</h1>
<p class="answer">${formatCounted(codes.length, 'full postal code')}</p></header>
<ul class="places groups">${items}</ul>
${pageCount > 1 && pager(listNumber, pageCount, path)}`,
    linkedData: [breadcrumbList(context.site, [...crumbs, { name, path }])],
  };
}

/** All codes of a place in natural order; undefined if it has none, or if there is no such page. */
export function codesOfPlacePage(
  context: PageContext,
  country: CoveredCountry,
  place: number,
  listNumber: number,
): Page | undefined {
  const { structures } = country;
  const ranks = listRanksOfPage(country, place);
  const pageCount = Math.ceil(ranks.length / LIST_LENGTH);
  if (listNumber > pageCount) return undefined;
  const shown = ranks.slice((listNumber - 1) * LIST_LENGTH, listNumber * LIST_LENGTH);
  const { name } = readListFields(structures, place);
  const path = placeCodesPath(country, place);
  const crumbs = [
    { name: country.entry.name, path: countryPath(country) },
    { name, path: placePath(country, place) },
  ];
  const { text } = summarizeCodes(country, ranks);
  const codes = shown.map((rank) => codeRanksOf(structures).codes[rank] as number);
  return {
    title: `Postal codes of ${name}, ${country.entry.name}${pageNote(listNumber)}`,
    description: `All ${formatCounted(ranks.length, 'postal code')} of ${name}, ${country.entry.name}: ${text}.`,
    canonicalPath: listPath(path, listNumber),
    body: html`${breadcrumbTrail(crumbs)}
<header><h1>Postal codes of <span dir="auto">${name}</span></h1>
<p class="answer"><b>${text}</b> · ${formatCounted(ranks.length, 'postal code')}</p></header>
${codeList(country, codes, 'place')}
${pageCount > 1 && pager(listNumber, pageCount, path)}`,
    linkedData: [breadcrumbList(context.site, [...crumbs, { name: 'Postal codes', path }])],
  };
}
