/** Writes the path trie (src/core/snapshot/path-trie.ts): the children of each place, sorted by slug. */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { prefixWord } from '../../src/core/snapshot/binary-search.js';
import { PATH_TRIE_SCHEMA } from '../../src/core/snapshot/path-trie.js';
import type { CountryTree } from '../tree/country-tree.js';

export function buildPathTrie(tree: CountryTree): Uint8Array[] {
  const { placeCount, slugs, childStarts } = tree;
  const childrenBySlug = Uint32Array.from({ length: placeCount }, (_, place) => place);
  const sortRange = (start: number, end: number): void => {
    if (end - start < 2) return;
    // Slugs are ASCII, so the order of UTF-16 units is the order of bytes.
    childrenBySlug.subarray(start, end).sort((a, b) => ((slugs[a] as string) < (slugs[b] as string) ? -1 : 1));
  };
  sortRange(0, tree.levelStarts[1] as number);
  for (let place = 0; place < placeCount; place++) {
    sortRange(childStarts[place] as number, childStarts[place + 1] as number);
  }
  return encodeBundle(PATH_TRIE_SCHEMA, {
    childrenBySlug,
    slugStarts: childrenBySlug.map((place) => slugStartOf(slugs[place] as string)),
  });
}

/** The value of a slug in `slugStarts` of src/core/snapshot/path-trie.ts. */
function slugStartOf(slug: string): number {
  return prefixWord((at) => (at < slug.length ? slug.charCodeAt(at) : 0), 0);
}
