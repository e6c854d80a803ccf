/** Lookups in the place tree (src/format/place-tree.ts): levels, ancestors, children. All are O(depth) or O(1). */
import { LEVEL_COUNT } from '../format/place-levels.js';
import type { PlaceTree } from '../format/place-tree.js';
import { type Range, rangeAt } from './mapped-numbers.js';

/** Whether a place has this number. In a damaged file a list of places can contain any number. */
export function isPlace(tree: PlaceTree, number: number): boolean {
  return number < tree.placeCount;
}

/** The places of a level, 1 to 4, as a range of place numbers. */
export function levelRange(tree: PlaceTree, level: number): Range {
  return rangeAt(tree.levelStarts, level - 1, tree.placeCount);
}

/** The children of a place, in the order "by name then id". */
export function childRange(tree: PlaceTree, place: number): Range {
  return rangeAt(tree.childStarts, place, tree.placeCount);
}

/** All places below a place: a range for each level, because places are numbered level by level. */
export function rangesBelow(tree: PlaceTree, place: number): Range[] {
  const ranges: Range[] = [];
  let below = childRange(tree, place);
  // In a damaged file a range can be anything.
  while (below.start < below.end && ranges.length < LEVEL_COUNT - 1) {
    ranges.push(below);
    below = { start: childRange(tree, below.start).start, end: childRange(tree, below.end - 1).end };
  }
  return ranges;
}

/** The ancestors of a place, root first. */
export function listAncestors(tree: PlaceTree, place: number): number[] {
  const ancestors: number[] = [];
  let at = tree.parents[place];
  // NO_PARENT isn't the number of a place. A damaged file could contain a cycle.
  while (at !== undefined && isPlace(tree, at) && ancestors.length < LEVEL_COUNT - 1) {
    ancestors.push(at);
    at = tree.parents[at];
  }
  return ancestors.reverse();
}

/**
 * The descendants of a range of siblings on their deepest level: a range, because places are numbered level by level.
 * The range itself if the siblings have no descendants.
 */
export function deepestRange(tree: PlaceTree, siblings: Range): Range {
  let deepest = siblings;
  for (let level = 1; level < LEVEL_COUNT && deepest.start < deepest.end; level++) {
    const below = { start: childRange(tree, deepest.start).start, end: childRange(tree, deepest.end - 1).end };
    // A place without children has an empty range. In a damaged file a range can be anything.
    if (below.start >= below.end) break;
    deepest = below;
  }
  return deepest;
}
