/**
 * Lists the places of one country that the prefix index can suggest, with their spellings and their importance.
 */

import { comparePlaceIds } from '../../src/core/snapshot/place-id.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { isLeafType } from '../../src/core/snapshot/place-type.js';
import { appendToGroup } from '../ordering/grouping.js';
import { compareCodePoints } from '../ordering/name-order.js';
import type { CountryTree } from '../tree/country-tree.js';
import type { CityPlaces } from './city-places.js';
import type { OtherNames } from './other-names-of-units.js';
import { findSameNameLeaves } from './same-name-leaves.js';
import type { Spellings } from './spellings.js';
import type { Suggestable } from './suggestable-places.js';

/** A place that can be suggested. */
export interface Candidate {
  readonly place: number;
  readonly importance: number;
  /** The numbers of the spellings that find the place; the first is the folded name that decides the order. */
  readonly spellings: readonly number[];
  /** The numbers of the spellings of the place's other names. */
  readonly otherSpellings: readonly number[];
  /** The leaves of the same name that a leaf represents. */
  readonly leaves?: readonly number[];
}

interface SuggestedTree {
  readonly tree: CountryTree;
  readonly otherNames: OtherNames;
  readonly cities: CityPlaces;
  readonly isSuggestable: Suggestable;
  readonly leavesByCode: Uint32Array;
  /** That of createNamesKey. */
  readonly keyOf: (place: number) => string;
}

/**
 * The places that can be suggested: every admin unit, and one leaf for each name under a parent. That leaf has the
 * lowest code, and the spellings of all leaves of the name find it. A place without letters and digits in any spelling
 * can't be suggested. In `leavesByCode` the leaves of one postal code are adjacent.
 */
export function findSuggestionCandidates(
  { tree, otherNames, cities, isSuggestable, leavesByCode, keyOf }: SuggestedTree,
  spellings: Spellings,
): Candidate[] {
  const unitImportances = countPostcodes(tree, leavesByCode);
  const isLeaf = (place: number): boolean => isLeafType(tree.types[place]);
  const sameNameLeaves = findSameNameLeaves({ ...tree, isLeaf }, keyOf);
  const candidates: Candidate[] = [];
  /** The leaves of the same name by the first of them. */
  const groups = new Map<number, number[]>();
  const spellingsOf = (place: number): readonly number[] => {
    const [name, localName] = [tree.names[place] as string, tree.localNames[place] as string];
    const own = spellings.numbersOf(name);
    return name === localName ? own : distinct([...own, ...spellings.numbersOf(localName)]);
  };
  const abbreviatedOf = (place: number): readonly number[] => {
    const [name, localName] = [tree.names[place] as string, tree.localNames[place] as string];
    const abbreviated = spellings.abbreviatedOf(name);
    return name === localName ? abbreviated : distinct([...abbreviated, ...spellings.abbreviatedOf(localName)]);
  };
  for (let place = 0; place < tree.placeCount; place++) {
    if (!isSuggestable(place)) continue;
    const numbers = spellingsOf(place);
    if (numbers.length === 0) continue;
    if (isLeaf(place)) {
      appendToGroup(groups, sameNameLeaves[place] as number, place);
    } else
      candidates.push({
        place,
        importance: unitImportances[place] as number,
        spellings: numbers,
        otherSpellings: distinct([
          ...abbreviatedOf(place),
          ...(otherNames.get(place) ?? []).flatMap((name) => listAll(spellings, name)),
        ]),
      });
  }
  for (const leaves of groups.values()) candidates.push(leafCandidate(tree, leaves, spellingsOf, abbreviatedOf));
  return candidates.map((candidate) => addCity(candidate, spellings, cities));
}

/** The numbers of all spellings of a name. */
function listAll(spellings: Spellings, name: string): readonly number[] {
  return [...spellings.numbersOf(name), ...spellings.abbreviatedOf(name)];
}

function distinct(numbers: readonly number[]): readonly number[] {
  return numbers.length < 2 ? numbers : [...new Set(numbers)];
}

/** The candidate for leaves of the same name: the leaf with the lowest code, then the lowest id. */
function leafCandidate(
  tree: CountryTree,
  leaves: readonly number[],
  spellingsOf: (place: number) => readonly number[],
  abbreviatedOf: (place: number) => readonly number[],
): Candidate {
  const [first] = leaves as [number];
  const otherSpellings = distinct(leaves.flatMap(abbreviatedOf));
  const own = { place: first, importance: 1, spellings: spellingsOf(first), otherSpellings, leaves };
  if (leaves.length === 1) return own;
  const codeOf = (place: number): string => tree.postalCodes[place] as string;
  return {
    ...own,
    place: leaves.reduce((lowest, place) => {
      const order = compareCodePoints(codeOf(place), codeOf(lowest)) || comparePlaceIds(tree.ids, place, lowest);
      return order < 0 ? place : lowest;
    }),
    importance: new Set(leaves.map(codeOf)).size,
    spellings: distinct(leaves.flatMap(spellingsOf)),
  };
}

/**
 * Gives a candidate that is a city the importance and the names of the city. Leaves of the same name may be several
 * cities: the most important city represents them.
 */
function addCity(candidate: Candidate, spellings: Spellings, cities: CityPlaces): Candidate {
  const { place: own, leaves = [own] } = candidate;
  if (!leaves.some((leaf) => cities.byPlace.has(leaf))) return candidate;
  const found = [own, ...leaves.filter((leaf) => leaf !== own)]
    .flatMap((place) => {
      const city = cities.byPlace.get(place);
      return city === undefined ? [] : [{ place, ...city }];
    })
    .sort((a, b) => b.importance - a.importance);
  const [main] = found;
  if (main === undefined) return candidate;
  const numbersOf = (names: readonly string[]) => names.flatMap((name) => spellings.numbersOf(name));
  return {
    ...candidate,
    place: main.place,
    importance: main.importance,
    spellings: [...new Set([...candidate.spellings, ...found.flatMap(({ mainNames }) => numbersOf(mainNames))])],
    otherSpellings: [
      ...new Set([
        ...candidate.otherSpellings,
        ...found.flatMap(({ mainNames }) => mainNames.flatMap((name) => spellings.abbreviatedOf(name))),
        ...found.flatMap(({ otherNames }) => otherNames.flatMap((name) => listAll(spellings, name))),
      ]),
    ],
  };
}

/** By place, the number of distinct postal codes below it; 0 for leaves. */
function countPostcodes(tree: CountryTree, leavesByCode: Uint32Array): Uint32Array {
  const counts = new Uint32Array(tree.placeCount);
  /** By place, the number of the code counted last; codes are numbered from 1. */
  const lastCounted = new Uint32Array(tree.placeCount);
  let codeNumber = 0;
  let lastCode: string | null = null;
  for (const leaf of leavesByCode) {
    const code = tree.postalCodes[leaf] as string;
    if (code !== lastCode) codeNumber++;
    lastCode = code;
    for (let at = tree.parents[leaf] as number; at !== NO_PARENT; at = tree.parents[at] as number) {
      // If a unit has counted this code, its ancestors have counted the code too.
      if (lastCounted[at] === codeNumber) break;
      lastCounted[at] = codeNumber;
      counts[at] = (counts[at] as number) + 1;
    }
  }
  return counts;
}
