/** The order of suggestions, as keys of the places. */
import { comparePlaceIds } from '../../src/format/place-id.js';

/**
 * The keys that decide the order of suggestions, by candidate or by rank. Countries are merged by them too.
 */
export interface RankKeys {
  /** 1 for a place that a better place of the same name represents: above, below or beside it, within SAME_NAME_KM of it, or
   * of the same city. */
  readonly sameNames: Uint8Array;
  /** See importance.ts. */
  readonly importances: Uint32Array;
  readonly levels: Uint8Array;
  /** The number of the folded name; numbers have the order of the names. */
  readonly nameNumbers: Uint32Array;
  /** A list of ids, see place-id.ts. */
  readonly ids: Uint8Array;
}

/** Negative if place `a` is suggested before place `b`. */
export function compareRankKeys(keys: RankKeys, a: number, b: number): number {
  return (
    (keys.sameNames[a] as number) - (keys.sameNames[b] as number) ||
    (keys.importances[b] as number) - (keys.importances[a] as number) ||
    (keys.levels[a] as number) - (keys.levels[b] as number) ||
    (keys.nameNumbers[a] as number) - (keys.nameNumbers[b] as number) ||
    comparePlaceIds(keys.ids, a, b)
  );
}
