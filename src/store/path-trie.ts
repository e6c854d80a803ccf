/**
 * Finds a place by its path: for each segment a binary search (src/format/path-trie.ts) by the first four bytes of the
 * slugs, then by the whole slugs that share them. About 2 µs for four levels.
 */
import { lowerBound } from '../format/binary-search.js';
import type { PathTrie } from '../format/path-trie.js';
import type { PlaceTree } from '../format/place-tree.js';
import type { RenderedPlaces } from '../format/rendered-places.js';
import { prefixWord } from '../format/sampled-prefixes.js';
import { bytesOf } from './byte-string.js';
import type { Range } from './mapped-numbers.js';
import { childRange, levelRange } from './place-tree.js';
import { comparePath } from './rendered-places.js';

/** The place with these slugs (ASCII, see slugOf), root first; undefined if there is none. */
export function findByPath(
  structures: { readonly trie: PathTrie; readonly tree: PlaceTree; readonly renderedPlaces: RenderedPlaces },
  slugs: readonly string[],
): number | undefined {
  const { trie, tree, renderedPlaces } = structures;
  let range: Range = levelRange(tree, 1);
  let slugStart = 1;
  let place: number | undefined;
  for (const slug of slugs) {
    place = findChild(trie, renderedPlaces, range, bytesOf(slug), slugStart);
    if (place === undefined) return undefined;
    range = childRange(tree, place);
    slugStart += slug.length + 1;
  }
  return place;
}

/** The place of the range whose path from position `slugStart` on equals `slug`. */
function findChild(
  trie: PathTrie,
  renderedPlaces: RenderedPlaces,
  { start, end }: Range,
  slug: Uint8Array,
  slugStart: number,
): number | undefined {
  const { slugStarts } = trie;
  const wanted = prefixWord((at) => slug[at] ?? 0, 0);
  const first = lowerBound(start, end, (at) => (slugStarts[at] as number) < wanted);
  // Usually one slug matches, or none.
  let last = first;
  for (let step = 1; last < end && slugStarts[last] === wanted; step *= 2) last = Math.min(end, last + step);
  let found: number | undefined;
  lowerBound(first, last, (at) => {
    const place = trie.childrenBySlug[at] as number;
    const order = comparePath(renderedPlaces, place, slugStart, slug);
    if (order === 0) found = place;
    return order < 0;
  });
  return found;
}
