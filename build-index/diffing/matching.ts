/**
 * Which place of the new snapshot is which place of the old one: first by id; then, among places whose id is in one
 * snapshot only, where a place plainly has a new name (see pairLeaf and pairUnits). Time is linear in the number of
 * places, and comparing the new snapshot with the old one gives the same pairs.
 */

import { idAt } from '../../src/format/place-id.js';
import { LEVEL_COUNT } from '../../src/format/place-levels.js';
import { levelOf, NO_PARENT, type PlaceTree } from '../../src/format/place-tree.js';
import { findById } from '../../src/store/id-index.js';
import { codePlaces } from '../../src/store/postcode-index.js';
import type { ComparedCountry } from './compared-country.js';

/** Stands for no place, and SEVERAL for more than one: both are beyond every place number. */
export const NONE = 0xffffffff;
const SEVERAL = 0xfffffffe;

/** The number of a place, or of a postal code, in the old snapshot and in the new one. */
export type Pair = readonly [before: number, after: number];

/** Numbers of matched places, both ways; NONE where there is no match. */
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

export function matchById(before: ComparedCountry, after: ComparedCountry): Matches {
  const matches = new Matches(before.tree, after.tree);
  const { ids, placeCount } = before.tree;
  for (let place = 0; place < placeCount; place++) {
    const found = findById(after.ids, after.tree, idAt(ids, place));
    if (found !== undefined) matches.add([place, found]);
  }
  return matches;
}

/** The leaf of a postal code that both snapshots have, where the code has lost just one leaf and gained just one. */
export function pairLeaf(
  before: ComparedCountry,
  after: ComparedCountry,
  [oldCode, newCode]: Pair,
  matches: Matches,
): Pair | undefined {
  const lost = codePlaces(before.postcodes, oldCode).filter((place) => matches.newOf[place] === NONE);
  if (lost.length !== 1) return undefined;
  const gained = codePlaces(after.postcodes, newCode).filter((place) => matches.oldOf[place] === NONE);
  return gained.length === 1 ? [lost[0] as number, gained[0] as number] : undefined;
}

/**
 * Pairs of an old and a new admin unit of one level: all matched children of the old unit are children of the new unit,
 * and all matched children of the new unit were children of the old unit. Adds the pairs to `matches`, since a pair
 * found in one round is a pair of matched children for the units above it in the next round.
 */
export function pairUnits(before: PlaceTree, after: PlaceTree, matches: Matches): Pair[] {
  const pairs: Pair[] = [];
  for (let round = 1; round < LEVEL_COUNT; round++) {
    const found = findUnitPairs(before, after, matches);
    if (found.length === 0) break;
    for (const pair of found) {
      matches.add(pair);
      pairs.push(pair);
    }
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
