/** Finds the countries that can have a postal code (src/format/world-postcodes.ts): a binary search, about 20 steps. */
import { lowerBound } from '../format/binary-search.js';
import { hashText } from '../format/hash.js';
import { MAX_POSTCODE_COUNTRIES, type WorldPostcodes } from '../format/world-postcodes.js';

/**
 * A view of the numbers of the countries with a code that has the hash of `compact`, a code in compact form. A number is
 * outside of the manifest's countries only in a damaged file.
 */
export function findCountriesWithCode({ hashes, countries }: WorldPostcodes, compact: string): Uint8Array {
  const hash = hashText(compact);
  const start = lowerBound(0, hashes.length, (at) => (hashes[at] as number) < hash);
  const most = Math.min(hashes.length, start + MAX_POSTCODE_COUNTRIES);
  let end = start;
  while (end < most && hashes[end] === hash) end++;
  return countries.subarray(start, end);
}
