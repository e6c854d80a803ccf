/** Writes the postcode index (src/format/postcode-index.ts). */

import { encodeBundle } from '../../src/format/array-bundle.js';
import { buildSlots } from '../../src/format/hash.js';
import { hashPostcode, POSTCODE_INDEX_SCHEMA } from '../../src/format/postcode-index.js';
import { appendTo } from '../grouping.js';
import type { CountryTree } from '../tree/country-tree.js';
import { compareCodePoints } from '../tree/name-order.js';
import { GrowingBytes } from './growing-bytes.js';

/** `orderedPlaces` are all places of the country by name, then id. In `leaves` the leaves of one code are adjacent. */
export function buildPostcodeIndex(
  tree: CountryTree,
  orderedPlaces: Uint32Array,
): { chunks: Uint8Array[]; codeCount: number; leaves: Uint32Array } {
  const placesByCode = new Map<string, number[]>();
  for (const place of orderedPlaces) {
    const code = tree.postalCodes[place] as string | null;
    if (code !== null) appendTo(placesByCode, code, place);
  }
  const codes = [...placesByCode.keys()].sort(compareCodePoints);
  const codeOffsets = new Uint32Array(codes.length + 1);
  const placeStarts = new Uint32Array(codes.length + 1);
  const places = new Uint32Array([...placesByCode.values()].reduce((sum, list) => sum + list.length, 0));
  const text = new GrowingBytes(codes.length * 8);
  codes.forEach((code, index) => {
    const list = placesByCode.get(code) as number[];
    text.append(code);
    codeOffsets[index + 1] = text.length;
    places.set(list, placeStarts[index]);
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
  return { chunks, codeCount: codes.length, leaves: places };
}
