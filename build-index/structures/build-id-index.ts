/** Writes the id index (src/core/snapshot/place-id.ts). */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { buildSlots } from '../../src/core/snapshot/hash-table.js';
import { hashPlaceId, ID_INDEX_SCHEMA, type IdIndex } from '../../src/core/snapshot/place-id.js';
import type { CountryTree } from '../tree/country-tree.js';

/** The id index of a tree, not encoded. */
export function idIndexOf({ placeCount, ids }: Pick<CountryTree, 'placeCount' | 'ids'>): IdIndex {
  return { slots: buildSlots(placeCount, (place) => hashPlaceId(ids, place)) };
}

export function buildIdIndex(tree: CountryTree): Uint8Array[] {
  return encodeBundle(ID_INDEX_SCHEMA, idIndexOf(tree));
}
