/** Writes the id index (src/format/id-index.ts). */
import { encodeBundle } from '../../src/format/array-bundle.js';
import { buildSlots } from '../../src/format/hash.js';
import { hashPlaceId, ID_INDEX_SCHEMA } from '../../src/format/id-index.js';
import { ID_BYTES } from '../../src/format/place-id.js';
import type { CountryTree } from '../tree/country-tree.js';

export function buildIdIndex(tree: CountryTree): Uint8Array[] {
  const hashOf = (place: number): number => hashPlaceId(tree.ids, place * ID_BYTES);
  return encodeBundle(ID_INDEX_SCHEMA, { slots: buildSlots(tree.placeCount, hashOf) });
}
