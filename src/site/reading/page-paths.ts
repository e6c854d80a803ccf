/**
 * The paths of a snapshot's pages. A place's page is at its country's slug and its path, as the `url` of its answer
 * says; a postal code's page is at the path that core gives it. The codes of a country, and the full codes of a sector,
 * are browsed at `/{country}/postcodes/{first characters}`, and those of a place listed at its path with `:postcodes`
 * behind it.
 */

import { oncePer } from '../../base/once-per.js';
import { postcodePathIn } from '../../core/lookup/postcode-path.js';
import { findByPath } from '../../core/snapshot/path-trie.js';
import { readPathField } from '../../core/snapshot/place-fields.js';
import type { Country, CountryStructures } from '../../core/snapshot/snapshot.js';
import type { CoveredCountry } from './covered-country.js';

export const POSTCODES = 'postcodes';
export const CODES_OF_PLACE = `:${POSTCODES}`;

/** Scripts that pages of other sites load. */
export const CLIENTS_PATH = '/clients';
export const RELEASES_PATH = '/coverage/releases';
export const FEED_PATH = `${RELEASES_PATH}.atom`;

export function releasePath(release: string): string {
  return `${RELEASES_PATH}/${release}`;
}

/** Page `number` of a list, from 1, whose first page is at `path`. */
export function listPath(path: string, number: number): string {
  return number === 1 ? path : `${path}?page=${number}`;
}

export function countryPath({ entry }: Pick<Country, 'entry'>): string {
  return `/${entry.slug}`;
}

export function placePath(country: CoveredCountry, place: number): string {
  return countryPath(country) + readPathField(country.structures, place);
}

/** `code` is spelled as in the data. */
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
