/**
 * Lists the places of one country that the prefix index can suggest, with their spellings and their importance.
 */
import { addAbbreviated, mayBeAbbreviated } from '../../src/format/abbreviations.js';
import { foldText, type Spellings as NameSpellings, spellName } from '../../src/format/fold-text.js';
import { comparePlaceIds } from '../../src/format/place-id.js';
import { isLeafType } from '../../src/format/place-levels.js';
import { NO_PARENT } from '../../src/format/place-tree.js';
import { appendTo } from '../grouping.js';
import type { CountryTree } from '../tree/country-tree.js';
import { compareCodePoints } from '../tree/name-order.js';
import type { CityPlaces } from './importance.js';
import type { OtherNames } from './other-names.js';
import { findSameNameLeaves } from './same-name-leaves.js';
import type { Suggestable } from './suggestable.js';

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

/** The spellings of the names of a country. */
interface Spellings {
  /** Distinct spellings, ascending. */
  readonly names: readonly string[];
  /**
   * The numbers of the spellings that count as the name itself, the folded form first; none for a name without letters
   * and digits.
   */
  numbersOf(name: string): readonly number[];
  /** The numbers of the spellings with abbreviations. */
  abbreviatedOf(name: string): readonly number[];
}

export function spellNames(
  tree: CountryTree,
  otherNames: OtherNames,
  cities: CityPlaces,
  isSuggestable: Suggestable,
): Spellings {
  const textsByName = new Map<string, NameSpellings>();
  const add = (name: string): void => {
    if (!textsByName.has(name)) textsByName.set(name, spellName(name));
  };
  for (let place = 0; place < tree.placeCount; place++) {
    if (!isSuggestable(place)) continue;
    const [name, localName] = [tree.names[place] as string, tree.localNames[place] as string];
    add(name);
    if (localName !== name) add(localName);
  }
  for (const names of otherNames.values()) names.forEach(add);
  for (const { mainNames, otherNames } of cities.byPlace.values()) {
    for (const name of [...mainNames, ...otherNames]) {
      if (!textsByName.has(name)) textsByName.set(name, spellCityName(name));
    }
  }
  const names = [
    ...new Set([...textsByName.values()].flatMap(({ own, abbreviated }) => [...own, ...abbreviated])),
  ].sort();
  const numbers = new Map(names.map((name, number) => [name, number]));
  const numberAll = (texts: readonly string[]): readonly number[] => texts.map((text) => numbers.get(text) as number);
  const ownByName = new Map<string, readonly number[]>();
  const abbreviatedByName = new Map<string, readonly number[]>();
  for (const [name, { own, abbreviated }] of textsByName) {
    ownByName.set(name, numberAll(own));
    if (abbreviated.length > 0) abbreviatedByName.set(name, numberAll(abbreviated));
  }
  return {
    names,
    numbersOf: (name) => ownByName.get(name) as readonly number[],
    abbreviatedOf: (name) => abbreviatedByName.get(name) ?? [],
  };
}

/** The spellings of a city's name in the gazetteer: its folded form and its abbreviations. Most cities have many names. */
function spellCityName(name: string): NameSpellings {
  const folded = foldText(name);
  const own = folded === '' ? [] : [folded];
  if (!mayBeAbbreviated(folded)) return { own, abbreviated: [] };
  const spellings = new Set(own);
  addAbbreviated(spellings);
  return { own, abbreviated: [...spellings].slice(1) };
}

interface SuggestedTree {
  readonly tree: CountryTree;
  readonly otherNames: OtherNames;
  readonly cities: CityPlaces;
  readonly isSuggestable: Suggestable;
  readonly leavesByCode: Uint32Array;
}

/**
 * The places that can be suggested: every admin unit, and one leaf for each name under a parent. That leaf has the
 * lowest code, and the spellings of all leaves of the name find it. A place without letters and digits in any spelling
 * can't be suggested. In `leavesByCode` the leaves of one postal code are adjacent.
 */
export function findCandidates(
  { tree, otherNames, cities, isSuggestable, leavesByCode }: SuggestedTree,
  spellings: Spellings,
): Candidate[] {
  const unitImportances = countPostcodes(tree, leavesByCode);
  const isLeaf = (place: number): boolean => isLeafType(tree.types[place]);
  const sameNameLeaves = findSameNameLeaves({ ...tree, isLeaf });
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
      appendTo(groups, sameNameLeaves[place] as number, place);
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
