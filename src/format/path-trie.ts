/**
 * The way from a place to its child by slug: a trie over whole slugs. The children of a place are consecutive places
 * ordered by name; `childrenBySlug` holds the same places in the same range ordered by the bytes of their slugs, so
 * one step is a binary search in that range, and a path takes at most four steps. The labels are not stored again: a
 * child's slug is the end of the path in its answer, behind its parent's path and a slash; but its first four bytes are,
 * so that mostly one slug is read for a step and not each that the search comes by.
 *
 *   childrenBySlug  u32[n]  the roots by slug, then the children of place 0 by slug, of place 1, …
 *   slugStarts      u32[n]  the first four bytes of each of these slugs, the first the highest; zeros behind its end
 */
import { type Bundle, checkLength, decodeBundle } from './array-bundle.js';

export const PATH_TRIE_SCHEMA = { childrenBySlug: 'u32', slugStarts: 'u32' } as const;

export type PathTrie = Bundle<typeof PATH_TRIE_SCHEMA>;

export function decodePathTrie(bytes: Uint8Array, where: string, placeCount: number): PathTrie {
  const trie = decodeBundle(PATH_TRIE_SCHEMA, bytes, where);
  checkLength(`${where}.childrenBySlug`, trie.childrenBySlug, placeCount);
  checkLength(`${where}.slugStarts`, trie.slugStarts, placeCount);
  return trie;
}
