/**
 * Where the coordinates of a country's places are from. Most are the release's; a builder corrects coordinates that cannot
 * be true, and marks places of which it knows only roughly where they lie. Read by `inspect`, `diff` and `verify`.
 *
 *   sources   u8[n]   for each place, an index into POSITION_SOURCES
 *   moved     u32[m]  the leaves whose coordinates are not the release's, ascending
 *   released  f64[2m] longitude and latitude that the release has for each of these, degrees
 */
import { type Bundle, checkLength, decodeBundle } from './array-bundle.js';

/**
 * `release`: as the release has it. `coarse`: likewise, though the place lies somewhere else. `agreement`: where places of
 * its code and unit lie. `gazetteer`: where the gazetteer has its city. `hand`: as a correction by hand has it.
 */
export const POSITION_SOURCES = ['release', 'coarse', 'agreement', 'gazetteer', 'hand'] as const;

export type PositionSource = (typeof POSITION_SOURCES)[number];

/** Whether a place may lie far from its coordinates. */
export function isCoarse(source: PositionSource | undefined): boolean {
  return source === 'coarse' || source === 'agreement';
}

export const PLACE_POSITIONS_SCHEMA = { sources: 'u8', moved: 'u32', released: 'f64' } as const;

export type PlacePositions = Bundle<typeof PLACE_POSITIONS_SCHEMA>;

export function decodePlacePositions(bytes: Uint8Array, where: string, placeCount: number): PlacePositions {
  const positions = decodeBundle(PLACE_POSITIONS_SCHEMA, bytes, where);
  checkLength(`${where}.sources`, positions.sources, placeCount);
  checkLength(`${where}.released`, positions.released, positions.moved.length * 2);
  return positions;
}
