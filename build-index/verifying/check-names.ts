/** Checks the prefix indexes: names, entries, ranks, precomputed best ranks, and that every place can be found. */

import { isFolded, spellName } from '../../src/core/snapshot/fold-text.js';
import { hashText } from '../../src/core/snapshot/hash-table.js';
import { isOtherAt, listNames, type NameIndex, rankAt } from '../../src/core/snapshot/name-index.js';
import { NO_PARENT, type PlaceTree } from '../../src/core/snapshot/place-tree.js';
import type { CountryStructures } from '../../src/core/snapshot/snapshot.js';
import { groupBy, memoize } from '../reading/grouping.js';
import {
  findEntryRanks,
  findSampledPrefixes,
  findTopRanks,
  sortCityNames,
  wordStarts,
} from '../structures/build-name-index.js';
import { createNamesKey, findSameNameLeaves, findSuggestable } from '../structures/name-candidates.js';
import { NearbyPlaces } from '../structures/same-names.js';
import { fail, type PlaceFields } from './check-answers.js';

/* Checks which places are represented by a place of the same name (same-name-places.ts decides it). */

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

/** The parts that are derived from names, entries and ranks, each after the parts that it is derived from. */
const DERIVED = [
  ...(['entryRanks', 'topSlots', 'topRanges', 'topRanks'] as const),
  ...(['cityNames', 'namePrefixes', 'entryPrefixes', 'cityPrefixes'] as const),
];

/** The number of a spelling that the index lacks. */
const NO_NAME = -1;

export function checkCountryNames({ names: index, tree }: CountryStructures, fields: PlaceFields, code: string): void {
  const where = `name-index of ${code}`;
  const texts = checkNameIndex(index, where);
  const { names, localNames, postalCodes } = fields;
  const numbers = new Map(texts.map((text, name) => [text, name]));
  const numberAll = (spellings: readonly string[]): readonly number[] =>
    spellings.map((text) => numbers.get(text) ?? NO_NAME);
  const spell = memoize((name) => numberAll(spellName(name).own));
  const abbreviate = memoize((name) => numberAll(spellName(name).abbreviated));
  const namesOf = (place: number, spellOne: (name: string) => readonly number[]): readonly number[] => {
    const [name, localName] = [names[place] as string, localNames[place] as string];
    return name === localName ? spellOne(name) : join(spellOne(name), spellOne(localName));
  };
  const spellingsOf = (place: number): readonly number[] => namesOf(place, spell);

  // Leaves of the same name under one parent are a group with the spellings of all of them; each unit is a group.
  const groups = findSameNameLeaves({
    ...fields,
    parents: tree.parents,
    isLeaf: (place) => postalCodes[place] !== null,
  });
  const isSuggestable = findSuggestable({ ...fields, isRecipient: (place) => fields.types[place] === 'recipient' });
  /** The spellings by group: none for places without letters and digits, which can't be found. */
  const expected = new Array<readonly number[]>(tree.placeCount).fill([]);
  /** The spellings with abbreviations, which are other names, by group. */
  const abbreviated = [...expected];
  for (let place = 0; place < tree.placeCount; place++) {
    const group = groups[place] as number;
    if (!isSuggestable(place)) continue;
    expected[group] = join(expected[group] as readonly number[], spellingsOf(place));
    abbreviated[group] = join(abbreviated[group] as readonly number[], namesOf(place, abbreviate));
  }
  const expectedOf = (place: number): readonly number[] => expected[groups[place] as number] ?? [];
  const isFound = new Uint8Array(tree.placeCount);
  for (const place of index.places) {
    const group = groups[place];
    const isExpected = group !== undefined && isFound[group] === 0 && expectedOf(place).length > 0;
    if (!isExpected) fail(where, 'each place once, and one leaf of each name', place);
    isFound[group] = 1;
  }
  const missing = expected.findIndex((spellings, group) => spellings.length > 0 && isFound[group] === 0);
  if (missing !== -1) fail(where, 'every place to be found', missing);
  // A place has the spellings of the places of the same name that it represents.
  const nameOf = (place: number): number => spellingsOf(place)[0] ?? NO_NAME;
  for (const [represented, first] of checkSameNames(index, tree, fields, nameOf, where)) {
    expected[groups[first] as number] = join(expectedOf(first), expectedOf(represented));
  }
  const pairCount = index.places.reduce((sum, place) => sum + expectedOf(place).length, 0);
  const isAbbreviated = (place: number, name: number): boolean =>
    abbreviated[groups[place] as number]?.includes(name) === true && !expectedOf(place).includes(name);
  const abbreviatedCount = abbreviated.reduce(
    (sum, ofGroup, group) => sum + ofGroup.filter((name) => isAbbreviated(group, name)).length,
    0,
  );
  const [[, cityEnd = 0], [firstSameName = 0]] = [index.cityEnds, index.firstSameName];
  /** Whether the place of a rank is a city, with names of its own. Another place of the same name may represent it. */
  const mayHaveMore = (rank: number): boolean => rank < cityEnd || rank >= firstSameName;
  let [ownPairCount, abbreviatedPairCount] = [0, 0];
  eachPair(index, (name, rank, isOther) => {
    const place = index.places[rank] as number;
    const isOwn = expectedOf(place).includes(name);
    if (isOwn && isOther) fail(where, `${texts[name]} to be a name of place ${place} itself`, 'another name');
    if (isOwn) ownPairCount++;
    else if (isAbbreviated(place, name) && (isOther || mayHaveMore(rank))) abbreviatedPairCount++;
    // No answer has the other names of cities or the names of merged units, so they can't be checked.
    else if (!mayHaveMore(rank) && !(isOther && postalCodes[place] === null))
      fail(where, `a name of place ${place}`, texts[name]);
  });
  if (ownPairCount !== pairCount) fail(where, `${pairCount} pairs of a place and its own name`, ownPairCount);
  if (abbreviatedPairCount !== abbreviatedCount)
    fail(where, `${abbreviatedCount} pairs of a place and its abbreviated name`, abbreviatedPairCount);
}

