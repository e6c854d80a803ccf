/**
 * The source of the coordinates of each place of a country. Most are from the release. The builder corrects coordinates
 * that cannot be true, and marks places with approximate coordinates. `inspect`, `diff` and `verify` read this.
 *
 *   sources   u8[n]    for each place, an index into POSITION_SOURCES
 *   moved     u32[m]   the leaves with corrected coordinates, ascending
 *   released  f64[2m]  longitude and latitude of each of these in the release, degrees
 */

import { type Bundle, checkBundledLength, decodeBundle } from './array-bundle.js';
import { lowerBound } from './binary-search.js';

/**
 * `release`: from the release. `coarse`: from the release, though the place is somewhere else. `agreement`: from other
 * places with its code and unit. `gazetteer`: from its city in the gazetteer. `hand`: from a correction by hand.
 */
export const POSITION_SOURCES = ['release', 'coarse', 'agreement', 'gazetteer', 'hand'] as const;

export type PositionSource = (typeof POSITION_SOURCES)[number];

/** Whether a place may be far from its coordinates. */
export function isCoarsePosition(source: PositionSource | undefined): boolean {
  return source === 'coarse' || source === 'agreement';
}

/** Whether a place may be far from its coordinates, given the sources of all places. */
export function isCoarsePositionAt(sources: Uint8Array, place: number): boolean {
  return isCoarsePosition(POSITION_SOURCES[sources[place] as number]);
}

export const PLACE_POSITIONS_SCHEMA = { sources: 'u8', moved: 'u32', released: 'f64' } as const;

export type PlacePositions = Bundle<typeof PLACE_POSITIONS_SCHEMA>;

export function decodePlacePositions(bytes: Uint8Array, where: string, placeCount: number): PlacePositions {
  const positions = decodeBundle(PLACE_POSITIONS_SCHEMA, bytes, where);
  checkBundledLength(`${where}.sources`, positions.sources, placeCount);
  checkBundledLength(`${where}.released`, positions.released, positions.moved.length * 2);
  return positions;
}

interface PlacePosition {
  /** Undefined in a damaged file. */
  readonly source: PositionSource | undefined;
  /** The coordinates of the release, in degrees; null if they were not corrected. */
  readonly released: { readonly latitude: number; readonly longitude: number } | null;
}

/** O(log m) for m corrected places. */
export function positionOf({ sources, moved, released }: PlacePositions, place: number): PlacePosition {
  const source = POSITION_SOURCES[sources[place] as number];
  const from = lowerBound(0, moved.length, (at) => (moved[at] as number) < place);
  if (moved[from] !== place) return { source, released: null };
  return {
    source,
    released: { latitude: released[from * 2 + 1] as number, longitude: released[from * 2] as number },
  };
}
