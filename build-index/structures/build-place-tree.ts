/** Writes the place tree (src/core/snapshot/place-tree.ts). */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { buildSlots } from '../../src/core/snapshot/hash-table.js';
import { digestPath, OLD_PATHS_SCHEMA } from '../../src/core/snapshot/old-paths.js';
import { PATH_TRIE_SCHEMA } from '../../src/core/snapshot/path-trie.js';
import { comparePlaceIds } from '../../src/core/snapshot/place-id.js';
import { hashPlaceId, ID_INDEX_SCHEMA, type IdIndex } from '../../src/core/snapshot/place-id-index.js';
import { PLACE_ORDERS_SCHEMA } from '../../src/core/snapshot/place-orders.js';
import { levelOf, PLACE_TREE_SCHEMA } from '../../src/core/snapshot/place-tree.js';
import { prefixWord } from '../../src/core/snapshot/sampled-prefixes.js';
import type { CountryTree } from '../tree/country-tree.js';

export function buildPlaceTree({ levelStarts, ids, parents, childStarts }: CountryTree): Uint8Array[] {
  return encodeBundle(PLACE_TREE_SCHEMA, { levelStarts, ids, parents, childStarts });
}

/* Writes the orders of places (src/core/snapshot/place-orders.ts). */

/** All places, sorted by name, then id. */
export function orderPlaces(tree: CountryTree): Uint32Array {
  const { nameRanks, ids } = tree;
  return Uint32Array.from({ length: tree.placeCount }, (_, place) => place).sort(
    (a, b) => (nameRanks[a] as number) - (nameRanks[b] as number) || comparePlaceIds(ids, a, b),
  );
}

/** `all` is the result of orderPlaces. */
export function buildPlaceOrders(tree: CountryTree, all: Uint32Array): Uint8Array[] {
  const byLevel = new Uint32Array(tree.placeCount);
  const next = tree.levelStarts.slice();
  for (const place of all) {
    const level = levelOf(tree, place) - 1;
    const position = next[level] as number;
    byLevel[position] = place;
    next[level] = position + 1;
  }
  return encodeBundle(PLACE_ORDERS_SCHEMA, { all, byLevel });
}

/* Writes the id index (src/core/snapshot/place-id.ts). */

/** The id index of a tree, not encoded. */
export function idIndexOf({ placeCount, ids }: Pick<CountryTree, 'placeCount' | 'ids'>): IdIndex {
  return { slots: buildSlots(placeCount, (place) => hashPlaceId(ids, place)) };
}

export function buildIdIndex(tree: CountryTree): Uint8Array[] {
  return encodeBundle(ID_INDEX_SCHEMA, idIndexOf(tree));
}

/* Writes the path trie (src/core/snapshot/path-trie.ts): the children of each place, sorted by slug. */

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

/* Writes the old paths (src/core/snapshot/old-paths.ts). */

/** A path of the previous snapshot that no place has now, and the place that had it. */
export interface OldPath {
  readonly path: string;
  readonly place: number;
}

/** The paths must be different. */
export function buildOldPaths(oldPaths: readonly OldPath[]): Uint8Array[] {
  const sorted = oldPaths
    .map(({ path, place }) => ({ digest: digestPath(path), place }))
    .sort((a, b) => a.digest[0] - b.digest[0] || a.digest[1] - b.digest[1]);
  const digests = new Uint32Array(sorted.length * 2);
  sorted.forEach(({ digest }, at) => {
    digests.set(digest, at * 2);
  });
  return encodeBundle(OLD_PATHS_SCHEMA, { digests, places: Uint32Array.from(sorted, ({ place }) => place) });
}
