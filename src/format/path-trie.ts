/**
 * From a place to its child by slug: a trie over whole slugs. The children of a place are consecutive places ordered by
 * name. `childrenBySlug` holds the same places in the same range, ordered by the bytes of their slugs, so one step is a
 * binary search in that range, and a path takes at most four steps. The slugs are not stored here: a child's slug is
 * the last segment of the path in its rendered object. Only the first four bytes of each slug are stored, so that a
 * step usually reads one whole slug and not every slug that the search compares.
 *
 *   childrenBySlug  u32[n]  the roots by slug, then the children of place 0 by slug, of place 1, …
 *   slugStarts      u32[n]  the first four bytes of each slug, as a big-endian number, padded with zeros
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
