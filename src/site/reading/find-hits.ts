/**
 * The results of the search box, in this order: the country without data that the text is about, the country with this code, countries whose name starts with the text,
 * the pages of exactly this postal code, and the places that the API suggests.
 */
import { foldQuery, foldText } from '../../format/fold-text.js';
import { normalizePostcode, plainPostcode } from '../../format/postcode.js';
import { findAbsentCountry } from '../../service/suggest/absent-country.js';
import { listCountrySuggestions } from '../../service/suggest/country-suggestions.js';
import { WHOLE_WORLD } from '../../service/suggest/search-scope.js';
import { suggest } from '../../service/suggest/suggest.js';
import { readEntry } from '../../store/place-fields.js';
import { listAncestors } from '../../store/place-tree.js';
import { findPostcode } from '../../store/postcode-index.js';
import type { Country } from '../../store/snapshot.js';
import { countryPath, placePath, postcodePath } from '../addresses.js';
import { type CoveredCountry, isCovered, type SiteSnapshot } from '../site-snapshot.js';

export interface Hit {
  readonly kind: 'country' | 'postcode' | 'place';
  readonly name: string;
  /** Distinguishes it from other places of the same name. */
  readonly where: string;
  readonly path: string;
}

/** Characters of a query that are looked at. */
export const MAX_QUERY_LENGTH = 100;
const MAX_COUNTRIES = 3;
const COUNTRY_CODE = /^[a-z]{2,3}$/i;
const HAS_DIGIT = /\d/;

/** At most `limit` results, at most half of them postal codes; empty for a text without letters or digits. */
function findHits(data: SiteSnapshot, text: string, limit: number): Hit[] {
  const query = cutQuery(text);
  const foldings = foldQuery(query);
  if (foldings.includes('')) return [];
  const before = [...findCountries(data, query), ...findCodes(data, query, Math.ceil(limit / 2))];
  const { snapshot } = data;
  const places = suggest(snapshot, query, WHOLE_WORLD, limit).flatMap(({ country, place }) =>
    isCovered(country) ? [placeHit(country, place)] : [],
  );
  return [...before, ...places].slice(0, limit);
}

function findCountries(data: SiteSnapshot, query: string): Hit[] {
  const folded = foldText(query);
  if (folded.length < 2) return [];
  const byCode = COUNTRY_CODE.test(query) ? listCountrySuggestions(data.snapshot, [folded], undefined).exact : [];
  const byName = data.snapshot.countries
    .filter(({ entry }) => foldText(entry.name).startsWith(folded))
    // "United States" before the islands of that name.
    .sort((a, b) => Number(isCovered(b)) - Number(isCovered(a)) || a.entry.name.length - b.entry.name.length);
  return [...new Set([...byCode, ...byName])].slice(0, MAX_COUNTRIES).map(countryHit);
}

function countryHit(country: Country): Hit {
  const where = isCovered(country) ? 'Country' : 'Country, not in this release';
  return { kind: 'country', name: country.entry.name, where, path: countryPath(country) };
}

/**
 * The results, and the country that the text is about if that has no data: by its name, the name of a big city or, if
 * there are no results, the end of the text.
 */
export function search(data: SiteSnapshot, text: string, limit: number): SearchResults {
  const hits = findHits(data, text, limit);
  const absent = findAbsentCountry(data.snapshot, cutQuery(text), hits.length === 0);
  const isListed = absent === undefined || hits.some(({ path }) => path === countryPath(absent));
  return { absent, hits: isListed ? hits : [countryHit(absent), ...hits].slice(0, limit) };
}

export interface SearchResults {
  readonly hits: readonly Hit[];
  /** Undefined if the text is about no country without data. */
  readonly absent: Country | undefined;
}

function cutQuery(text: string): string {
  return [...text].slice(0, MAX_QUERY_LENGTH).join('').trim();
}

/** One probe for each country. */
function findCodes({ snapshot }: SiteSnapshot, query: string, limit: number): Hit[] {
  if (!HAS_DIGIT.test(query)) return [];
  const code = plainPostcode(normalizePostcode(query));
  const hits: Hit[] = [];
  for (const country of snapshot.countries) {
    const match = isCovered(country) ? findPostcode(country.structures.postcodes, code) : undefined;
    if (match === undefined || !isCovered(country)) continue;
    const { postcode } = match;
    const where = `Postal code, ${country.entry.name}`;
    hits.push({ kind: 'postcode', name: postcode, where, path: postcodePath(country, postcode) });
    if (hits.length === limit) break;
  }
  return hits;
}

function placeHit(country: CoveredCountry, place: number): Hit {
  const { structures } = country;
  const { name, postalCode } = readEntry(structures, place);
  const around = listAncestors(structures.tree, place).reverse();
  const names = around.map((ancestor) => readEntry(structures, ancestor).name);
  const where = placeWords(name, [postalCode, ...names, country.entry.name]);
  return { kind: 'place', name, where, path: placePath(country, place) };
}

/**
 * What tells a place from another: each text once, however it is spelled, and its own name only where there is nothing
 * else.
 */
export function placeWords(name: string, texts: readonly (string | null)[]): string {
  const seen = new Set([foldText(name)]);
  const words = texts.filter((text): text is string => {
    if (text === null || seen.has(foldText(text))) return false;
    seen.add(foldText(text));
    return true;
  });
  return words.length > 0 ? words.join(', ') : (texts.at(-1) ?? '');
}
