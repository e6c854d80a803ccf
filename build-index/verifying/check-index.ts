/**
 * The checks that a country's indexes and the world's have in common: numbers within bounds, ascending lists, hash
 * tables, and the name index. They find what would lead a lookup outside of an array or past what it searches for. They
 * don't repeat the builder's rules: names, ranks and precomputed ranks can be others than the builder would write.
 */

import { prefixWord, SAMPLE_STEP, type SampledPrefixes } from '../../src/core/snapshot/binary-search.js';
import { probeSlots } from '../../src/core/snapshot/hash-table.js';
import {
  CITY_SAMPLE_STEP,
  hashRange,
  LEADING_LETTERS,
  listNames,
  type NameIndex,
  NO_RANK,
  rankAt,
} from '../../src/core/snapshot/name-index.js';
import { structureError } from '../../src/core/snapshot/snapshot-error.js';

/** Throws SnapshotError STRUCTURE_INVALID. Callers build the texts only for a failure: some checks run millions of times. */
export function fail(where: string, expected: string, found: unknown): never {
  throw structureError(where, expected, String(found));
}

export function checkBelow(where: string, values: ArrayLike<number>, limit: number): void {
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    if (!(value < limit)) fail(where, `numbers below ${limit}`, value);
  }
}

/** Each value is at least `step` above the value before: 0 for the starts of ranges, 1 for a list without repeats. */
export function checkAscending(where: string, values: ArrayLike<number>, step: 0 | 1): void {
  for (let at = 1; at < values.length; at++) {
    const [previous, value] = [values[at - 1] as number, values[at] as number];
    if (!(value >= previous + step)) fail(where, `a number from ${previous + step} on`, value);
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
    if (!isFound) fail(where, `entry ${entry} by its hash`, 'none');
  }
}

/** Checks a name index by itself; `placeCountAt` is the number of places of the country of a rank. */
export function checkNameIndex(index: NameIndex, placeCountAt: (rank: number) => number, where: string): void {
  checkAscending(`${where}.nameOffsets`, index.nameOffsets, 1);
  const names = listNames(index);
  const unsorted = names.findIndex((text, name) => name > 0 && !((names[name - 1] as string) < text));
  if (unsorted !== -1) fail(where, 'names ascending', names[unsorted]);
  checkRanks(index, placeCountAt, where);
  checkEntries(index, names, where);
  checkTops(index, where);
  checkCityNames(index, names, where);
  const prefixes = { name: index.namePrefixes, entry: index.entryPrefixes, city: index.cityPrefixes };
  checkPrefixes(`${where}.namePrefixes`, prefixes.name, SAMPLE_STEP, index.nameCount, (name) => names[name] as string);
  checkPrefixes(`${where}.entryPrefixes`, prefixes.entry, SAMPLE_STEP, index.entryCount, (entry) =>
    entryText(index, names, entry),
  );
  checkPrefixes(`${where}.cityPrefixes`, prefixes.city, CITY_SAMPLE_STEP, index.cityNames.length, (city) =>
    cityText(index, names, city),
  );
}

function entryText({ entryNames, entryOffsets }: NameIndex, names: readonly string[], entry: number): string {
  return (names[entryNames[entry] as number] as string).slice(entryOffsets[entry]);
}

function cityText({ cityNames }: NameIndex, names: readonly string[], city: number): string {
  return (names[cityNames[city] as number] as string).slice(LEADING_LETTERS);
}

