/** Writes the orders of places (src/core/snapshot/place-tree.ts). */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { comparePlaceIds } from '../../src/core/snapshot/place-id.js';
import { levelOf, PLACE_ORDERS_SCHEMA } from '../../src/core/snapshot/place-tree.js';
import type { CountryTree } from '../tree/country-tree.js';

/** All places, sorted by name, then id. */
export function orderPlaces(tree: CountryTree): Uint32Array {
  const { nameRanks, ids } = tree;
  return Uint32Array.from({ length: tree.placeCount }, (_, place) => place).sort(
    (a, b) => (nameRanks[a] as number) - (nameRanks[b] as number) || comparePlaceIds(ids, a, b),
  );
}

/** `all` is the result of orderPlaces. */
export function buildPlaceOrders(tree: CountryTree, all: Uint32Array): Uint8Array[] {
  const byLevel = new Uint32Array(tree.placeCount);
  const next = tree.levelStarts.slice();
  for (const place of all) {
    const level = levelOf(tree, place) - 1;
    const position = next[level] as number;
    byLevel[position] = place;
    next[level] = position + 1;
  }
  return encodeBundle(PLACE_ORDERS_SCHEMA, { all, byLevel });
}
