/**
 * From a postal code to the countries that have it, without regard to spaces and hyphens: for each country an entry for
 * each of its codes in compact form. Two codes can have one hash, so a lookup asks the postcode index of each country that
 * it finds.
 *
 *   hashes     u32[m]  hash of each compact code (hash-table.ts), ascending; equal hashes by country
 *   countries  u8[m]   the number of each entry's country in the manifest
 *
 * Worked example: the hash of "10115" is 6688178c. If countries 2 and 7 have the code, two entries have this hash, and
 * their countries are 2 and 7.
 */

import { type Bundle, checkBundledLength, decodeBundle } from './array-bundle.js';
import { lowerBound } from './binary-search.js';
import { hashText } from './hash-table.js';

export const WORLD_POSTCODES_SCHEMA = { hashes: 'u32', countries: 'u8' } as const;

/** Maximum number of countries that `countries` can tell apart. ISO 3166-1 has 249. */
export const MAX_POSTCODE_COUNTRIES = 256;

export type WorldPostcodes = Bundle<typeof WORLD_POSTCODES_SCHEMA>;

export function decodeWorldPostcodes(bytes: Uint8Array, where: string): WorldPostcodes {
  const table = decodeBundle(WORLD_POSTCODES_SCHEMA, bytes, where);
  checkBundledLength(`${where}.countries`, table.countries, table.hashes.length);
  return table;
}

/**
 * A view of the numbers of the countries with a code that has the hash of `compact`, a code in compact form. A number is
 * outside of the manifest's countries only in a damaged file. A binary search, about 20 steps.
 */
export function findWorldPostcodeCountries({ hashes, countries }: WorldPostcodes, compact: string): Uint8Array {
  const hash = hashText(compact);
  const start = lowerBound(0, hashes.length, (at) => (hashes[at] as number) < hash);
  const most = Math.min(hashes.length, start + MAX_POSTCODE_COUNTRIES);
  let end = start;
  while (end < most && hashes[end] === hash) end++;
  return countries.subarray(start, end);
}
