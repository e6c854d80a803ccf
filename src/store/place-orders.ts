/** The places of a country by name then id (src/format/place-orders.ts), for pagination. */
import type { PlaceOrders } from '../format/place-orders.js';
import type { PlaceTree } from '../format/place-tree.js';
import { levelRange } from './place-tree.js';

/** A view of all places, or of the places of one level, by name then id. */
export function orderedPlaces(orders: PlaceOrders, tree: PlaceTree, level: number | undefined): Uint32Array {
  if (level === undefined) return orders.all;
  const { start, end } = levelRange(tree, level);
  return orders.byLevel.subarray(start, end);
}