/** The distinct numbers of two lists without repeats. */
function join(one: readonly number[], other: readonly number[]): readonly number[] {
  if (one.length === 0 || one === other) return other;
  return other.every((number) => one.includes(number)) ? one : [...new Set([...one, ...other])];
}

/** `countries` are the prefix indexes of the countries, by country number. */
export function checkWorldNames(index: NameIndex, countries: ReadonlyMap<number, NameIndex>): void {
  const where = 'world-name-index';
  const texts = checkNameIndex(index, where);
  // The pairs of name and place must be those of all countries: sums of hashes compare them in any order.
  let expectedSum = 0;
  let expectedCount = 0;
  for (const [country, names] of countries) {
    const hashes = hashNames(listNames(names));
    expectedCount += names.ranks.length;
    eachPair(names, (name, rank, isOther) => {
      const hash = pairHash(hashes[name] as number, isOther, country, names.places[rank] as number);
      expectedSum = (expectedSum + hash) % 2 ** 52;
    });
  }
  const hashes = hashNames(texts);
  let sum = 0;
  eachPair(index, (name, rank, isOther) => {
    const [country, place] = [index.countries[rank] as number, index.places[rank] as number];
    sum = (sum + pairHash(hashes[name] as number, isOther, country, place)) % 2 ** 52;
  });
  if (index.ranks.length !== expectedCount) fail(where, `${expectedCount} names of places`, index.ranks.length);
  checkWorldSameNames(index, countries, where);
  checkWorldCities(index, countries, where);
  if (sum !== expectedSum) fail(where, 'the names of the countries', 'others');
}

/** Checks that the represented places of the world are those of all countries, by sums of hashes. */
function checkWorldSameNames(world: NameIndex, countries: ReadonlyMap<number, NameIndex>, where: string): void {
  const sumUp = (index: NameIndex, countryAt: (rank: number) => number): number => {
    let sum = 0;
    for (let rank = index.firstSameName[0] as number; rank < index.rankCount; rank++) {
      sum = (sum + pairHash(0, false, countryAt(rank), index.places[rank] as number)) % 2 ** 52;
    }
    return sum;
  };
  let [expectedCount, expectedSum] = [0, 0];
  for (const [country, index] of countries) {
    expectedCount += index.rankCount - (index.firstSameName[0] as number);
    expectedSum = (expectedSum + sumUp(index, () => country)) % 2 ** 52;
  }
  const [first] = world.firstSameName;
  if (world.rankCount - (first as number) !== expectedCount) fail(where, `${expectedCount} represented places`, first);
  if (sumUp(world, (rank) => world.countries[rank] as number) !== expectedSum)
    fail(where, 'the represented places of the countries', 'others');
}

/** Checks that the world has the cities, and the big cities, of all countries. */
function checkWorldCities(world: NameIndex, countries: ReadonlyMap<number, NameIndex>, where: string): void {
  world.cityEnds.forEach((end, which) => {
    const expected = [...countries.values()].reduce((sum, { cityEnds }) => sum + (cityEnds[which] as number), 0);
    if (end !== expected) fail(where, `${expected} as end ${which} of the cities`, end);
  });
  const sum = ({ cityPeople }: NameIndex): number => cityPeople.reduce((total, people) => total + people, 0);
  const expected = [...countries.values()].reduce((total, index) => total + sum(index), 0);
  if (sum(world) !== expected) fail(where, `${expected} people in cities`, sum(world));
}

