/** The source of a place's coordinates (src/format/place-positions.ts): O(log m) for m corrected places. */
import { lowerBound } from '../format/binary-search.js';
import { type PlacePositions, POSITION_SOURCES, type PositionSource } from '../format/place-positions.js';

export interface PlacePosition {
  /** Undefined in a damaged file. */
  readonly source: PositionSource | undefined;
  /** The coordinates of the release, in degrees; null if they were not corrected. */
  readonly released: { readonly latitude: number; readonly longitude: number } | null;
}

export function positionOf({ sources, moved, released }: PlacePositions, place: number): PlacePosition {
  const source = POSITION_SOURCES[sources[place] as number];
  const from = lowerBound(0, moved.length, (at) => (moved[at] as number) < place);
  if (moved[from] !== place) return { source, released: null };
  return {
    source,
    released: { latitude: released[from * 2 + 1] as number, longitude: released[from * 2] as number },
  };
}
