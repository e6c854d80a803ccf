/** Writes the id index (src/format/id-index.ts). */
import { encodeBundle } from '../../src/format/array-bundle.js';
import { buildSlots } from '../../src/format/hash.js';
import { hashPlaceId, ID_INDEX_SCHEMA } from '../../src/format/id-index.js';
import type { CountryTree } from '../tree/country-tree.js';

export function buildIdIndex(tree: CountryTree): Uint8Array[] {
  const slots = buildSlots(tree.placeCount, (place) => hashPlaceId(tree.ids, place));
  return encodeBundle(ID_INDEX_SCHEMA, { slots });
}
