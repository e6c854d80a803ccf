/**
 * The tree of places of one country. Places are numbered breadth first: the roots (level 1) come first, then the
 * children of place 0, of place 1 and so on, siblings ordered by name then id. Siblings, and all places of a level, are
 * so consecutive, and one array of starts gives the children of every place.
 *
 *   levelStarts  u32[5]    first place of level 1, 2, 3, 4, and the place count
 *   ids          u8[16n]   the UUID of each place
 *   parents      u32[n]    the parent of each place; NO_PARENT for roots
 *   childStarts  u32[n+1]  children of place p are childStarts[p] up to but not including childStarts[p+1]
 *
 * Worked example, A{B{D}, C}: numbers A0 B1 C2 D3, levelStarts 0 1 3 4 4, parents - 0 0 1, childStarts 1 3 4 4 4.
 */
import { type Bundle, checkLength, decodeBundle } from './array-bundle.js';
import { ID_BYTES } from './place-id.js';
import { LEVEL_COUNT } from './place-levels.js';
import { structureError } from './snapshot-error.js';

export const NO_PARENT = 0xffffffff;

export const PLACE_TREE_SCHEMA = { levelStarts: 'u32', ids: 'u8', parents: 'u32', childStarts: 'u32' } as const;

export type PlaceTree = Bundle<typeof PLACE_TREE_SCHEMA> & { readonly placeCount: number };

export function decodePlaceTree(bytes: Uint8Array, where: string): PlaceTree {
  const tree = decodeBundle(PLACE_TREE_SCHEMA, bytes, where);
  const placeCount = tree.parents.length;
  checkLength(`${where}.levelStarts`, tree.levelStarts, LEVEL_COUNT + 1);
  checkLength(`${where}.ids`, tree.ids, placeCount * ID_BYTES);
  checkLength(`${where}.childStarts`, tree.childStarts, placeCount + 1);
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
