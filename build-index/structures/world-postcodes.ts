/**
 * Writes the countries of each postal code (src/format/world-postcodes.ts). Reads the codes of one country after the
 * other, as bytes, and keeps 16 bytes for each code in memory.
 */
import { encodeBundle } from '../../src/format/array-bundle.js';
import { hashBytes } from '../../src/format/hash.js';
import type { Manifest } from '../../src/format/manifest.js';
import { decodePostcodeIndex, MAX_CODE_BYTES, type PostcodeIndex } from '../../src/format/postcode-index.js';
import {
  MAX_POSTCODE_COUNTRIES,
  WORLD_POSTCODES_SCHEMA,
  type WorldPostcodes,
} from '../../src/format/world-postcodes.js';
import { rangeAt } from '../../src/store/mapped-numbers.js';
import { readSlice } from '../../src/store/snapshot-reading.js';

const SPACE = 0x20;
const HYPHEN = 0x2d;

type Contents = Pick<Manifest, 'countries' | 'sections'>;

/** `fd` is a file with the sections of the countries. */
export function buildWorldPostcodes(fd: number, contents: Contents): Uint8Array[] {
  return encodeBundle(WORLD_POSTCODES_SCHEMA, worldPostcodesOf(fd, contents));
}

/** The table of all codes in the postcode indexes of a file. */
export function worldPostcodesOf(fd: number, { countries, sections }: Contents): WorldPostcodes {
  if (countries.length > MAX_POSTCODE_COUNTRIES) throw new Error(`more than ${MAX_POSTCODE_COUNTRIES} countries`);
  const lists = countries.map((entry, country) => {
    if (entry.slices.length === 0) return new Float64Array(0);
    const bytes = readSlice(fd, sections, entry, 'postcode-index');
    return listKeys(decodePostcodeIndex(bytes, `postcode-index of ${entry.code}`), country);
  });
  const keys = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  for (const list of lists) {
    keys.set(list, count);
    count += list.length;
  }
  keys.sort();
  // Codes of a country that differ only in spaces and hyphens are one entry.
  const distinct = keys.filter((key, at) => key !== keys[at - 1]);
  return {
    hashes: Uint32Array.from(distinct, (key) => Math.floor(key / MAX_POSTCODE_COUNTRIES)),
    countries: Uint8Array.from(distinct, (key) => key % MAX_POSTCODE_COUNTRIES),
  };
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
  const { start, end } = rangeAt(codeOffsets, code, codeText.length);
  let length = 0;
  for (let at = start; at < Math.min(end, start + MAX_CODE_BYTES); at++) {
    const byte = codeText[at] as number;
    if (byte !== SPACE && byte !== HYPHEN) compact[length++] = byte;
  }
  return hashBytes(compact.subarray(0, length));
}
