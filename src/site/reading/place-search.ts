/**
 * The results of the search form, in this order: the country without data that the text is about, the country with this
 * code, countries whose name starts with the text, the town of a code that the data lack, postal codes that equal the text
 * (the likeliest country first), full codes that the text has or starts, and the places that the API suggests. Each code
 * of a country and each city is one result, and no two results look the same.
 */

import { findAbsentCountry } from '../../core/lookup/absent-countries.js';
import { cityOfPostcode } from '../../core/lookup/main-place.js';
import { isMeantByStart } from '../../core/lookup/national-postcodes.js';
import { countriesOfLookup, inferMissing, listFoundPostcodes } from '../../core/lookup/postcode-lookup.js';
import { positionOfCode } from '../../core/lookup/postcode-position.js';
import { readCityName } from '../../core/snapshot/city-name.js';
import { foldQuery, foldText } from '../../core/snapshot/fold-text.js';
import { cityOf } from '../../core/snapshot/place-cities.js';
import { readKindField, readListFields, readPointField } from '../../core/snapshot/place-fields.js';
import { isArea, listAncestors } from '../../core/snapshot/place-tree.js';
import { normalizePostcode } from '../../core/snapshot/postcode-spelling.js';
import type { Country, Snapshot } from '../../core/snapshot/snapshot.js';
import type { Position } from '../../core/snapshot/sphere.js';
import { listCountrySuggestions } from '../../core/suggest/country-suggestions.js';
import { findSuggestions } from '../../core/suggest/suggest.js';
import { capitalize, formatCounted } from '../html/formats.js';
import { listRanksOfPage } from './code-summary.js';
import { type CoveredCountry, isCovered } from './covered-country.js';
import { describeFound, type FoundCode } from './found-code.js';
import { countryPath, placePath, postcodePath } from './page-paths.js';
import { canonicalPlace } from './single-child-chains.js';
import { termOf } from './unit-terms.js';

export const HIT_KINDS = ['country', 'postcode', 'place'] as const;
export type HitKind = (typeof HIT_KINDS)[number];

export interface Hit {
  readonly kind: HitKind;
  readonly name: string;
  /** Distinguishes it from other results of the same name. */
  readonly where: string;
  readonly path: string;
  readonly country: Country;
  /** Undefined for a country. */
  readonly position?: Position | undefined;
  /** Of a place only, with its code or the number of its codes, if it has any. */
  readonly place?: number;
  readonly codes?: string | undefined;
}

/** Limits the results to a country or a kind. */
export interface HitFilter {
  readonly country?: Country | undefined;
  readonly kind?: HitKind | undefined;
}

/** Maximum number of characters of a query; the rest is ignored. */
const MAX_QUERY_LENGTH = 100;
const MAX_COUNTRIES = 3;
const COUNTRY_CODE = /^[a-z]{2,3}$/i;
const HAS_DIGIT = /\d/;

export interface SearchResults {
  readonly hits: readonly Hit[];
  /** The country without data that the text is about, or that the results are limited to. */
  readonly absent: Country | undefined;
  /** Whether the text is the name of a big city of that country, and there is no result of this name. */
  readonly isCityOfAbsent: boolean;
}

/**
 * The results, and the country without data that the text is about: by the country's name, by the name of a big city
 * or, if there are no results, by the end of the text.
 */
export function search(snapshot: Snapshot, text: string, limit: number, filter: HitFilter = {}): SearchResults {
  const query = [...text].slice(0, MAX_QUERY_LENGTH).join('').trim();
  const hits = findHits(snapshot, query, limit, filter);
  const { country: meant, hasCity = false } = findAbsentCountry(snapshot, query, hits.length === 0) ?? {};
  const isOfFilter = (filter.country ?? meant) === meant;
  const isShown =
    meant !== undefined &&
    isOfFilter &&
    (filter.kind ?? 'country') === 'country' &&
    !hits.some(({ country, kind }) => kind === 'country' && country === meant);
  const absent = filter.country === undefined || isCovered(filter.country) ? meant : filter.country;
  return {
    absent,
    isCityOfAbsent: hasCity && hits.length === 0 && isOfFilter && filter.kind === undefined,
    hits: isShown ? [countryHit(meant, hasCity ? query : undefined), ...hits].slice(0, limit) : hits,
  };
}

