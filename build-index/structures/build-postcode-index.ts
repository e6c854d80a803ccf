/** Writes the postcode index (src/core/snapshot/postcode-index.ts). */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { buildSlots } from '../../src/core/snapshot/hash-table.js';
import { hashPostcode, POSTCODE_INDEX_SCHEMA } from '../../src/core/snapshot/postcode-index.js';
import { appendToGroup } from '../ordering/grouping.js';
import { compareCodePoints } from '../ordering/name-order.js';
import type { CountryTree } from '../tree/country-tree.js';
import { GrowingBytes } from './growing-bytes.js';

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
    if (code !== null) appendToGroup(placesByCode, code, place);
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
