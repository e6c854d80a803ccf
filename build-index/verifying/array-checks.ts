/** The checks of arrays that all structures have in common: bounds, ascending lists, and hash tables. */

import { probeSlots } from '../../src/core/snapshot/hash-table.js';
import { structureError } from '../../src/core/snapshot/snapshot-error.js';

/** Callers build the texts only for a failure: some checks run millions of times. */
export function failArrayCheck(where: string, expected: string, found: unknown): never {
  throw structureError(where, expected, String(found));
}

export function checkBelow(where: string, values: ArrayLike<number>, limit: number): void {
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    if (!(value < limit)) failArrayCheck(where, `numbers below ${limit}`, value);
  }
}

/** Each value is at least `step` above the value before: 0 for the starts of ranges, 1 for a list without repeats. */
export function checkAscending(where: string, values: ArrayLike<number>, step: 0 | 1): void {
  for (let at = 1; at < values.length; at++) {
    const [previous, value] = [values[at - 1] as number, values[at] as number];
    if (!(value >= previous + step)) failArrayCheck(where, `a number from ${previous + step} on`, value);
  }
}

/** Ascending numbers of places, each once. */
export function checkPlaceList(where: string, places: ArrayLike<number>, placeCount: number): void {
  checkBelow(where, places, placeCount);
  checkAscending(where, places, 1);
}

/** A hash table leads to each of its `count` entries, and to no other number. */
export function checkTable(where: string, slots: Uint32Array, count: number, hashOf: (entry: number) => number): void {
  checkBelow(where, slots, count + 1);
  for (let entry = 0; entry < count; entry++) {
    let isFound = false;
    probeSlots(slots, hashOf(entry), (found) => {
      isFound = found === entry;
      return isFound;
    });
    if (!isFound) failArrayCheck(where, `entry ${entry} by its hash`, 'none');
  }
}
