/** Writes the id index (src/format/id-index.ts). */
import { encodeBundle } from '../../src/format/array-bundle.js';
import { buildSlots } from '../../src/format/hash.js';
import { hashPlaceId, ID_INDEX_SCHEMA, type IdIndex } from '../../src/format/id-index.js';
import type { CountryTree } from '../tree/country-tree.js';

/** The id index of a tree, not encoded. */
export function idIndexOf({ placeCount, ids }: Pick<CountryTree, 'placeCount' | 'ids'>): IdIndex {
  return { slots: buildSlots(placeCount, (place) => hashPlaceId(ids, place)) };
}

export function buildIdIndex(tree: CountryTree): Uint8Array[] {
  return encodeBundle(ID_INDEX_SCHEMA, idIndexOf(tree));
}
