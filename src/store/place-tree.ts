/** Lookups in the place tree (src/format/place-tree.ts): levels, ancestors, children. All are O(depth) or O(1). */
import { LEVEL_COUNT } from '../format/place-levels.js';
import { NO_PARENT, type PlaceTree } from '../format/place-tree.js';

/** Consecutive places, or consecutive positions of an order: `end` is not among them. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The places of a level, 1 to 4, as a range of place numbers. */
export function levelRange(tree: PlaceTree, level: number): Range {
  return { start: tree.levelStarts[level - 1] as number, end: tree.levelStarts[level] as number };
}

/** The children of a place, in the order "by name then id". */
export function childRange(tree: PlaceTree, place: number): Range {
  return { start: tree.childStarts[place] as number, end: tree.childStarts[place + 1] as number };
}

/** The ancestors of a place, root first. */
export function listAncestors(tree: PlaceTree, place: number): number[] {
  const ancestors: number[] = [];
  for (let at = tree.parents[place]; at !== undefined && at !== NO_PARENT; at = tree.parents[at]) {
    ancestors.push(at);
    // A damaged file could hold a circle.
    if (ancestors.length >= LEVEL_COUNT) break;
  }
  return ancestors.reverse();
}
