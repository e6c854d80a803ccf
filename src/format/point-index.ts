/**
 * The k-d tree for reverse lookup, in kdbush's layout (an implicit balanced tree in two arrays, split by longitude and
 * latitude alternately), over the distinct coordinates of a country's leaves. Where several leaves share a point the
 * one with the lowest code, then name, then id stands for them, so that the answer to "nearest" is always the same.
 *
 *   places  u32[m]   the place that stands for each point
 *   coords  f64[2m]  longitude and latitude of each point, degrees
 */
import { type Bundle, checkLength, decodeBundle } from './array-bundle.js';

/** Points in a leaf of the tree: small, since each point looked at costs two sines. */
export const POINT_NODE_SIZE = 16;

export const POINT_INDEX_SCHEMA = { places: 'u32', coords: 'f64' } as const;

export type PointIndex = Bundle<typeof POINT_INDEX_SCHEMA>;

export function decodePointIndex(bytes: Uint8Array, where: string): PointIndex {
  const index = decodeBundle(POINT_INDEX_SCHEMA, bytes, where);
  checkLength(`${where}.coords`, index.coords, index.places.length * 2);
  return index;
}
