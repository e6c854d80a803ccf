/**
 * The paths that the places of a country had in the previous snapshot and no longer have. A path that a place of this
 * snapshot has is not among them. The paths are not stored: a path is found by its digest, the first eight bytes of its
 * SHA-1. So a path takes 12 bytes, and no other path is taken for it. The table is empty in a snapshot that was built
 * without a previous one.
 *
 *   digests  u32[2m]  the digest of each path as two big-endian numbers; ascending
 *   places   u32[m]   the place of each path
 *
 * Worked example: the SHA-1 of "/mazovia" starts with 89564f0e 96e6d88e, so its digest is the numbers 0x89564f0e and
 * 0x96e6d88e.
 */

import { hash } from 'node:crypto';
import { type Bundle, checkBundledLength, decodeBundle } from './array-bundle.js';
import { lowerBound } from './binary-search.js';
import { isPlace, type PlaceTree } from './place-tree.js';

export const OLD_PATHS_SCHEMA = { digests: 'u32', places: 'u32' } as const;

export type OldPaths = Bundle<typeof OLD_PATHS_SCHEMA>;

/** The first and the second half of a digest, as unsigned integers. */
type PathDigest = readonly [high: number, low: number];

/** The digest of a path, which is ASCII and has a slash at the start. */
export function digestPath(path: string): PathDigest {
  const digest = hash('sha1', path, 'buffer');
  return [digest.readUInt32BE(0), digest.readUInt32BE(4)];
}

/** Whether digest number `at` of the table comes before `digest`. */
export function isPathDigestBefore(
  { digests }: Pick<OldPaths, 'digests'>,
  at: number,
  [high, low]: PathDigest,
): boolean {
  const found = digests[at * 2] as number;
  return found < high || (found === high && (digests[at * 2 + 1] as number) < low);
}

export function decodeOldPaths(bytes: Uint8Array, where: string): OldPaths {
  const oldPaths = decodeBundle(OLD_PATHS_SCHEMA, bytes, where);
  checkBundledLength(`${where}.digests`, oldPaths.digests, oldPaths.places.length * 2);
  return oldPaths;
}

/**
 * The place that had a path of these slugs (ASCII, see slugOf) in the previous snapshot, root first; undefined if there is
 * none. One digest and one binary search, about 2.5 µs: ask only if no place has the path now.
 */
export function findByOldPath(
  { oldPaths, tree }: { readonly oldPaths: OldPaths; readonly tree: PlaceTree },
  slugs: readonly string[],
): number | undefined {
  const { digests, places } = oldPaths;
  if (places.length === 0) return undefined;
  const digest = digestPath(`/${slugs.join('/')}`);
  const at = lowerBound(0, places.length, (number) => isPathDigestBefore(oldPaths, number, digest));
  const place = places[at];
  if (place === undefined || digests[at * 2] !== digest[0] || digests[at * 2 + 1] !== digest[1]) return undefined;
  return isPlace(tree, place) ? place : undefined;
}
