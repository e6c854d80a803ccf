/**
 * The tree of places of one country. Places are numbered breadth first: the roots (level 1) come first, then the
 * children of place 0, of place 1 and so on, siblings ordered by name then id. Siblings, and all places of a level, are
 * so consecutive, and one array of starts gives the children of every place. Lookups are O(1) or O(depth).
 *
 *   levelStarts  u32[5]    first place of level 1, 2, 3, 4, and the place count
 *   ids          u8[16n]   the UUID of each place
 *   parents      u32[n]    the parent of each place; NO_PARENT for roots
 *   childStarts  u32[n+1]  children of place p are childStarts[p] up to but not including childStarts[p+1]
 *
 * Worked example, A{B{D}, C}: numbers A0 B1 C2 D3, levelStarts 0 1 3 4 4, parents - 0 0 1, childStarts 1 3 4 4 4.
 */

import { arrayRangeAt, type Bundle, checkBundledLength, decodeBundle, type Range } from './array-bundle.js';
import { ID_BYTES } from './place-id.js';
import { structureError } from './snapshot-error.js';

/**
 * The number of levels, counted from 1 (the roots): a release has three columns of admin units, and leaves below them.
 */
export const LEVEL_COUNT = 4;

export const NO_PARENT = 0xffffffff;

export const PLACE_TREE_SCHEMA = { levelStarts: 'u32', ids: 'u8', parents: 'u32', childStarts: 'u32' } as const;

export type PlaceTree = Bundle<typeof PLACE_TREE_SCHEMA> & { readonly placeCount: number };

export function decodePlaceTree(bytes: Uint8Array, where: string): PlaceTree {
  const tree = decodeBundle(PLACE_TREE_SCHEMA, bytes, where);
  const placeCount = tree.parents.length;
  checkBundledLength(`${where}.levelStarts`, tree.levelStarts, LEVEL_COUNT + 1);
  checkBundledLength(`${where}.ids`, tree.ids, placeCount * ID_BYTES);
  checkBundledLength(`${where}.childStarts`, tree.childStarts, placeCount + 1);
  if (tree.levelStarts[0] !== 0 || tree.levelStarts[LEVEL_COUNT] !== placeCount) {
    throw structureError(where, `levels from 0 to ${placeCount}`, tree.levelStarts.join());
  }
  return { ...tree, placeCount };
}

/** The level of a place, from 1. */
export function levelOf({ levelStarts }: { readonly levelStarts: Uint32Array }, place: number): number {
  let level = 1;
  while (level < LEVEL_COUNT && place >= (levelStarts[level] as number)) level++;
  return level;
}

/** Whether a place has this number. In a damaged file a list of places can contain any number. */
export function isPlace(tree: PlaceTree, number: number): boolean {
  return number < tree.placeCount;
}

/** The places of a level, 1 to 4, as a range of place numbers. */
export function levelRange(tree: PlaceTree, level: number): Range {
  return arrayRangeAt(tree.levelStarts, level - 1, tree.placeCount);
}

/** The children of a place, in the order "by name then id". */
export function childRange(tree: PlaceTree, place: number): Range {
  return arrayRangeAt(tree.childStarts, place, tree.placeCount);
}

/** The places directly in a unit; without a unit the roots. */
export function childrenOf(tree: PlaceTree, unit: number | undefined): Range {
  return unit === undefined ? levelRange(tree, 1) : childRange(tree, unit);
}

/** Whether others lie in a place. */
export function isArea(tree: PlaceTree, place: number): boolean {
  const { start, end } = childRange(tree, place);
  return start < end;
}

/** The unit that contains a place; undefined for a root. */
export function parentOf(tree: PlaceTree, place: number): number | undefined {
  const parent = tree.parents[place] as number;
  return isPlace(tree, parent) ? parent : undefined;
}

/** All places below a place: a range for each level, because places are numbered level by level. */
export function treeRangesBelow(tree: PlaceTree, place: number): Range[] {
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
export function deepestTreeRange(tree: PlaceTree, siblings: Range): Range {
  let deepest = siblings;
  for (let level = 1; level < LEVEL_COUNT && deepest.start < deepest.end; level++) {
    const below = { start: childRange(tree, deepest.start).start, end: childRange(tree, deepest.end - 1).end };
    // A place without children has an empty range. In a damaged file a range can be anything.
    if (below.start >= below.end) break;
    deepest = below;
  }
  return deepest;
}
