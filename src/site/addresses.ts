/**
 * The addresses of a snapshot's pages, and their resolution. A place's page is at its country's slug and
 * its path, as the `url` of its answer says. A postal code's page is at the path of postcodes.ts. Both of its forms
 * are read, in any spelling; one of them is canonical. The codes of a country, and the full codes of a sector, are browsed
 * at `/{country}/postcodes/{first characters}`, and those of a place listed at its path with `:postcodes` behind it.
 */

import { oncePer } from '../base/once-per.js';
import { isFullCode } from '../core/lookup/national-postcodes.js';
import { lookUpPostcode, type ResolvedPostcode } from '../core/lookup/postcode-lookup.js';
import { postcodePathIn } from '../core/lookup/postcode-path.js';
import type { FullCode } from '../core/snapshot/full-codes.js';
import { findByOldPath } from '../core/snapshot/old-paths.js';
import { findByPath } from '../core/snapshot/path-trie.js';
import { readPath } from '../core/snapshot/place-fields.js';
import { LEVEL_COUNT } from '../core/snapshot/place-tree.js';
import { codeText, findPostcode, type PostcodeMatch, postcodesWithPrefix } from '../core/snapshot/postcode-index.js';
import { compactPostcode, normalizePostcode, plainPostcode } from '../core/snapshot/postcode-spelling.js';
import { MAX_PATH_LENGTH, slugOf } from '../core/snapshot/slug.js';
import type { Country, CountryStructures } from '../core/snapshot/snapshot.js';
import { findSector, type Sector } from './reading/code-groups.js';
import { type CoveredCountry, isCovered, type SiteSnapshot } from './site-snapshot.js';

export type ResolvedRoute =
  | { readonly kind: 'country'; readonly path: string; readonly country: Country }
  | { readonly kind: 'place'; readonly path: string; readonly country: CoveredCountry; readonly place: number }
  | {
      readonly kind: 'postcode';
      readonly path: string;
      readonly code: FoundCode;
    }
  | {
      readonly kind: 'codes of a place';
      readonly path: string;
      readonly country: CoveredCountry;
      readonly place: number;
    }
  | {
      readonly kind: 'codes by prefix';
      readonly path: string;
      readonly country: CoveredCountry;
      readonly prefix: string;
    }
  | {
      readonly kind: 'sector';
      readonly path: string;
      readonly country: CoveredCountry;
      readonly sector: Sector;
    };

/** A code as the data have it. */
export interface FoundCode {
  readonly country: CoveredCountry;
  readonly match: PostcodeMatch;
  readonly fullCode?: FullCode | undefined;
  /** The full code that is asked for, where the data have only its first part. */
  readonly missing?: string | undefined;
}

const POSTCODES = 'postcodes';
const CODES_OF_PLACE = `:${POSTCODES}`;
const MAX_CODE_LENGTH = 20;

/** Scripts that pages of other sites load. */
export const CLIENTS_PATH = '/clients';
export const RELEASES_PATH = '/coverage/releases';
export const FEED_PATH = `${RELEASES_PATH}.atom`;

export function releasePath(release: string): string {
  return `${RELEASES_PATH}/${release}`;
}

export function countryPath({ entry }: Pick<Country, 'entry'>): string {
  return `/${entry.slug}`;
}

export function placePath(country: CoveredCountry, place: number): string {
  return countryPath(country) + readPath(country.structures, place);
}

/** `code` is a code as the data have it. */
export function postcodePath(country: CoveredCountry, code: string): string {
  return countryPath(country) + postcodePathIn(country.structures, code);
}

const hasPlaceCalledPostcodes = oncePer(
  (structures: CountryStructures) => findByPath(structures, [POSTCODES]) !== undefined,
);

/** The codes of a country that start with `prefix`. A place called "Postcodes" has the shorter path. */
export function browsePath(country: CoveredCountry, prefix: string): string {
  const base = countryPath(country) + (hasPlaceCalledPostcodes(country.structures) ? CODES_OF_PLACE : `/${POSTCODES}`);
  return prefix === '' ? base : `${base}/${encodeURIComponent(prefix)}`;
}

/** The list of all codes of a place. */
export function placeCodesPath(country: CoveredCountry, place: number): string {
  return placePath(country, place) + CODES_OF_PLACE;
}

/**
 * What the path of a request, as it was sent, means, in whatever spelling; `path` of the answer is the one that the
 * page has. Undefined where nothing is meant.
 */
export function resolveRoute(data: SiteSnapshot, path: string): ResolvedRoute | undefined {
  const segments = decodeSegments(path);
  const [first = '', ...rest] = segments ?? [];
  const isBrowsed = first.toLowerCase().endsWith(CODES_OF_PLACE);
  const country = data.countryByAlias(slugOf(isBrowsed ? first.slice(0, -CODES_OF_PLACE.length) : first));
  if (segments === undefined || country === undefined) return undefined;
  if (isCovered(country) && isBrowsed) return resolveBrowseRoute(country, [POSTCODES, ...rest]);
  if (isBrowsed) return undefined;
  if (rest.length === 0) return { kind: 'country', path: countryPath(country), country };
  if (!isCovered(country)) return undefined;
  return (
    resolvePlaceRoute(country, rest, findByPath) ??
    resolvePostcodeRoute(data, country, rest) ??
    resolveBrowseRoute(country, rest) ??
    resolveCodesRoute(country, rest) ??
    resolvePlaceRoute(country, rest, findByOldPath)
  );
}

