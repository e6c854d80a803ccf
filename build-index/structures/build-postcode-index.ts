/** Writes the postcode index (src/core/snapshot/postcode-index.ts). */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { buildSlots, hashBytes } from '../../src/core/snapshot/hash-table.js';
import {
  decodePostcodeIndex,
  hashPostcode,
  MAX_CODE_BYTES,
  POSTCODE_INDEX_SCHEMA,
  type PostcodeIndex,
} from '../../src/core/snapshot/postcode-index.js';
import { MAX_POSTCODE_COUNTRIES, WORLD_POSTCODES_SCHEMA } from '../../src/core/snapshot/world-postcodes.js';
import { appendTo } from '../reading/grouping.js';
import type { CountryTree } from '../tree/country-tree.js';
import { compareCodePoints } from '../tree/name-order.js';
import { type CountrySlice, GrowingBytes } from './country-slices.js';

interface BuiltPostcodeIndex {
  readonly chunks: Uint8Array[];
  readonly codeCount: number;
  /** The leaves; those of one code are adjacent. */
  readonly leaves: Uint32Array;
  /** The number of each leaf's code, by place; 0 for a unit. */
  readonly codeOf: Uint32Array;
}

/** `orderedPlaces` are all places of the country by name, then id. */
export function buildPostcodeIndex(tree: CountryTree, orderedPlaces: Uint32Array): BuiltPostcodeIndex {
  const placesByCode = new Map<string, number[]>();
  for (const place of orderedPlaces) {
    const code = tree.postalCodes[place] as string | null;
    if (code !== null) appendTo(placesByCode, code, place);
  }
  // A cheap first sort by UTF-16 units leaves the comparison by code points one pass.
  const codes = [...placesByCode.keys()].sort().sort(compareCodePoints);
  const codeOffsets = new Uint32Array(codes.length + 1);
  const placeStarts = new Uint32Array(codes.length + 1);
  const places = new Uint32Array([...placesByCode.values()].reduce((sum, list) => sum + list.length, 0));
  const codeOf = new Uint32Array(tree.placeCount);
  const text = new GrowingBytes(codes.length * 8);
  codes.forEach((code, index) => {
    const list = placesByCode.get(code) as number[];
    text.append(code);
    codeOffsets[index + 1] = text.length;
    places.set(list, placeStarts[index]);
    for (const place of list) codeOf[place] = index;
    placeStarts[index + 1] = (placeStarts[index] as number) + list.length;
  });
  const slots = buildSlots(codes.length, (index) => hashPostcode(codes[index] as string));
  const chunks = encodeBundle(POSTCODE_INDEX_SCHEMA, {
    codeOffsets,
    codeText: text.bytes(),
    placeStarts,
    places,
    slots,
  });
  return { chunks, codeCount: codes.length, leaves: places, codeOf };
}

/*
 * Writes the countries of each postal code (src/core/snapshot/world-postcodes.ts). Reads the codes of one country after the
 * other, as bytes, and keeps 16 bytes for each code in memory.
 */

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
