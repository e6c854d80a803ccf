/**
 * From a path to its place: one binary search for each segment (src/format/path-trie.ts), among the starts of slugs and
 * then among those that start alike. About 2 µs for four levels.
 */
import { lowerBound } from '../format/binary-search.js';
import type { PathTrie } from '../format/path-trie.js';
import type { PlaceAnswers } from '../format/place-answers.js';
import type { PlaceTree } from '../format/place-tree.js';
import { headWord } from '../format/text-heads.js';
import { bytesOf } from './byte-string.js';
import type { Range } from './mapped-numbers.js';
import { comparePath } from './place-answers.js';
import { childRange, levelRange } from './place-tree.js';

/** The place with these slugs (slugOf: ASCII), root first; undefined where there is none. */
export function findByPath(
  structures: { readonly trie: PathTrie; readonly tree: PlaceTree; readonly answers: PlaceAnswers },
  slugs: readonly string[],
): number | undefined {
  const { trie, tree, answers } = structures;
  let range: Range = levelRange(tree, 1);
  let slugStart = 1;
  let place: number | undefined;
  for (const slug of slugs) {
    place = findChild(trie, answers, range, bytesOf(slug), slugStart);
    if (place === undefined) return undefined;
    range = childRange(tree, place);
    slugStart += slug.length + 1;
  }
  return place;
}

/** The place of the range whose path, from `slugStart` on, is `slug`. */
function findChild(
  trie: PathTrie,
  answers: PlaceAnswers,
  { start, end }: Range,
  slug: Uint8Array,
  slugStart: number,
): number | undefined {
  const { slugStarts } = trie;
  const wanted = headWord((at) => slug[at] ?? 0, 0);
  const first = lowerBound(start, end, (at) => (slugStarts[at] as number) < wanted);
  // Mostly there is one, or none.
  let last = first;
  for (let step = 1; last < end && slugStarts[last] === wanted; step *= 2) last = Math.min(end, last + step);
  let found: number | undefined;
  lowerBound(first, last, (at) => {
    const place = trie.childrenBySlug[at] as number;
    const order = comparePath(answers, place, slugStart, slug);
    if (order === 0) found = place;
    return order < 0;
  });
  return found;
}
