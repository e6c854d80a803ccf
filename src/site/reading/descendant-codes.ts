/**
 * The postal codes of all that lies in a place. The places below one place are, on each level, one range of numbers, so
 * a unit with few leaves is read in one go; of larger units the pages of what lies in them tell the codes.
 */

import { readEntry } from '../../store/place-fields.js';
import { rangesBelow } from '../../store/place-tree.js';
import type { CountryStructures } from '../../store/snapshot.js';

/** Of more places below it a unit's codes are not listed. */
const MAX_PLACES_READ = 60;

/** The distinct postal codes below a place, sorted; undefined if there are too many places. */
export function listCodesWithin(structures: CountryStructures, place: number): string[] | undefined {
  const { tree } = structures;
  const codes = new Set<string>();
  let readCount = 0;
  for (const { start, end } of rangesBelow(tree, place)) {
    readCount += end - start;
    if (readCount > MAX_PLACES_READ) return undefined;
    for (let below = start; below < end; below++) {
      const { postalCode } = readEntry(structures, below);
      if (postalCode !== null) codes.add(postalCode);
    }
  }
  return [...codes].sort();
}
