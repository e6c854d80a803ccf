/** Writes the old paths (src/core/snapshot/path-trie.ts). */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { digestPath, OLD_PATHS_SCHEMA } from '../../src/core/snapshot/path-trie.js';

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
