/**
 * Checks the name index of a country or of the world. Finds what leads a look-up out of an array, or past what it
 * searches for; not another name or rank than the builder would write.
 */

import {
  CITY_SAMPLE_STEP,
  hashNameEntries,
  LEADING_LETTERS,
  listNames,
  type NameIndex,
  NO_RANK,
  nameRankAt,
} from '../../src/core/snapshot/name-index.js';
import { prefixWord, SAMPLE_STEP } from '../../src/core/snapshot/sampled-prefixes.js';
import { checkAscending, checkBelow, checkTable, failArrayCheck } from './array-checks.js';

/** Checks a name index by itself; `placeCountAt` is the number of places of the country of a rank. */
export function checkNameIndex(index: NameIndex, placeCountAt: (rank: number) => number, where: string): void {
  checkAscending(`${where}.nameOffsets`, index.nameOffsets, 1);
  const names = listNames(index);
  const unsorted = names.findIndex((text, name) => name > 0 && !((names[name - 1] as string) < text));
  if (unsorted !== -1) failArrayCheck(where, 'names ascending', names[unsorted]);
  checkRanks(index, placeCountAt, where);
  checkBelow(`${where}.entryNames`, index.entryNames, index.nameCount);
  checkBelow(`${where}.cityNames`, index.cityNames, index.nameCount);
  const nameOf = (name: number | undefined): string => names[name as number] as string;
  const entryText = (entry: number): string => nameOf(index.entryNames[entry]).slice(index.entryOffsets[entry]);
  const cityText = (city: number): string => nameOf(index.cityNames[city]).slice(LEADING_LETTERS);
  checkEntries(index, nameOf, entryText, where);
  checkTops(index, where);
  checkCityNames(index, cityText, where);
  checkPrefixes(`${where}.namePrefixes`, index.namePrefixes, SAMPLE_STEP, index.nameCount, nameOf);
  checkPrefixes(`${where}.entryPrefixes`, index.entryPrefixes, SAMPLE_STEP, index.entryCount, entryText);
  checkPrefixes(`${where}.cityPrefixes`, index.cityPrefixes, CITY_SAMPLE_STEP, index.cityNames.length, cityText);
}

/** Each rank has a place and each name has ranks, ascending; cities come first and same-name places last. */
function checkRanks(index: NameIndex, placeCountAt: (rank: number) => number, where: string): void {
  index.places.forEach((place, rank) => {
    if (!(place < placeCountAt(rank))) failArrayCheck(`${where}.places`, `a place of rank ${rank}`, place);
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
      if (!(isNext && nameRankAt(index, at) < index.rankCount)) {
        failArrayCheck(`${where}.ranks`, `ranks below ${index.rankCount}, ascending`, nameRankAt(index, at));
      }
    }
  }
}

/** The entries are words of names, ascending by their text, then by offset and name. */
function checkEntries(
  index: NameIndex,
  nameOf: (name: number) => string,
  textOf: (entry: number) => string,
  where: string,
): void {
  let previous = { text: '', offset: -1, name: -1 };
  for (let entry = 0; entry < index.entryCount; entry++) {
    const [name, offset] = [index.entryNames[entry] as number, index.entryOffsets[entry] as number];
    const text = textOf(entry);
    const isWord = text !== '' && (offset === 0 || nameOf(name)[offset - 1] === ' ');
    const isNext =
      previous.text < text ||
      (previous.text === text && (previous.offset < offset || (previous.offset === offset && previous.name < name)));
    if (!(isWord && isNext)) failArrayCheck(where, `a word after "${previous.text}" as entry ${entry}`, text);
    previous = { text, offset, name };
  }
}

/** The precomputed ranks: ranges of entries that their table leads to, and ranks that exist. */
function checkTops({ topSlots, topRanges, topRanks, entryRanks, ...index }: NameIndex, where: string): void {
  const hashOf = (top: number): number =>
    hashNameEntries(topRanges[top * 2] as number, topRanges[top * 2 + 1] as number);
  checkTable(`${where}.topSlots`, topSlots, index.topCount, hashOf);
  checkBelow(`${where}.topRanges`, topRanges, index.entryCount + 1);
  for (const ranks of [topRanks, entryRanks]) {
    const wrong = ranks.find((rank) => rank >= index.rankCount && rank !== NO_RANK);
    if (wrong !== undefined) failArrayCheck(where, `precomputed ranks below ${index.rankCount}`, wrong);
  }
}

/** The names of big cities ascend by their text after the leading letters, then by number; hashes of names ascend. */
function checkCityNames(index: NameIndex, textOf: (city: number) => string, where: string): void {
  for (let city = 1; city < index.cityNames.length; city++) {
    const [previous, text] = [textOf(city - 1), textOf(city)];
    const [before, name] = [index.cityNames[city - 1] as number, index.cityNames[city] as number];
    if (!(previous < text || (previous === text && before < name))) {
      failArrayCheck(`${where}.cityNames`, `a text after "${previous}"`, text);
    }
  }
  // A name of big cities in several countries is there once for each country.
  checkAscending(`${where}.bigCityNames`, index.bigCityNames, 0);
  checkAscending(`${where}.countryNames`, index.countryNames, 1);
}

/** Every sampled prefix is the start of its text. */
function checkPrefixes(
  where: string,
  prefixes: Uint32Array,
  step: number,
  count: number,
  textOf: (at: number) => string,
): void {
  for (let at = 0; at * step < count; at++) {
    const text = textOf(at * step);
    const byteAt = (position: number): number => (position < text.length ? text.charCodeAt(position) : 0);
    const isRight = [0, 1].every((half) => prefixes[at * 2 + half] === prefixWord(byteAt, half * 4));
    if (!isRight) failArrayCheck(where, `the start of "${text}"`, 'another');
  }
}
