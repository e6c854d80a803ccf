/** Endpoint 7: the places of a postal code, by name then id. */

import { oncePer } from '../../base/once-per.js';
import { findCountryWithData, findStructures } from '../lookup/countries.js';
import { DomainError, type ParameterFault } from '../lookup/domain-error.js';
import { listCodes, listFullCodes, type PlaceCode } from '../lookup/place-postcodes.js';
import { listWithdrawn, lookUpEverywhere, lookUpPostcode, type ResolvedPostcode } from '../lookup/postcode-lookup.js';
import type { Range } from '../snapshot/array-bundle.js';
import { lowerBound } from '../snapshot/binary-search.js';
import { type ByteSink, type ByteString, encodeUtf8, quoteJson } from '../snapshot/byte-string.js';
import { type FullCode, fullCodeAt } from '../snapshot/full-codes.js';
import { findByPath } from '../snapshot/path-trie.js';
import { readPoint } from '../snapshot/place-fields.js';
import { childRange, isPlace, levelRange, rangesBelow } from '../snapshot/place-tree.js';
import { codeText } from '../snapshot/postcode-index.js';
import { compactPostcode, plainPostcode } from '../snapshot/postcode-spelling.js';
import { placeNameJson } from '../snapshot/rendered-places.js';
import { slugOf } from '../snapshot/slug.js';
import type { Country, CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import { listLookAlikeCodes } from '../suggest/code-search.js';
import { findPlace, type PageRequest, paginate } from './places.js';
import { addPlaceDetails, type DataWriter, type Include } from './response-data.js';

/** Maximum number of places of a postal code in a response: the contract's limit. */
export const MAX_POSTCODE_PLACES = 100;

interface FindPostcodeRequest {
  readonly country: string;
  /** In the contract's normal form. */
  readonly postcode: string;
  readonly include?: Include;
}

/** A code of the data, and the structures of its country, which can be a territory of the country of the request. */
type FoundInCountry = Pick<ResolvedPostcode, 'match' | 'structures' | 'fullCode'>;

/**
 * Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or POSTCODE_NOT_FOUND, the last with what is known of a code
 * that is withdrawn, or else with the code that was probably meant if exactly one looks like the code of the request.
 */
export function findPostcode(snapshot: Snapshot, request: FindPostcodeRequest): DataWriter {
  const found = lookUp(snapshot, request);
  if (found === undefined) {
    const { country, postcode } = request;
    const withdrawn = describeWithdrawn(snapshot, [findCountryWithData(snapshot, country)], postcode);
    throw postcodeNotFound(country, postcode, withdrawn ?? describeMeant(snapshot, request));
  }
  return (out) => addPostcode(out, request.country, found, request.include);
}

/** The code that is meant. Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or POSTCODE_NOT_FOUND. */
export function matchPostcode(snapshot: Snapshot, request: FindPostcodeRequest): FoundInCountry {
  const found = lookUp(snapshot, request);
  if (found !== undefined) return found;
  throw postcodeNotFound(request.country, request.postcode);
}

export function postcodeNotFound(country: string, postcode: string, details?: readonly ParameterFault[]): DomainError {
  const message = `No place in ${country} uses the postcode ${JSON.stringify(postcode)}.`;
  return new DomainError('POSTCODE_NOT_FOUND', message, details);
}

function lookUp(snapshot: Snapshot, { country, postcode }: FindPostcodeRequest): FoundInCountry | undefined {
  return lookUpPostcode(snapshot, findCountryWithData(snapshot, country), postcode);
}

/** The code of the data in which letters and digits that look alike were mixed up; undefined unless there is exactly one. */
function describeMeant(snapshot: Snapshot, request: FindPostcodeRequest): readonly ParameterFault[] | undefined {
  const codes = listLookAlikeCodes(compactPostcode(plainPostcode(request.postcode)));
  const found = codes.flatMap((postcode) => lookUp(snapshot, { ...request, postcode })?.match.postcode ?? []);
  const [meant, ...others] = new Set(found);
  if (meant === undefined || others.length > 0) return undefined;
  const message = `postcode must be a code of ${request.country}; got ${JSON.stringify(request.postcode)}; did you mean ${meant}?`;
  return [{ param: 'postcode', message, expected: meant }];
}

/** What is known of a withdrawn code, an entry for each country; undefined if it is withdrawn in none. */
function describeWithdrawn(
  snapshot: Snapshot,
  countries: readonly Country[],
  typed: string,
): readonly ParameterFault[] | undefined {
  const faults = listWithdrawn(snapshot, countries, typed).map((withdrawn): ParameterFault => {
    const { postcode, countryCode, release, placeName } = withdrawn;
    const message = `postcode ${JSON.stringify(typed)} is withdrawn: since release ${release}, ${countryCode} has no ${postcode}, which ${placeName} had`;
    return {
      param: 'postcode',
      message,
      expected: `a code of ${countryCode} in release ${snapshot.release}`,
      withdrawn,
    };
  });
  return faults.length === 0 ? undefined : faults.slice(0, MAX_FOUND_COUNTRIES);
}

/** Adds the places of a code, one JSON object. */
export function addPostcode(
  out: ByteSink,
  country: string,
  { match: { postcode, places }, structures, fullCode }: FoundInCountry,
  include: Include,
): void {
  out.add(`{"countryCode":"${country}","postcode":${quoteJson(postcode)},"places":[`);
  const shown = places.length > MAX_POSTCODE_PLACES ? places.subarray(0, MAX_POSTCODE_PLACES) : places;
  addPlaceDetails(out, structures, shown, include, fullCode);
  out.add(']}');
}

/*
 * The places of a postal code in every country that has it, or in some countries: the likeliest country first. What is
 * spelled as typed is likelier than what differs in spaces and hyphens, and that is likelier than what a rule finds
 * (national-postcodes.ts); then the country with more inhabitants is likelier.
 */

/** Maximum number of countries in a response. The commonest code of the release of 2026-03 is of 15. */
export const MAX_FOUND_COUNTRIES = 20;

interface FindPostcodesRequest {
  /** In the contract's normal form. */
  readonly postcode: string;
  /** Undefined for all countries, in which only the strict rules apply. */
  readonly country: readonly string[] | undefined;
  readonly include?: Include;
}

export interface FoundPostcode {
  readonly country: Country;
  readonly found: ResolvedPostcode;
}

/**
 * Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or POSTCODE_NOT_FOUND, the last with what is known of a code that
 * is withdrawn in these countries.
 */
export function findPostcodes(
  snapshot: Snapshot,
  { postcode, country: codes, include }: FindPostcodesRequest,
): DataWriter {
  const list = codes === undefined ? lookUpEverywhere(snapshot, postcode) : lookUpIn(snapshot, codes, postcode);
  if (list.length === 0) {
    const where = codes === undefined ? 'any country' : codes.join(', ');
    const countries = codes?.map((code) => findCountryWithData(snapshot, code)) ?? snapshot.countries;
    throw postcodeNotFound(where, postcode, describeWithdrawn(snapshot, countries, postcode));
  }
  const shown = sortByLikelihood(list, postcode).slice(0, MAX_FOUND_COUNTRIES);
  return (out) => {
    for (const [index, { country, found }] of shown.entries()) {
      out.add(index === 0 ? '[' : ',');
      addPostcode(out, country.entry.code, found, include);
    }
    out.add(']');
  };
}

/** A code in normal form in every country that has it, the likeliest first; empty if none has it. */
export function listFoundPostcodes(snapshot: Snapshot, postcode: string): FoundPostcode[] {
  return sortByLikelihood(lookUpEverywhere(snapshot, postcode), postcode);
}

function lookUpIn(snapshot: Snapshot, codes: readonly string[], postcode: string): FoundPostcode[] {
  const countries = codes.map((code) => findCountryWithData(snapshot, code));
  return countries.flatMap((country) => {
    const found = lookUpPostcode(snapshot, country, postcode);
    return found === undefined ? [] : { country, found };
  });
}

function sortByLikelihood(list: readonly FoundPostcode[], postcode: string): FoundPostcode[] {
  const compact = [postcode, plainPostcode(postcode)].map(compactPostcode);
  /** 0 if spelled as typed, 1 if equal without spaces and hyphens, 2 if found by a rule. */
  const distanceOf = ({ country, found: { match, structures } }: FoundPostcode): number => {
    if (structures !== country.structures) return 2;
    if (match.postcode === postcode) return 0;
    return compact.includes(compactPostcode(match.postcode)) ? 1 : 2;
  };
  return list
    .map((one) => ({ ...one, distance: distanceOf(one) }))
    .sort(
      (a, b) =>
        a.distance - b.distance ||
        b.country.entry.population - a.country.entry.population ||
        a.country.number - b.country.number,
    );
}

/*
 * The postal codes of a place, each once, in natural order. The codes of a unit are those of all leaves in it, and of
 * the leaves of its name beside it: in some countries a city's municipality and its leaves are siblings. The codes of a
 * leaf are those of its city, which are the leaves of the same name in its unit. Costs one pass over the country's
 * codes (lookup/place-postcodes.ts).
 */

interface ListPostcodesRequest extends PageRequest {
  readonly country: string;
  /** A UUID. */
  readonly id: string;
  /** Whether the codes of recipients are listed too. */
  readonly recipients: boolean | undefined;
  /** Whether full codes are listed instead, where the country has them. */
  readonly full?: boolean | undefined;
}

/** Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or PLACE_NOT_FOUND. */
export function listPostcodes(snapshot: Snapshot, request: ListPostcodesRequest): ByteString {
  const structures = findStructures(snapshot, request.country);
  const place = findPlace(structures, request.country, request.id);
  const places = [...rangesBelow(structures.tree, place), namesakesOf(structures, place)];
  const start = (request.page - 1) * request.pageSize;
  const end = start + request.pageSize;
  const withRecipients = request.recipients === true;
  const { fullCodes } = structures;
  if (request.full === true && fullCodes !== undefined) {
    const { codes, codeCount } = listFullCodes(structures, { places, withRecipients, start, end });
    const { before, after } = paginate(request, codeCount);
    return before + codes.map((number) => renderFullCode(fullCodeAt(fullCodes, number))).join() + after;
  }
  const { codes, codeCount } = listCodes(structures, { places, withRecipients, start, end });
  const { before, after } = paginate(request, codeCount);
  return before + encodeUtf8(codes.map((code) => renderCode(structures, code)).join()) + after;
}

/** A place and its siblings with its name: a range, because siblings are ordered by name. Units among them have no code. */
function namesakesOf({ tree, renderedPlaces }: CountryStructures, own: number): Range {
  const name = placeNameJson(renderedPlaces, own);
  const isNamedSo = (place: number): boolean => placeNameJson(renderedPlaces, place) === name;
  const parent = tree.parents[own] as number;
  const siblings = isPlace(tree, parent) ? childRange(tree, parent) : levelRange(tree, 1);
  return {
    start: lowerBound(siblings.start, own, (place) => !isNamedSo(place)),
    end: lowerBound(own, siblings.end, isNamedSo),
  };
}

function renderCode(structures: CountryStructures, { code, place, placeCount }: PlaceCode): string {
  const postcode = codeText(structures.postcodes, code);
  return JSON.stringify({ postcode, ...readPoint(structures, place), placeCount });
}

/** The fields of renderCode. A full code belongs to one place. */
function renderFullCode({ postcode, latitude, longitude }: FullCode): ByteString {
  return JSON.stringify({ postcode, latitude, longitude, placeCount: 1 });
}

/*
 * The path of a postal code's page behind its country's slug: `/postcode/10115`, or `/postcode:10115` if a place has the
 * first path (a region called "Postcode" with a place called as the code). No place has the second: slugs are made of
 * a-z, 0-9 and hyphens.
 */

/** The segment before a code. */
const POSTCODE_SEGMENT = 'postcode';

/** `code` is a code as the data have it. */
export function postcodePathIn(structures: CountryStructures, code: string): string {
  const separator = isPlacePath(structures, code) ? ':' : '/';
  return `/${POSTCODE_SEGMENT}${separator}${encodeURIComponent(code)}`;
}

/** Hardly a country has a place of that name. Pages with a hundred codes ask a hundred times. */
const hasPlaceCalledPostcode = oncePer(
  (structures: CountryStructures) => findByPath(structures, [POSTCODE_SEGMENT]) !== undefined,
);

function isPlacePath(structures: CountryStructures, code: string): boolean {
  return hasPlaceCalledPostcode(structures) && findByPath(structures, [POSTCODE_SEGMENT, slugOf(code)]) !== undefined;
}
