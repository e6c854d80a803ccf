/**
 * Which page the path of a request means, in any spelling; one of the spellings is canonical. A place comes before a
 * code of the same path, and a path that a place had in the previous snapshot comes last.
 */

import { findByOldPath } from '../../core/snapshot/old-paths.js';
import { findByPath } from '../../core/snapshot/path-trie.js';
import { LEVEL_COUNT } from '../../core/snapshot/place-tree.js';
import { findPostcode, indexedPostcode, postcodesWithPrefix } from '../../core/snapshot/postcode-index.js';
import { MAX_PATH_LENGTH, slugOf } from '../../core/snapshot/slug.js';
import type { Country, CountryStructures, Snapshot } from '../../core/snapshot/snapshot.js';
import { findCountryByAlias } from './country-aliases.js';
import { type CoveredCountry, isCovered } from './covered-country.js';
import { type FoundCode, findCode, MAX_CODE_LENGTH } from './found-code.js';
import { findSector, type Sector } from './full-code-sectors.js';
import {
  browsePath,
  CODES_OF_PLACE,
  countryPath,
  POSTCODES,
  placeCodesPath,
  placePath,
  postcodePath,
} from './page-paths.js';

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

/**
 * The page at the path of a request, as it was sent; `path` of the route is the page's own path. Undefined if there is
 * no such page.
 */
export function resolveRoute(snapshot: Snapshot, path: string): ResolvedRoute | undefined {
  const segments = decodePathSegments(path);
  const [first = '', ...rest] = segments ?? [];
  const isBrowsed = first.toLowerCase().endsWith(CODES_OF_PLACE);
  const country = findCountryByAlias(snapshot, slugOf(isBrowsed ? first.slice(0, -CODES_OF_PLACE.length) : first));
  if (segments === undefined || country === undefined) return undefined;
  if (isCovered(country) && isBrowsed) return resolveBrowseRoute(country, [POSTCODES, ...rest]);
  if (isBrowsed) return undefined;
  if (rest.length === 0) return { kind: 'country', path: countryPath(country), country };
  if (!isCovered(country)) return undefined;
  return (
    resolvePlaceRoute(country, rest, findByPath) ??
    resolvePostcodeRoute(snapshot, country, rest) ??
    resolveBrowseRoute(country, rest) ??
    resolveCodesRoute(country, rest) ??
    resolvePlaceRoute(country, rest, findByOldPath)
  );
}

/**
 * Codes by their first characters, or the full codes of a sector. There is no page without codes, and a prefix that is
 * one whole code means the page of the code.
 */
function resolveBrowseRoute(country: CoveredCountry, segments: readonly string[]): ResolvedRoute | undefined {
  const [first = '', text = '', ...more] = segments;
  if (first.toLowerCase() !== POSTCODES || more.length > 0 || text.length > MAX_CODE_LENGTH) return undefined;
  const prefix = text.toUpperCase();
  const { postcodes } = country.structures;
  const { start, end } = postcodesWithPrefix(postcodes, prefix);
  const match =
    end - start === 1 && indexedPostcode(postcodes, start) === prefix ? findPostcode(postcodes, prefix) : undefined;
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

/** `find` looks among the paths of this snapshot, or among those of the previous one. */
function resolvePlaceRoute(
  country: CoveredCountry,
  segments: readonly string[],
  find: (structures: CountryStructures, slugs: readonly string[]) => number | undefined,
): ResolvedRoute | undefined {
  if (segments.length > LEVEL_COUNT || segments.some((segment) => segment.includes(':'))) return undefined;
  const place = find(country.structures, segments.map(slugOf));
  return place === undefined ? undefined : { kind: 'place', path: placePath(country, place), country, place };
}

/** A code has the page `/germany/postcode/10115`; `/germany/10115` means it too. */
function resolvePostcodeRoute(
  snapshot: Snapshot,
  country: CoveredCountry,
  segments: readonly string[],
): ResolvedRoute | undefined {
  const [alone = ''] = segments;
  const isAlone = segments.length === 1 && /\d/.test(alone) && alone.length <= MAX_CODE_LENGTH;
  const code = codeIn(segments) ?? (isAlone ? alone : undefined);
  if (code === undefined) return undefined;
  const found = findCode(snapshot, country, code);
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
 * The code in the segments behind the country's; undefined if there is none, or one that is too long.
 */
function codeIn(segments: readonly string[]): string | undefined {
  const [, code] = /^postcode[/:]([^/]+)$/i.exec(segments.join('/')) ?? [];
  return code === undefined || code.length > MAX_CODE_LENGTH ? undefined : code;
}

/** The country and the code in a path that asks for a code which the country does not have. */
export function findMissingCodeInPath(
  snapshot: Snapshot,
  path: string,
): { country: Country; code: string } | undefined {
  const [first = '', ...rest] = decodePathSegments(path) ?? [];
  const country = findCountryByAlias(snapshot, slugOf(first));
  const code = codeIn(rest);
  if (country === undefined || code === undefined) return undefined;
  const isThere = isCovered(country) && findCode(snapshot, country, code) !== undefined;
  return isThere ? undefined : { country, code };
}

/**
 * The segments of a path, percent-decoded once, without empty ones; undefined if no page can have such a path.
 */
export function decodePathSegments(path: string): string[] | undefined {
  if (path.length > MAX_PATH_LENGTH * 2) return undefined;
  const segments = path.split('/').filter((segment) => segment !== '');
  try {
    return segments.map(decodeURIComponent);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
