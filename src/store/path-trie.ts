/**
 * From a path to its place: one binary search for each segment (src/format/path-trie.ts). About 2 µs for four levels.
 */
import type { PathTrie } from '../format/path-trie.js';
import type { PlaceAnswers } from '../format/place-answers.js';
import type { PlaceTree } from '../format/place-tree.js';
import { lowerBound, type Range } from './mapped-numbers.js';
import { comparePath } from './place-answers.js';
import { childRange, levelRange } from './place-tree.js';

/** The place with these slugs, root first; undefined where there is none. */
export function findByPath(
  structures: { readonly trie: PathTrie; readonly tree: PlaceTree; readonly answers: PlaceAnswers },
  slugs: readonly string[],
): number | undefined {
  const { trie, tree, answers } = structures;
  let range: Range = levelRange(tree, 1);
  let slugStart = 1;
  let place: number | undefined;
  for (const slug of slugs) {
    place = findChild(trie, answers, range, Buffer.from(slug, 'utf8'), slugStart);
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
  slug: Buffer,
  slugStart: number,
): number | undefined {
  let found: number | undefined;
  lowerBound(start, end, (at) => {
    const place = trie.childrenBySlug[at] as number;
    const order = comparePath(answers, place, slugStart, slug);
    if (order === 0) found = place;
    return order < 0;
  });
  return found;
}
