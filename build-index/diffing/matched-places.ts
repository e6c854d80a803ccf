/**
 * Matches the places of two snapshots: by id, then, among places whose id is in one snapshot only, the obviously
 * renamed ones (see matchLeafPlaces and matchUnitPlaces). Takes linear time; swapping the snapshots gives the same pairs.
 */

import { idAt } from '../../src/core/snapshot/place-id.js';
import { findById } from '../../src/core/snapshot/place-id-index.js';
import { LEVEL_COUNT, levelOf, NO_PARENT, type PlaceTree } from '../../src/core/snapshot/place-tree.js';
import type { ComparedCountry } from './compared-country.js';

/** No place: greater than every place number. */
export const NONE = 0xffffffff;
/** More than one place: greater than every place number. */
const SEVERAL = 0xfffffffe;

/** The number of a place, or of a postal code, in the old snapshot and in the new one. */
export type Pair = readonly [before: number, after: number];

/** The number of the matching place, for both snapshots; NONE without a match. */
export class Matches {
  readonly newOf: Uint32Array;
  readonly oldOf: Uint32Array;

  constructor(before: PlaceTree, after: PlaceTree) {
    this.newOf = new Uint32Array(before.placeCount).fill(NONE);
    this.oldOf = new Uint32Array(after.placeCount).fill(NONE);
  }

  add([before, after]: Pair): void {
    this.newOf[before] = after;
    this.oldOf[after] = before;
  }
}

export function matchPlacesById(
  before: Pick<ComparedCountry, 'tree'>,
  after: Pick<ComparedCountry, 'tree' | 'ids'>,
): Matches {
  const matches = new Matches(before.tree, after.tree);
  const { ids, placeCount } = before.tree;
  for (let place = 0; place < placeCount; place++) {
    const found = findById(after.ids, after.tree, idAt(ids, place));
    if (found !== undefined) matches.add([place, found]);
  }
  return matches;
}

/**
 * Pairs of an old and a new leaf of one postal code, where the code has lost exactly one leaf and gained exactly one:
 * `lost` and `gained` have the code of each leaf without a match. Adds the pairs to `matches`.
 */
export function matchLeafPlaces(
  lost: Iterable<readonly [code: string, place: number]>,
  gained: Iterable<readonly [code: string, place: number]>,
  matches: Matches,
): Pair[] {
  const gainedByCode = onlyPlaces(gained);
  const pairs = [...onlyPlaces(lost)].flatMap(([code, before]): Pair[] => {
    const after = gainedByCode.get(code) ?? SEVERAL;
    return before === SEVERAL || after === SEVERAL ? [] : [[before, after]];
  });
  for (const pair of pairs) matches.add(pair);
  return pairs;
}

/** The place of each code; SEVERAL if a code has more than one. */
function onlyPlaces(places: Iterable<readonly [code: string, place: number]>): Map<string, number> {
  const byCode = new Map<string, number>();
  for (const [code, place] of places) byCode.set(code, byCode.has(code) ? SEVERAL : place);
  return byCode;
}

/**
 * Pairs of an old and a new admin unit of the same level, whose matched children are each other's: the matched children
 * of either unit are children of the other. Adds the pairs to `matches`, so that the next round can match their
 * parents.
 */
export function matchUnitPlaces(before: PlaceTree, after: PlaceTree, matches: Matches): Pair[] {
  const pairs: Pair[] = [];
  for (let round = 1; round < LEVEL_COUNT; round++) {
    const found = findUnitPairs(before, after, matches);
    for (const pair of found) matches.add(pair);
    pairs.push(...found);
  }
  return pairs;
}

function findUnitPairs(before: PlaceTree, after: PlaceTree, { newOf, oldOf }: Matches): Pair[] {
  const heirs = new Uint32Array(before.placeCount).fill(NONE);
  const origins = new Uint32Array(after.placeCount).fill(NONE);
  for (let place = 0; place < before.placeCount; place++) {
    if (newOf[place] === NONE) continue;
    const oldParent = before.parents[place] as number;
    const newParent = after.parents[newOf[place] as number] as number;
    if (oldParent === NO_PARENT || newParent === NO_PARENT) continue;
    note(heirs, oldParent, newParent);
    note(origins, newParent, oldParent);
  }
  const pairs: Pair[] = [];
  for (let unit = 0; unit < before.placeCount; unit++) {
    const heir = heirs[unit] as number;
    if (newOf[unit] !== NONE || heir >= after.placeCount || oldOf[heir] !== NONE || origins[heir] !== unit) continue;
    if (levelOf(before, unit) === levelOf(after, heir)) pairs.push([unit, heir]);
  }
  return pairs;
}

function note(list: Uint32Array, place: number, other: number): void {
  list[place] = list[place] === NONE || list[place] === other ? other : SEVERAL;
}