/** At most `limit` results; empty for a text without letters or digits. */
function findHits(snapshot: Snapshot, query: string, limit: number, { country: only, kind }: HitFilter): Hit[] {
  if (foldQuery(query).includes('')) return [];
  const countries = findCountries(snapshot, query).filter(({ country }) => (only ?? country) === country);
  const isInData = only === undefined || isCovered(only);
  const codes = isInData ? findCodes(snapshot, query, only) : [];
  const inferred = isInData && codes.length === 0 ? findInferredTowns(snapshot, query, only) : [];
  const found = isInData ? findCodesAndPlaces(snapshot, query, limit, only, codes) : [];
  // Of a code in the block of a town the words mean nothing else.
  const inData = inferred.length === 0 ? found : [...inferred, ...found.filter((hit) => hit.kind === 'postcode')];
  const hits = [...countries, ...inData].filter((hit) => kind === undefined || hit.kind === kind);
  return keepDifferent(hits).slice(0, limit);
}

/** Postal codes, at most half of `limit`, then places that the codes don't lead to, then the other full codes. */
function findCodesAndPlaces(
  snapshot: Snapshot,
  query: string,
  limit: number,
  only: CoveredCountry | undefined,
  known: readonly FoundCode[],
): Hit[] {
  const found = findSuggestions(snapshot, query, { countries: only && [only] }, limit);
  const fullCodes = found.ofCodes.flat().flatMap(({ country, fullCode }) => {
    if (fullCode === undefined || !isCovered(country)) return [];
    const { postcode, first, place } = fullCode;
    return { country, fullCode, match: { postcode, number: first, places: Uint32Array.of(place) } };
  });
  const typed = normalizePostcode(query);
  const codes = known.filter(({ country, match }) => isMeantByStart(country.entry.code, typed, match.postcode));
  const all = [...codes, ...fullCodes];
  const byCode = new Map(all.map((code) => [`${code.country.entry.code} ${code.match.postcode}`, code]));
  const half = Math.ceil(limit / 2);
  const shown = [...byCode.values()].slice(0, half);
  const left = [...byCode.values()].slice(half).filter(({ fullCode }) => fullCode !== undefined);
  const places = found.places.flatMap(({ country, place }) => {
    if (!isCovered(country)) return [];
    const { postalCode } = readListFields(country.structures, place);
    // The place's code is a result already, and leads to the place.
    const leadsTo = ({ match, fullCode }: FoundCode): boolean =>
      match.postcode === postalCode || fullCode?.place === place;
    if (shown.some((code) => code.country === country && leadsTo(code))) return [];
    return [placeHit(country, place, HAS_DIGIT.test(query))];
  });
  return [...shown.map(codeHit), ...places, ...left.map(codeHit)];
}

/** Without results that lead to the same page, or that look the same. */
function keepDifferent(hits: readonly Hit[]): Hit[] {
  const seen = new Set<string>();
  return hits.filter(({ name, where, path }) => {
    const line = `${name}\n${where}`;
    if (seen.has(path) || seen.has(line)) return false;
    seen.add(path).add(line);
    return true;
  });
}

function findCountries(snapshot: Snapshot, query: string): Hit[] {
  const folded = foldText(query);
  if (folded.length < 2) return [];
  const byCode = COUNTRY_CODE.test(query) ? listCountrySuggestions(snapshot, [folded], undefined).exact : [];
  const byName = snapshot.countries
    .filter(({ entry }) => foldText(entry.name).startsWith(folded))
    // "United States" before the islands of that name.
    .sort((a, b) => Number(isCovered(b)) - Number(isCovered(a)) || a.entry.name.length - b.entry.name.length);
  return [...new Set([...byCode, ...byName])].slice(0, MAX_COUNTRIES).map((country) => countryHit(country));
}

