/**
 * The k-d trees for reverse geocoding, in kdbush's layout (an implicit balanced tree in two arrays, split by longitude
 * and latitude alternately), over the distinct coordinates of a country's leaves. Each tier of leaves has a tree, one
 * after the other: a leaf is a result only if no leaf of an earlier tier is near. If several leaves of a tier share a
 * point, the leaf with the lowest code, then name, then id represents them, so that the result of "nearest" is always
 * the same.
 *
 *   tierStarts  u32[4]    the first point of each of POINT_TIERS, and the number of points
 *   places      u32[m]    the place that represents each point
 *   coords      f64[2m]   longitude and latitude of each point, degrees
 *   codeStarts  u32[m+1]  start of each point's codes
 *   codes       u32[]     the numbers of the codes of all the tier's leaves at a point, ascending
 */

import { arrayRangeAt, type Bundle, checkBundledLength, checkBundledOffsets, decodeBundle } from './array-bundle.js';
import type { TreePoints } from './kd-tree.js';
import { structureError } from './snapshot-error.js';

/** Localities with reliable coordinates, localities with approximate coordinates (isCoarsePosition), and recipients. */
export const POINT_TIERS = ['sure', 'coarse', 'recipient'] as const;

export const POINT_INDEX_SCHEMA = {
  tierStarts: 'u32',
  places: 'u32',
  coords: 'f64',
  codeStarts: 'u32',
  codes: 'u32',
} as const;

export type PointIndex = Bundle<typeof POINT_INDEX_SCHEMA>;

/** One tier of an index. `codeStarts` are positions in `codes`, which all tiers share. */
export type PointTier = Omit<PointIndex, 'tierStarts'> & TreePoints;

export function decodePointIndex(bytes: Uint8Array, where: string): PointIndex {
  const index = decodeBundle(POINT_INDEX_SCHEMA, bytes, where);
  const { tierStarts, places, coords, codeStarts, codes } = index;
  checkBundledLength(`${where}.tierStarts`, tierStarts, POINT_TIERS.length + 1);
  checkBundledLength(`${where}.coords`, coords, places.length * 2);
  checkBundledLength(`${where}.codeStarts`, codeStarts, places.length + 1);
  checkBundledOffsets(`${where}.codeStarts`, codeStarts, codes.length);
  const isAscending = tierStarts.every((start, tier) => start >= (tierStarts[tier - 1] ?? 0));
  if (!isAscending || tierStarts[0] !== 0 || tierStarts[POINT_TIERS.length] !== places.length) {
    throw structureError(where, `tiers from 0 to ${places.length}`, tierStarts.join());
  }
  return index;
}

/** Views of the points of a tier, an index into POINT_TIERS. */
export function pointTier({ tierStarts, places, coords, codeStarts, codes }: PointIndex, tier: number): PointTier {
  const [start, end] = [tierStarts[tier], tierStarts[tier + 1]] as [number, number];
  const own = coords.subarray(start * 2, end * 2);
  return {
    places: places.subarray(start, end),
    coords: own,
    degrees: (point, axis) => own[point * 2 + axis] as number,
    codeStarts: codeStarts.subarray(start, end + 1),
    codes,
  };
}

/** A view of the numbers of a point's codes, ascending, at most `most`. */
export function pointCodes({ codeStarts, codes }: PointTier, point: number, most: number): Uint32Array {
  const { start, end } = arrayRangeAt(codeStarts, point, codes.length);
  return codes.subarray(start, Math.min(end, start + most));
}

/** Whether a country has recipients: few have. */
export function hasRecipients(points: PointIndex): boolean {
  return pointTier(points, POINT_TIERS.indexOf('recipient')).places.length > 0;
}
