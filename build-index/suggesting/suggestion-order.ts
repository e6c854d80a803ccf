/**
 * The order of suggestions with equal matches: represented places last, then the more important place first (see
 * importance.ts), then by level from the root down, by folded name, by id. No other file decides it.
 */

import { comparePlaceIds } from '../../src/core/snapshot/place-id.js';
import { LEVEL_COUNT } from '../../src/core/snapshot/place-tree.js';
import { sortByKeys } from '../ordering/sort-keys.js';

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

/** The indexes of places in the order of suggestions, that of compareSuggestionOrder. */
export function orderRanks(keys: RankKeys, nameCount: number): Uint32Array {
  const { sameNames, importances, levels, nameNumbers, ids } = keys;
  const count = levels.length;
  const importanceKeys = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    const order = (sameNames[at] as number) * 2 ** 32 + (0xffff_ffff - (importances[at] as number));
    importanceKeys[at] = order * (LEVEL_COUNT + 1) + (levels[at] as number);
  }
  // Three numbers are no exact number, so the number of the key stands for the first two.
  const rankKeys = new Float64Array(count);
  let keyNumber = 0;
  let previous: number | undefined;
  for (const at of sortByKeys(importanceKeys)) {
    if (importanceKeys[at] !== previous) keyNumber++;
    previous = importanceKeys[at];
    rankKeys[at] = keyNumber * nameCount + (nameNumbers[at] as number);
  }
  return sortByKeys(rankKeys, (a, b) => comparePlaceIds(ids, a, b));
}

/** Negative if place `a` is suggested before place `b`. */
export function compareSuggestionOrder(keys: RankKeys, a: number, b: number): number {
  return (
    (keys.sameNames[a] as number) - (keys.sameNames[b] as number) ||
    (keys.importances[b] as number) - (keys.importances[a] as number) ||
    (keys.levels[a] as number) - (keys.levels[b] as number) ||
    (keys.nameNumbers[a] as number) - (keys.nameNumbers[b] as number) ||
    comparePlaceIds(keys.ids, a, b)
  );
}
