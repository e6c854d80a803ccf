/**
 * Lists of postal codes: those of a country by their first characters, all of a place, and the full codes of a sector, a
 * page at a time. Each code stands with its city or place.
 */

import { citiesOf, isLocalityAt, listCityPlaces, listRanks, listRanksWithin } from '../../core/lookup/cities.js';
import { inNaturalOrder } from '../../core/lookup/natural-order.js';
import { fullCodeAt } from '../../core/snapshot/full-codes.js';
import { readEntry } from '../../core/snapshot/place-fields.js';
import { isPlace, rangesBelow } from '../../core/snapshot/place-tree.js';
import { codePlaces, codeText, postcodesWithPrefix } from '../../core/snapshot/postcode-index.js';
import { browsePath, countryPath, placeCodesPath, placePath, postcodePath } from '../addresses.js';
import { breadcrumbs, type Content, type Html, html, inSentence } from '../html/html.js';
import type { Page, PageContext } from '../html/layout.js';
import { pager } from '../html/part-list.js';
import { codeLink, count, trail } from '../html/place-parts.js';
import { type CodeGroup, groupCodes, regionsOf, type Sector, summarizeCodes } from '../reading/code-groups.js';
import type { CoveredCountry } from '../site-snapshot.js';

/** Codes on one page of the list of a place. */
const LIST_LENGTH = 200;
/** Number of regions that are named of a group. */
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
    description: `${count(codes.end - codes.start, 'postal code')} of ${where}${prefix === '' ? '' : ` that start with ${prefix}`}, with their places.`,
    canonicalPath: path,
    body: html`${trail(crumbs)}
<header><h1>${heading}</h1>
<p class="answer"><b>${firstAndLast(country, ordered)}</b> · ${count(ordered.length, 'postal code')}</p></header>
${groups === undefined ? codeList(country, ordered) : groupList(country, groups)}`,
    linkedData: [
      breadcrumbs(
        [...crumbs, { name: heading, path }].map(({ name, path }) => ({ name, url: context.site.siteUrl + path })),
      ),
    ],
  };
}

/** Of one code, the code. */
function firstAndLast({ structures }: CoveredCountry, codes: Uint32Array): string {
  const ends = new Set([codes[0] as number, codes.at(-1) as number]);
  return [...ends].map((code) => codeText(structures.postcodes, code)).join(' – ');
}

function groupList(country: CoveredCountry, groups: readonly CodeGroup[]): Html {
  return html`<ul class="places groups">${groups.map((group) => {
    const { prefix, codes } = group;
    if (codes.end - codes.start === 1) return html`<li>${codeItem(country, codes.start)}</li>`;
    return html`<li><a href="${browsePath(country, prefix)}">${prefix}</a> <span class="where">${count(codes.end - codes.start, 'code')}${regionNames(country, group)}</span></li>`;
  })}</ul>`;
}

function regionNames(country: CoveredCountry, group: CodeGroup): string {
  const regions = regionsOf(country, group);
  const names = regions.slice(0, NAMED_REGIONS).map((region) => readEntry(country.structures, region).name);
  const more = regions.length - names.length;
  return names.length === 0 ? '' : ` · ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** `codes` are numbers of codes. */
function codeList(country: CoveredCountry, codes: Iterable<number>): Html {
  return html`<ul class="places groups">${Array.from(codes, (code) => html`<li>${codeItem(country, code)}</li>`)}</ul>`;
}

/** A code with its first city, or with its first recipient if it has no city. */
function codeItem(country: CoveredCountry, code: number): Content {
  const { structures } = country;
  const cities = citiesOf(structures);
  const places = [...codePlaces(structures.postcodes, code)].filter((place) => isPlace(structures.tree, place));
  const localities = places.filter((place) => isLocalityAt(cities, place));
  const standing = new Set(
    (localities.length > 0 ? localities : places).map((place) => cities.cities[place] as number),
  );
  const [first] = standing;
  const name = first === undefined ? '' : readEntry(structures, first).name;
  const more = standing.size > 1 && ` and ${standing.size - 1} more`;
  return [
    codeLink(country, codeText(structures.postcodes, code)),
    html` <span class="where" dir="auto">${name}${more}</span>`,
  ];
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
    const where = isPlace(structures.tree, place) ? readEntry(structures, place).name : '';
    return html`<li>${codeLink(country, postcode)} <span class="where" dir="auto">${where}</span></li>`;
  });
  const where = inSentence(entry.name);
  const [path, suffix] = [browsePath(country, name), listNumber === 1 ? '' : `?page=${listNumber}`];
  const firstPart = name.slice(0, name.lastIndexOf(' '));
  const crumbs = [
    { name: entry.name, path: countryPath(country) },
    { name: 'Postal codes', path: browsePath(country, '') },
    { name: firstPart, path: postcodePath(country, firstPart) },
  ];
  return {
    title: `Postal codes ${name}… of ${where}${suffix && `, page ${listNumber}`}`,
    description: `${count(codes.length, 'full postal code')} of ${where} that start with ${name}, with their places.`,
    canonicalPath: path + suffix,
    body: html`${trail(crumbs)}
<header><h1>Postal codes ${name}… of ${where}</h1>
<p class="answer">${count(codes.length, 'full postal code')}</p></header>
<ul class="places groups">${items}</ul>
${pageCount > 1 && pager(listNumber, pageCount, path)}`,
    linkedData: [
      breadcrumbs([...crumbs, { name, path }].map((crumb) => ({ ...crumb, url: context.site.siteUrl + crumb.path }))),
    ],
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
  const cities = citiesOf(structures);
  const ranks = isLocalityAt(cities, place)
    ? listRanks(cities, listCityPlaces(structures, cities.cities[place] as number))
    : listRanksWithin(cities, rangesBelow(structures.tree, place));
  const pageCount = Math.ceil(ranks.length / LIST_LENGTH);
  if (listNumber > pageCount) return undefined;
  const shown = ranks.slice((listNumber - 1) * LIST_LENGTH, listNumber * LIST_LENGTH);
  const { name } = readEntry(structures, place);
  const path = placeCodesPath(country, place);
  const suffix = listNumber === 1 ? '' : `?page=${listNumber}`;
  const crumbs = [
    { name: country.entry.name, path: countryPath(country) },
    { name, path: placePath(country, place) },
  ];
  const { text } = summarizeCodes(country, ranks);
  const codes = shown.map((rank) => cities.codes[rank] as number);
  return {
    title: `Postal codes of ${name}, ${country.entry.name}${suffix && `, page ${listNumber}`}`,
    description: `All ${count(ranks.length, 'postal code')} of ${name}, ${country.entry.name}: ${text}.`,
    canonicalPath: path + suffix,
    body: html`${trail(crumbs)}
<header><h1>Postal codes of <span dir="auto">${name}</span></h1>
<p class="answer"><b>${text}</b> · ${count(ranks.length, 'postal code')}</p></header>
${codeList(country, codes)}
${pageCount > 1 && pager(listNumber, pageCount, path)}`,
    linkedData: [
      breadcrumbs(
        [...crumbs, { name: 'Postal codes', path }].map((crumb) => ({
          name: crumb.name,
          url: context.site.siteUrl + crumb.path,
        })),
      ),
    ],
  };
}
