/** What a country's tree is built of: collected places of which what a release has wrong is put right. */
import type { PositionSource } from '../../src/format/place-positions.js';
import type { CollectedPlaces } from './collecting.js';

/** Collected places that are fit to be a tree: parallel arrays, in no order. */
export interface TreePlaces extends CollectedPlaces {
  /** A list of ids, see place-id.ts. */
  readonly ids: Uint8Array;
  /** By place, the names of units that have become this unit. */
  readonly mergedNames: ReadonlyMap<number, readonly string[]>;
  /** By leaf, where its coordinates are from. */
  readonly sources: readonly PositionSource[];
  /** By leaf, the coordinates of the release. */
  readonly releasedLatitudes: readonly number[];
  readonly releasedLongitudes: readonly number[];
}