/**
 * Codes by their first characters, or the full codes of a sector. A page without codes is not there, and a code that begins
 * no other has its own page.
 */
function resolveBrowseRoute(country: CoveredCountry, segments: readonly string[]): ResolvedRoute | undefined {
  const [first = '', text = '', ...more] = segments;
  if (first.toLowerCase() !== POSTCODES || more.length > 0 || text.length > MAX_CODE_LENGTH) return undefined;
  const prefix = text.toUpperCase();
  const { postcodes } = country.structures;
  const { start, end } = postcodesWithPrefix(postcodes, prefix);
  const match =
    end - start === 1 && codeText(postcodes, start) === prefix ? findPostcode(postcodes, prefix) : undefined;
  if (match !== undefined) return { kind: 'postcode', path: postcodePath(country, prefix), code: { country, match } };
  if (start < end) return { kind: 'codes by prefix', path: browsePath(country, prefix), country, prefix };
  const sector = findSector(country.structures, prefix);
  return sector && { kind: 'sector', path: browsePath(country, sector.name), country, sector };
}

/** The list of the codes of a place: its path with CODES_OF_PLACE behind it. */
function resolveCodesRoute(country: CoveredCountry, segments: readonly string[]): ResolvedRoute | undefined {
  const last = segments.at(-1) ?? '';
  if (!last.toLowerCase().endsWith(CODES_OF_PLACE)) return undefined;
  const own = [...segments.slice(0, -1), last.slice(0, -CODES_OF_PLACE.length)];
  const found = resolvePlaceRoute(country, own, findByPath);
  if (found?.kind !== 'place') return undefined;
  return { ...found, kind: 'codes of a place', path: placeCodesPath(country, found.place) };
}

/** `find` finds a place by the path that it has, or by the one that it had in the previous snapshot. */
function resolvePlaceRoute(
  country: CoveredCountry,
  segments: readonly string[],
  find: (structures: CountryStructures, slugs: readonly string[]) => number | undefined,
): ResolvedRoute | undefined {
  if (segments.length > LEVEL_COUNT || segments.some((segment) => segment.includes(':'))) return undefined;
  const place = find(country.structures, segments.map(slugOf));
  return place === undefined ? undefined : { kind: 'place', path: placePath(country, place), country, place };
}

function resolvePostcodeRoute(
  data: SiteSnapshot,
  country: CoveredCountry,
  segments: readonly string[],
): ResolvedRoute | undefined {
  const code = codeIn(segments);
  if (code === undefined) return undefined;
  const found = findCode(data, country, code);
  if (found === undefined) return undefined;
  // Without full codes, the page of a first part says that the country has none.
  const { structures } = found.country;
  const missing = structures.fullCodes && found.missing;
  return {
    kind: 'postcode',
    path: postcodePath(found.country, missing ?? found.match.postcode),
    code: { ...found, missing },
  };
}

/**
 * The code that segments behind the country's ask for; undefined where they ask for none, or for one that is too long.
 */
function codeIn(segments: readonly string[]): string | undefined {
  const [, code] = /^postcode[/:]([^/]+)$/i.exec(segments.join('/')) ?? [];
  return code === undefined || code.length > MAX_CODE_LENGTH ? undefined : code;
}

/** The country, and the code that it does not have, where the path of a request asks for such a code. */
export function findMissingCode(data: SiteSnapshot, path: string): { country: Country; code: string } | undefined {
  const [first = '', ...rest] = decodeSegments(path) ?? [];
  const country = data.countryByAlias(slugOf(first));
  const code = codeIn(rest);
  if (country === undefined || code === undefined) return undefined;
  const isThere = isCovered(country) && findCode(data, country, code) !== undefined;
  return isThere ? undefined : { country, code };
}

/** A code of the country, or of its territories, as people write codes. */
export function findCode({ snapshot }: SiteSnapshot, country: CoveredCountry, text: string): FoundCode | undefined {
  const found = lookUpPostcode(snapshot, country, normalizePostcode(text));
  if (found === undefined) return undefined;
  const owner = snapshot.countries.find(({ structures }) => structures === found.structures);
  return owner === undefined || !isCovered(owner) ? undefined : describeFound(owner, found, text);
}

/** `typed` is the text by which a code of the country was found. */
export function describeFound(country: CoveredCountry, found: ResolvedPostcode, typed: string): FoundCode {
  const { match, fullCode, isPartial } = found;
  const first = compactPostcode(match.postcode);
  const compact = compactPostcode(plainPostcode(typed));
  const second = compact.slice(compact.indexOf(first) + first.length);
  const isMissing = isPartial && compact.includes(first) && isFullCode(country.entry.code, first + second);
  return { country, match, fullCode, missing: isMissing ? `${match.postcode} ${second}` : undefined };
}

/**
 * The segments of a path, percent-decoded once; undefined where the path can be no page's. Empty segments are dropped.
 */
export function decodeSegments(path: string): string[] | undefined {
  if (path.length > MAX_PATH_LENGTH * 2) return undefined;
  const segments = path.split('/').filter((segment) => segment !== '');
  try {
    return segments.map(decodeURIComponent);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
