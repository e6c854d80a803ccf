/**
 * Decides which of the places of one name in a country stands for the others in suggestions. The represented places keep
 * ranks of their own, the last ones, so that a search with their context finds them. A place is represented if it
 *
 *   - has the folded name of a place above, below or beside it
 *   - lies within SAME_NAME_KM of a place with the same names (foldNameKeepingAccents)
 *   - is another place of a city
 */

import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { appendToGroup } from '../ordering/grouping.js';
import type { CountryTree } from '../tree/country-tree.js';
import type { CityPlaces } from './city-places.js';
import { cityImportance } from './importance.js';
import { NearbyPlaces } from './nearby-places.js';
import type { Candidate } from './suggestion-candidates.js';
import { compareSuggestionOrder, type RankKeys } from './suggestion-order.js';

const NO_NAME = 0xffff_ffff;

/**
 * Marks the represented places in `keys`. Returns the candidates: a place has the spellings of the places that it
 * represents too (the region "Kyiv" those of the city "Київ"). The postal codes of nearby places count together, which
 * changes `keys`. `keyOf` is that of createNamesKey.
 */
export function markRepresented(
  tree: CountryTree,
  candidates: readonly Candidate[],
  keys: RankKeys,
  cities: CityPlaces,
  nameCount: number,
  keyOf: (place: number) => string,
): Candidate[] {
  const found = [...candidates];
  const represent = (first: number, index: number): void => {
    keys.sameNames[index] = 1;
    const { spellings } = found[index] as Candidate;
    const { spellings: known, ...rest } = found[first] as Candidate;
    if (spellings.some((spelling) => !known.includes(spelling))) {
      found[first] = { ...rest, spellings: [...new Set([...known, ...spellings])] };
    }
  };
  const firsts = findFirstInLine(tree, candidates, keys, nameCount);
  firsts.forEach((first, index) => {
    if (cities.others.has((candidates[index] as Candidate).place)) keys.sameNames[index] = 1;
    if (first !== index) represent(first, index);
  });
  const near = findFirstNearby(
    tree,
    candidates,
    keys,
    [...firsts.keys()].filter((index) => firsts[index] === index),
    keyOf,
  );
  for (const [index, first] of near) represent(first, index);
  countTogether(tree, candidates, keys, near);
  return found;
}

/**
 * By candidate, the candidate of the lowest rank among those of its folded name above, below or beside it: often the
 * candidate itself.
 */
function findFirstInLine(
  tree: CountryTree,
  candidates: readonly Candidate[],
  keys: RankKeys,
  nameCount: number,
): number[] {
  /** By place, the number of its name; NO_NAME for a place that is not a candidate. */
  const nameOf = new Uint32Array(tree.placeCount).fill(NO_NAME);
  candidates.forEach(({ place }, index) => {
    nameOf[place] = keys.nameNumbers[index] as number;
  });
  /** The candidate of the lowest rank, by name and the parent of the highest place of that name. */
  const firstOf = new Map<number, number>();
  const groups = candidates.map(({ place }, index) => {
    const name = nameOf[place] as number;
    let parentOfHighest = tree.parents[place] as number;
    for (let unit = parentOfHighest; unit !== NO_PARENT; unit = tree.parents[unit] as number) {
      if (nameOf[unit] === name) parentOfHighest = tree.parents[unit] as number;
    }
    const group = parentOfHighest * nameCount + name;
    const first = firstOf.get(group);
    if (first === undefined || compareSuggestionOrder(keys, index, first) < 0) firstOf.set(group, index);
    return group;
  });
  return groups.map((group) => firstOf.get(group) as number);
}

/**
 * By candidate that a nearby candidate with the same names represents, that candidate: the nearest one. `firsts` are the
 * candidates that no place in line with them represents.
 */
function findFirstNearby(
  tree: CountryTree,
  candidates: readonly Candidate[],
  keys: RankKeys,
  firsts: readonly number[],
  keyOf: (place: number) => string,
): ReadonlyMap<number, number> {
  const indexByPlace = new Map<number, number>();
  const byNames = new Map<string, number[]>();
  for (const index of firsts) {
    const { place } = candidates[index] as Candidate;
    indexByPlace.set(place, index);
    appendToGroup(byNames, keyOf(place), index);
  }
  const near = new Map<number, number>();
  for (const indexes of byNames.values()) {
    if (indexes.length === 1) continue;
    indexes.sort((a, b) => compareSuggestionOrder(keys, a, b));
    const shown = new NearbyPlaces(tree);
    const placeOf = (index: number): number => (candidates[index] as Candidate).place;
    const represented = indexes.filter((index) => {
      if (shown.nearest(placeOf(index)) !== undefined) return true;
      if (keys.sameNames[index] === 0) shown.add(placeOf(index));
      return false;
    });
    // A place that was added later may be nearer.
    for (const index of represented) {
      near.set(index, indexByPlace.get(shown.nearest(placeOf(index)) as number) as number);
    }
  }
  return near;
}

/** Gives each place that represents nearby places, and is no city, the number of their postal codes and its own. */
function countTogether(
  tree: CountryTree,
  candidates: readonly Candidate[],
  keys: RankKeys,
  near: ReadonlyMap<number, number>,
): void {
  const codesByFirst = new Map<number, Set<string>>();
  for (const [index, first] of near) {
    if ((keys.importances[first] as number) >= cityImportance(0)) continue;
    const codes = codesByFirst.get(first) ?? codesOf(tree, candidates[first] as Candidate, new Set());
    codesByFirst.set(first, codesOf(tree, candidates[index] as Candidate, codes));
  }
  for (const [first, codes] of codesByFirst) keys.importances[first] = codes.size;
}

/** Adds the postal codes of a candidate's leaves, or below a unit, to `codes`. */
function codesOf({ childStarts, postalCodes }: CountryTree, { place, leaves }: Candidate, codes: Set<string>) {
  const add = (leaf: number): void => {
    const code = postalCodes[leaf] as string | null;
    if (code !== null) codes.add(code);
  };
  if (leaves !== undefined) {
    leaves.forEach(add);
    return codes;
  }
  // Numbers are breadth first, so the children of a range of places are a range too.
  for (let [start, end] = [place, place + 1]; start < end; ) {
    for (let at = start; at < end; at++) add(at);
    [start, end] = [childStarts[start] as number, childStarts[end] as number];
  }
  return codes;
}
