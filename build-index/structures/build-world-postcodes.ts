/**
 * Writes the countries of each postal code (src/core/snapshot/postcode-index.ts). Reads the codes of one country after the
 * other, as bytes, and keeps 16 bytes for each code in memory.
 */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { hashBytes } from '../../src/core/snapshot/hash-table.js';
import {
  decodePostcodeIndex,
  MAX_CODE_BYTES,
  MAX_POSTCODE_COUNTRIES,
  type PostcodeIndex,
  WORLD_POSTCODES_SCHEMA,
} from '../../src/core/snapshot/postcode-index.js';
import type { CountrySlice } from './country-slices.js';

const SPACE = 0x20;
const HYPHEN = 0x2d;

/** `slices` are postcode indexes. */
export function buildWorldPostcodes(slices: Iterable<CountrySlice>): Uint8Array[] {
  const lists: Float64Array[] = [];
  for (const { country, bytes, where } of slices) {
    if (country >= MAX_POSTCODE_COUNTRIES) throw new Error(`more than ${MAX_POSTCODE_COUNTRIES} countries`);
    lists.push(listKeys(decodePostcodeIndex(bytes, where), country));
  }
  const keys = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  for (const list of lists) {
    keys.set(list, count);
    count += list.length;
  }
  keys.sort();
  // Codes of a country that differ only in spaces and hyphens are one entry.
  const distinct = keys.filter((key, at) => key !== keys[at - 1]);
  return encodeBundle(WORLD_POSTCODES_SCHEMA, {
    hashes: Uint32Array.from(distinct, (key) => Math.floor(key / MAX_POSTCODE_COUNTRIES)),
    countries: Uint8Array.from(distinct, (key) => key % MAX_POSTCODE_COUNTRIES),
  });
}

/** For each code its hash and the country as one number, below 2^40, so that the order of numbers is that of entries. */
function listKeys(postcodes: PostcodeIndex, country: number): Float64Array {
  const compact = new Uint8Array(MAX_CODE_BYTES);
  const keys = new Float64Array(postcodes.codeCount);
  for (let code = 0; code < keys.length; code++) {
    keys[code] = hashCompact(postcodes, code, compact) * MAX_POSTCODE_COUNTRIES + country;
  }
  return keys;
}

/**
 * The hash of a code's compact form, which is written to `compact`. A code in normal form has no white space but U+0020.
 */
function hashCompact({ codeText, codeOffsets }: PostcodeIndex, code: number, compact: Uint8Array): number {
  const start = codeOffsets[code] as number;
  // In a damaged file a code could have any length.
  const end = Math.min(codeOffsets[code + 1] as number, start + MAX_CODE_BYTES, codeText.length);
  let length = 0;
  for (let at = start; at < end; at++) {
    const byte = codeText[at] as number;
    if (byte !== SPACE && byte !== HYPHEN) compact[length++] = byte;
  }
  return hashBytes(compact.subarray(0, length));
}
