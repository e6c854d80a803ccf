/** The input of a country's tree: collected places after cleaning. */
import type { PositionSource } from '../../src/format/place-positions.js';
import type { CollectedPlaces } from './collecting.js';

/** Cleaned places: parallel arrays in any order. */
export interface TreePlaces extends CollectedPlaces {
  /** A list of ids, see place-id.ts. */
  readonly ids: Uint8Array;
  /** By unit, the names of the units merged into it, and its released name if it was replaced. */
  readonly mergedNames: ReadonlyMap<number, readonly string[]>;
  /** By leaf, the source of its coordinates. */
  readonly sources: readonly PositionSource[];
  /** By leaf, its coordinates in the release. */
  readonly releasedLatitudes: readonly number[];
  readonly releasedLongitudes: readonly number[];
}
