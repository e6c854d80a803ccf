/**
 * Lists the places of one country that the prefix index can suggest, with their spellings and their importance.
 */

import { foldText, sameNameKey } from '../../src/core/snapshot/fold-text.js';
import { comparePlaceIds } from '../../src/core/snapshot/place-id.js';
import { LEVEL_COUNT, NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { isLeafType, RECIPIENT_TYPE } from '../../src/core/snapshot/place-type.js';
import {
  addAbbreviated,
  mayBeAbbreviated,
  type Spellings as NameSpellings,
  spellName,
} from '../../src/core/snapshot/spellings.js';
import { hasCedex } from '../cleaning/recipients.js';
import { type EnglishSubdivision, englishSubdivisionsOf } from '../reading/country-facts.js';
import { appendTo, memoize } from '../reading/grouping.js';
import type { CountryTree } from '../tree/country-tree.js';
import { compareCodePoints } from '../tree/name-order.js';
import { sortByKeys, sortTexts } from '../tree/sort-keys.js';
import type { CityPlaces } from './importance.js';
import { listRegions, type NamedTree, type Region, usesCodes } from './subdivision-codes.js';

/*
 * The other names of units: those of merged units, a released name that was replaced, and the English name of a
 * first-level unit (Toscana: Tuscany). A unit has the English name of a subdivision of ISO 3166-2 if
 *
 *   by name   one of its names is a name of that subdivision, and of no other; or
 *   by code   it has no such name and has the subdivision's code, in a country whose release uses the codes of ISO
 *             (usesCodes)
 */

export type OtherNames = ReadonlyMap<number, readonly string[]>;

/** The other names by unit; none of them is folded like the unit's name. */
export function listOtherNames(tree: NamedTree): OtherNames {
  const otherNames = new Map<number, readonly string[]>(tree.mergedNames);
  const regions = listRegions(tree);
  for (const [{ place, names }, { english }] of matchSubdivisions(regions, englishSubdivisionsOf(tree.countryCode))) {
    if (!names.includes(foldText(english))) otherNames.set(place, [...(otherNames.get(place) ?? []), english]);
  }
  return otherNames;
}

function matchSubdivisions(
  regions: readonly Region[],
  subdivisions: readonly EnglishSubdivision[],
): Map<Region, EnglishSubdivision> {
  const matches = new Map<Region, EnglishSubdivision>();
  if (subdivisions.length === 0) return matches;
  const byName = new Map<string, EnglishSubdivision[]>();
  for (const subdivision of subdivisions) {
    for (const name of new Set(subdivision.names.map(foldText))) appendTo(byName, name, subdivision);
  }
  for (const region of regions) {
    const found = new Set(region.names.flatMap((name) => byName.get(name) ?? []));
    const [first] = found;
    if (found.size === 1) matches.set(region, first as EnglishSubdivision);
  }
  const byCode = new Map(subdivisions.map((subdivision) => [subdivision.code, subdivision]));
  if (!usesCodes(regions, matches, byCode)) return matches;
  for (const region of regions) {
    const found = new Set(region.codes.flatMap((code) => byCode.get(code) ?? []));
    const [first] = found;
    if (!matches.has(region) && found.size === 1) matches.set(region, first as EnglishSubdivision);
  }
  return matches;
}

/*
 * Finds leaves under one parent with the same name: one of them is suggested for all. Two leaves have the same name if
 * sameNameKey gives equal texts for both their names and their local names.
 */

interface NamedPlaces {
  readonly names: readonly string[];
  readonly localNames: readonly string[];
}

interface ListedPlaces extends NamedPlaces {
  /** By place; the children of one parent follow each other. */
  readonly parents: Uint32Array;
  isLeaf(place: number): boolean;
}

/** By place, the first sibling of the same name; for a unit, the unit itself. */
export function findSameNameLeaves(
  { parents, isLeaf, ...named }: ListedPlaces,
  keyOf = createNamesKey(named),
): Uint32Array {
  const firsts = Uint32Array.from(parents, (_, place) => place);
  let siblings = new Map<string, number>();
  for (let place = 0; place < parents.length; place++) {
    if (parents[place] !== parents[place - 1]) siblings = new Map();
    if (!isLeaf(place)) continue;
    const key = keyOf(place);
    const first = siblings.get(key);
    if (first === undefined) siblings.set(key, place);
    else firsts[place] = first;
  }
  return firsts;
}

/** The text that two places have in common if both their names and their local names are the same. */
export function createNamesKey({ names, localNames }: NamedPlaces): (place: number) => string {
  const keyOf = memoize(sameNameKey);
  return (place) => {
    const [name, localName] = [names[place] as string, localNames[place] as string];
    const key = keyOf(name);
    const localKey = localName === name ? key : keyOf(localName);
    return localKey === key ? key : `${key}\t${localKey}`;
  };
}

/* Decides which places may be suggested: all except recipients, which nobody means by a place's name. */

export type Suggestable = (place: number) => boolean;

/** A recipient may be suggested if it has a place's name that only recipients have: Paris La Défense. */
export function findSuggestable({ names, postalCodes, types }: CountryTree): Suggestable {
  const isRecipient = (place: number): boolean => types[place] === RECIPIENT_TYPE;
  const isOfPlace = (place: number): boolean => hasCedex(postalCodes[place] as string);
  const wanted = new Set<string>();
  names.forEach((name, place) => {
    if (isRecipient(place) && isOfPlace(place)) wanted.add(sameNameKey(name));
  });
  if (wanted.size > 0) {
    names.forEach((name, place) => {
      if (!isRecipient(place)) wanted.delete(sameNameKey(name));
    });
  }
  return (place) => !isRecipient(place) || (isOfPlace(place) && wanted.has(sameNameKey(names[place] as string)));
}

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
  /** Each spelling with its number in the order of their discovery, by which names have them until all are sorted. */
  const discovered = new Map<string, number>();
  const numberAll = (texts: readonly string[]): number[] =>
    texts.map((text) => {
      const known = discovered.get(text);
      if (known !== undefined) return known;
      discovered.set(text, discovered.size);
      return discovered.size - 1;
    });
  const ownByName = new Map<string, number[]>();
  const abbreviatedByName = new Map<string, number[]>();
  const add = (name: string, spell = spellName): void => {
    if (ownByName.has(name)) return;
    const { own, abbreviated } = spell(name);
    ownByName.set(name, numberAll(own));
    if (abbreviated.length > 0) abbreviatedByName.set(name, numberAll(abbreviated));
  };
  for (let place = 0; place < tree.placeCount; place++) {
    if (!isSuggestable(place)) continue;
    const [name, localName] = [tree.names[place] as string, tree.localNames[place] as string];
    add(name);
    if (localName !== name) add(localName);
  }
  for (const names of otherNames.values()) for (const name of names) add(name);
  for (const { mainNames, otherNames } of cities.byPlace.values()) {
    for (const name of [...mainNames, ...otherNames]) add(name, spellCityName);
  }
  const texts = [...discovered.keys()];
  const order = sortTexts(texts);
  const numbers = new Uint32Array(order.length);
  order.forEach((position, number) => {
    numbers[position] = number;
  });
  for (const lists of [ownByName, abbreviatedByName]) {
    for (const list of lists.values()) {
      for (let at = 0; at < list.length; at++) list[at] = numbers[list[at] as number] as number;
    }
  }
  return {
    names: Array.from(order, (position) => texts[position] as string),
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
  /** That of createNamesKey. */
  readonly keyOf: (place: number) => string;
}

/**
 * The places that can be suggested: every admin unit, and one leaf for each name under a parent. That leaf has the
 * lowest code, and the spellings of all leaves of the name find it. A place without letters and digits in any spelling
 * can't be suggested. In `leavesByCode` the leaves of one postal code are adjacent.
 */
export function findCandidates(
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

/* The order of suggestions, as keys of the places. */

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

/** The indexes of places in the order of suggestions, that of compareRankKeys. */
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
export function compareRankKeys(keys: RankKeys, a: number, b: number): number {
  return (
    (keys.sameNames[a] as number) - (keys.sameNames[b] as number) ||
    (keys.importances[b] as number) - (keys.importances[a] as number) ||
    (keys.levels[a] as number) - (keys.levels[b] as number) ||
    (keys.nameNumbers[a] as number) - (keys.nameNumbers[b] as number) ||
    comparePlaceIds(keys.ids, a, b)
  );
}