/** Checks one prefix index by itself. Returns the names of the index. */
function checkNameIndex(index: NameIndex, where: string): string[] {
  const texts = listNames(index);
  let entryCount = 0;
  texts.forEach((text, name) => {
    if (!(name === 0 || (texts[name - 1] as string) < text)) fail(where, 'names ascending', text);
    if (!isFolded(text)) fail(where, 'names in folded form', text);
    entryCount += wordStarts(text).length;
  });
  const [bigEnd = 0, cityEnd = 0] = index.cityEnds;
  const firstSameName = index.firstSameName[0] as number;
  const isAscending = bigEnd <= cityEnd && cityEnd <= firstSameName;
  if (!isAscending) fail(where, `cities before rank ${firstSameName}`, `ends at ${bigEnd} and ${cityEnd}`);
  const { cityPeople } = index;
  // A name of big cities in several countries is there once for each.
  for (const [which, step] of [
    ['bigCityNames', 0],
    ['countryNames', 1],
  ] as const) {
    const isSorted = index[which].every((hash, at) => at === 0 || hash >= (index[which][at - 1] as number) + step);
    if (!isSorted) fail(where, `hashes of ${which} ascending`, 'another order');
  }
  const isDescending = cityPeople.every((people, rank) => rank === 0 || people <= (cityPeople[rank - 1] as number));
  if (!isDescending) fail(where, 'the cities with the most people first', 'another order');
  if (index.entryCount !== entryCount) fail(where, `${entryCount} entries`, index.entryCount);
  let previous = { text: '', offset: -1, name: -1 };
  for (let entry = 0; entry < entryCount; entry++) {
    const name = index.entryNames[entry] as number;
    const offset = index.entryOffsets[entry] as number;
    const whole = texts[name] ?? '';
    if (!(offset < whole.length && (offset === 0 || whole[offset - 1] === ' ')))
      fail(where, 'a word', `${whole} at ${offset}`);
    const text = offset === 0 ? whole : whole.slice(offset);
    const ascends =
      previous.text < text ||
      (previous.text === text && (previous.offset < offset || (previous.offset === offset && previous.name < name)));
    if (!ascends) fail(where, 'entries ascending', text);
    previous = { text, offset, name };
  }
  texts.forEach((text, name) => {
    const [from, to] = [index.rankStarts[name] as number, index.rankStarts[name + 1] as number];
    if (!(from < to && to <= index.ranks.length)) fail(where, `places of the name ${text}`, `${from} to ${to}`);
    for (let at = from; at < to; at++) {
      const inOrder =
        rankAt(index, at) < index.rankCount &&
        (at === from || (index.ranks[at - 1] as number) < (index.ranks[at] as number));
      if (!inOrder) fail(where, `ranks of ${text} ascending`, rankAt(index, at));
    }
  });
  const named = { ...index, names: texts };
  const derived = {
    entryRanks: findEntryRanks(index),
    ...findTopRanks(named),
    cityNames: sortCityNames(named),
    ...findSampledPrefixes(named),
  };
  for (const name of DERIVED) {
    const isSame = Buffer.compare(asBytes(derived[name]), asBytes(index[name])) === 0;
    if (!isSame) fail(where, `the ${name} derived from the ranks`, 'others');
  }
  return texts;
}

function asBytes({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function eachPair(index: NameIndex, visit: (name: number, rank: number, isOther: boolean) => void): void {
  for (let name = 0; name < index.nameCount; name++) {
    const to = index.rankStarts[name + 1] as number;
    for (let at = index.rankStarts[name] as number; at < to; at++) visit(name, rankAt(index, at), isOtherAt(index, at));
  }
}

function hashNames(texts: readonly string[]): Uint32Array {
  return Uint32Array.from(texts, hashText);
}

/** A 32-bit hash, mixed like the blocks and the result of MurmurHash3. */
function pairHash(nameHash: number, isOther: boolean, country: number, place: number): number {
  let hash = mixBlock(mixBlock(mixBlock(nameHash, isOther ? 1 : 0), country), place);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mixBlock(hash: number, block: number): number {
  const mixed = Math.imul(block, 0xcc9e2d51);
  const both = hash ^ Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
  return Math.imul((both << 13) | (both >>> 19), 5) + 0xe6546b64;
}