/** `city` is a city of a country without data. */
function countryHit(country: Country, city?: string): Hit {
  const what = city === undefined ? 'Country' : `Country of ${city}`;
  const where = isCovered(country) ? what : `${what}, not in this release`;
  return { kind: 'country', name: country.entry.name, where, path: countryPath(country), country };
}

/** In the order of the API: the likeliest country first. */
function findCodes(snapshot: Snapshot, query: string, only: CoveredCountry | undefined): FoundCode[] {
  if (!HAS_DIGIT.test(query)) return [];
  const typed = normalizePostcode(query);
  return listFoundPostcodes(snapshot, typed, only && [only]).flatMap(
    ({ found }) => describeFound(snapshot, found, typed) ?? [],
  );
}

/** The town of a code that no country's data have, in each country in which it has one. */
function findInferredTowns(snapshot: Snapshot, query: string, only: CoveredCountry | undefined): Hit[] {
  if (!HAS_DIGIT.test(query)) return [];
  const typed = normalizePostcode(query);
  const countries = countriesOfLookup(snapshot, typed, only && [only]) ?? snapshot.countries;
  return countries.filter(isCovered).flatMap((country) => {
    const town = inferMissing(snapshot, country, typed);
    if (town === undefined) return [];
    const where = `Inferred from the codes around ${typed}, which this release lacks, ${country.entry.name}`;
    return [{ ...placeHit(country, town.place, true), where }];
  });
}

/** "10115 · Berlin, Germany". */
function codeHit({ country, match, fullCode, missing }: FoundCode): Hit {
  const { postcode, places } = match;
  const { structures, entry } = country;
  const city = cityOfPostcode(structures, match);
  const name = city === undefined ? [] : [readCityName(structures, city)];
  const part = missing === undefined ? [] : [`Only the first part of ${missing}`];
  const where = [...part, ...name, entry.name].join(', ');
  const position =
    fullCode === undefined
      ? positionOfCode(structures, places)
      : { latitude: fullCode.latitude, longitude: fullCode.longitude };
  return { kind: 'postcode', name: postcode, where, path: postcodePath(country, postcode), country, position };
}

/** `isOfCode` tells that the query has digits: it means the place with a code, and not the whole city. */
function placeHit(country: CoveredCountry, place: number, isOfCode: boolean): Hit {
  const { structures, entry } = country;
  const { name, postalCode } = readListFields(structures, place);
  const around = [cityOf(structures, place) ?? [], ...listAncestors(structures.tree, place).reverse()].flat();
  const names = around.map((one) => readListFields(structures, one).name);
  const codes = postalCode === null ? undefined : isOfCode ? postalCode : codesOf(country, place, postalCode);
  const where = placeWords(name, [codes ?? kindOf(country, place), ...names, entry.name]);
  const shown = isOfCode ? place : canonicalPlace(structures, place);
  return {
    kind: 'place',
    name,
    where,
    path: placePath(country, shown),
    country,
    position: readPointField(structures, place),
    place,
    codes,
  };
}

function kindOf({ structures, entry }: CoveredCountry, unit: number): string {
  if (!isArea(structures.tree, unit)) return 'Town or quarter';
  return capitalize(termOf(entry.code, readKindField(structures, unit)).one);
}

/** The code of a city, or the number of its codes. */
function codesOf(country: CoveredCountry, place: number, postalCode: string): string {
  const ranks = listRanksOfPage(country, place);
  return ranks.length > 1 ? formatCounted(ranks.length, 'code') : postalCode;
}

/**
 * The words that distinguish a place from others of its name: each text once, however it is spelled, and the place's
 * own name only where there is no other text.
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