/** Each rank has a place and each name has ranks, ascending; cities come first and same-name places last. */
function checkRanks(index: NameIndex, placeCountAt: (rank: number) => number, where: string): void {
  index.places.forEach((place, rank) => {
    if (!(place < placeCountAt(rank))) fail(`${where}.places`, `a place of rank ${rank}`, place);
  });
  const ends = [...index.cityEnds, ...index.firstSameName, index.rankCount];
  checkAscending(`${where}.cityEnds`, ends, 0);
  checkAscending(`${where}.cityPeople`, index.cityPeople.toReversed(), 0);
  checkAscending(`${where}.rankStarts`, index.rankStarts, 1);
  for (let name = 0; name < index.nameCount; name++) {
    const [start, end] = [index.rankStarts[name] as number, index.rankStarts[name + 1] as number];
    for (let at = start; at < end; at++) {
      // A rank of another name has the highest bit and so comes after the ranks of own names.
      const isNext = at === start || (index.ranks[at - 1] as number) < (index.ranks[at] as number);
      if (!(isNext && rankAt(index, at) < index.rankCount)) {
        fail(`${where}.ranks`, `ranks below ${index.rankCount}, ascending`, rankAt(index, at));
      }
    }
  }
}

/** The entries are words of names, ascending by their text, then by offset and name. */
function checkEntries(index: NameIndex, names: readonly string[], where: string): void {
  checkBelow(`${where}.entryNames`, index.entryNames, index.nameCount);
  let previous = { text: '', offset: -1, name: -1 };
  for (let entry = 0; entry < index.entryCount; entry++) {
    const [name, offset] = [index.entryNames[entry] as number, index.entryOffsets[entry] as number];
    const text = entryText(index, names, entry);
    const isWord = text !== '' && (offset === 0 || names[name]?.[offset - 1] === ' ');
    const isNext =
      previous.text < text ||
      (previous.text === text && (previous.offset < offset || (previous.offset === offset && previous.name < name)));
    if (!(isWord && isNext)) fail(where, `a word after "${previous.text}" as entry ${entry}`, text);
    previous = { text, offset, name };
  }
}

/** The precomputed ranks: ranges of entries that their table leads to, and ranks that exist. */
function checkTops({ topSlots, topRanges, topRanks, entryRanks, ...index }: NameIndex, where: string): void {
  const hashOf = (top: number): number => hashRange(topRanges[top * 2] as number, topRanges[top * 2 + 1] as number);
  checkTable(`${where}.topSlots`, topSlots, index.topCount, hashOf);
  checkBelow(`${where}.topRanges`, topRanges, index.entryCount + 1);
  for (const ranks of [topRanks, entryRanks]) {
    const wrong = ranks.find((rank) => rank >= index.rankCount && rank !== NO_RANK);
    if (wrong !== undefined) fail(where, `precomputed ranks below ${index.rankCount}`, wrong);
  }
}

/** The names of big cities ascend by their text after the leading letters, then by number; hashes of names ascend. */
function checkCityNames(index: NameIndex, names: readonly string[], where: string): void {
  checkBelow(`${where}.cityNames`, index.cityNames, index.nameCount);
  index.cityNames.forEach((name, city) => {
    if (city === 0) return;
    const [previous, text] = [cityText(index, names, city - 1), cityText(index, names, city)];
    const isNext = previous < text || (previous === text && (index.cityNames[city - 1] as number) < name);
    if (!isNext) fail(`${where}.cityNames`, `a text after "${previous}"`, text);
  });
  // A name of big cities in several countries is there once for each country.
  checkAscending(`${where}.bigCityNames`, index.bigCityNames, 0);
  checkAscending(`${where}.countryNames`, index.countryNames, 1);
}

/** Every sampled prefix is the start of its text. */
function checkPrefixes(
  where: string,
  prefixes: SampledPrefixes['prefixes'],
  step: number,
  count: number,
  textOf: (at: number) => string,
): void {
  for (let at = 0; at * step < count; at++) {
    const text = textOf(at * step);
    const byteAt = (position: number): number => (position < text.length ? text.charCodeAt(position) : 0);
    const isRight = [0, 1].every((half) => prefixes[at * 2 + half] === prefixWord(byteAt, half * 4));
    if (!isRight) fail(where, `the start of "${text}"`, 'another');
  }
}
