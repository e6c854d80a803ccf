/** Checks which places are represented by a place of the same name (same-name-places.ts decides it). */
import type { NameIndex } from '../../src/format/name-index.js';
import { NO_PARENT, type PlaceTree } from '../../src/format/place-tree.js';
import { groupBy } from '../grouping.js';
import { NearbyPlaces } from '../structures/nearby-places.js';
import { createNamesKey } from '../structures/same-name-leaves.js';
import type { PlaceFields } from './check-answers.js';
import { fail } from './fail.js';

/** Returns pairs of a represented place and the place that represents it; `nameOf`: the number of a place's name. */
export function checkSameNames(
  index: NameIndex,
  tree: PlaceTree,
  fields: PlaceFields,
  nameOf: (place: number) => number,
  where: string,
): (readonly [number, number])[] {
  const inLine = checkInLine(index, tree, nameOf, where);
  return [...inLine, ...checkNearby(index, fields, inLine, where)];
}

/**
 * Checks that of places of the same name above, below or beside each other only the place of the lowest rank is not
 * represented by another. (The main place of a city represents its other places too, but no answer shows these.)
 * Returns the representing place by represented place.
 */
function checkInLine(
  { places, firstSameName, nameCount }: NameIndex,
  { parents, placeCount }: PlaceTree,
  nameOf: (place: number) => number,
  where: string,
): Map<number, number> {
  /** By place, the number of its name; undefined if the place is not in the index. */
  const suggestedNames = new Array<number | undefined>(placeCount);
  for (const place of places) suggestedNames[place] = nameOf(place);
  const [first = 0] = firstSameName;
  const groupOf = (place: number): number => {
    const name = suggestedNames[place] as number;
    let parentOfHighest = parents[place] as number;
    for (let unit = parentOfHighest; unit !== NO_PARENT; unit = parents[unit] as number) {
      if (suggestedNames[unit] === name) parentOfHighest = parents[unit] as number;
    }
    return parentOfHighest * nameCount + name;
  };
  const firstRanks = new Map<number, number>();
  const representatives = new Map<number, number>();
  places.forEach((place, rank) => {
    const group = groupOf(place);
    const firstRank = firstRanks.get(group);
    if (firstRank === undefined) {
      firstRanks.set(group, rank);
      return;
    }
    representatives.set(place, places[firstRank] as number);
    if (rank < first) fail(where, `represented places from rank ${first} on`, `place ${place} of rank ${rank}`);
  });
  if (first > firstRanks.size) fail(where, `represented places from rank ${firstRanks.size} on`, first);
  return representatives;
}

/**
 * Checks that no two places with the same names within SAME_NAME_KM have ranks before the represented places. Returns
 * the nearest representing place by represented place, for places that `inLine`, the result of checkInLine, lacks.
 */
function checkNearby(
  { places, firstSameName }: NameIndex,
  fields: PlaceFields,
  inLine: ReadonlyMap<number, number>,
  where: string,
): Map<number, number> {
  const keyOf = createNamesKey(fields);
  const [end = 0] = firstSameName;
  const represented = groupBy(
    places.subarray(end).filter((place) => !inLine.has(place)),
    keyOf,
  );
  const representatives = new Map<number, number>();
  for (const [key, shown] of groupBy(places.subarray(0, end), keyOf)) {
    const ofKey = represented.get(key) ?? [];
    // Most names have one place, which needs no search.
    if (shown.length + ofKey.length === 1) continue;
    const nearby = new NearbyPlaces(fields);
    for (const place of shown) {
      const other = nearby.nearest(place);
      if (other !== undefined) fail(where, `place ${other} to represent place ${place} nearby`, 'both');
      nearby.add(place);
    }
    for (const place of ofKey) {
      const first = nearby.nearest(place);
      if (first !== undefined) representatives.set(place, first);
    }
  }
  return representatives;
}
