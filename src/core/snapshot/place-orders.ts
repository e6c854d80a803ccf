/**
 * The places of a country in the order "by name then id", for pagination: all places, and the places of each level. The
 * builder computes the order (Unicode root collation, ties by code point, then id); the server never compares names.
 *
 *   all      u32[n]  every place
 *   byLevel  u32[n]  the places of level 1, then of level 2, 3 and 4; levels start as in the place tree
 */

import { type Bundle, checkBundledLength, decodeBundle } from './array-bundle.js';
import { levelRange, type PlaceTree } from './place-tree.js';

export const PLACE_ORDERS_SCHEMA = { all: 'u32', byLevel: 'u32' } as const;

export type PlaceOrders = Bundle<typeof PLACE_ORDERS_SCHEMA>;

export function decodePlaceOrders(bytes: Uint8Array, where: string, placeCount: number): PlaceOrders {
  const orders = decodeBundle(PLACE_ORDERS_SCHEMA, bytes, where);
  checkBundledLength(`${where}.all`, orders.all, placeCount);
  checkBundledLength(`${where}.byLevel`, orders.byLevel, placeCount);
  return orders;
}

/** A view of all places, or of the places of one level, by name then id. */
export function orderedPlaces(orders: PlaceOrders, tree: PlaceTree, level: number | undefined): Uint32Array {
  if (level === undefined) return orders.all;
  const { start, end } = levelRange(tree, level);
  return orders.byLevel.subarray(start, end);
}
