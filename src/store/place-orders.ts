/** Pages of places by name then id (src/format/place-orders.ts): a slice, whatever the page. */
import type { PlaceOrders } from '../format/place-orders.js';
import type { PlaceTree } from '../format/place-tree.js';
import { levelRange } from './place-tree.js';

/** All places, or those of one level, by name then id: a view. */
export function orderedPlaces(orders: PlaceOrders, tree: PlaceTree, level: number | undefined): Uint32Array {
  if (level === undefined) return orders.all;
  const { start, end } = levelRange(tree, level);
  return orders.byLevel.subarray(start, end);
}
