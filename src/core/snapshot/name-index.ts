/**
 * The prefix index of autocomplete, for one country or for the world. It maps the spellings of names (see spellings.ts)
 * to ranks of places: rank 0 is the place to suggest first. "The best places whose name, or a word in it, starts with
 * q" are the entries that start with q (two binary searches), and the lowest ranks among them. Of places with the same
 * name in one unit, one inside the other, or within five kilometres, one place represents the rest. The represented
 * places, called same-name places, come after all other places in the order of ranks.
 *
 *   nameOffsets   u32[k+1]  start of each distinct folded name in nameText; names ascend by bytes
 *   nameText      u8[]      a-z, 0-9 and single spaces
 *   rankStarts    u32[k+1]  start of each name's ranks
 *   ranks         u32[]     the ranks of the places with that name, ascending; then, with OTHER_NAME added, the ranks
 *                           of the places for which it is an alternative name: of a city, or an abbreviation
 *   entryNames    u32[e]    for each word of each name an entry: the name …
 *   entryOffsets  u8[e]     … and the start of the word in it. Entries ascend by the text from there to the name's end,
 *                           then by offset, so for equal text whole names come first
 *   places        u32[r]    the place of each rank
 *   cityEnds      u32[2]    the rank after the cities with BIG_CITY people or more, and the rank after all cities of
 *                           the gazetteer, without same-name places: cities have the lowest ranks, the most important
 *                           first
 *   cityPeople    u32[]     the people of each of these cities, by rank, descending; weighted as in importance.ts of the
 *                           builder
 *   bigCityNames  u32[a]    hashes (hashText) of the folded names of the gazetteer's big cities in all countries, with
 *                           and without data, ascending; empty in the index of one country
 *   bigCityCountries u16[a] the number in the manifest of the country of each of these names. A name of big cities in
 *                           several countries is there once for each country, the country of the largest city first:
 *                           a city counts for less by another name (hashed-names.ts of the builder). So the arrays are
 *                           the same for every choice of countries
 *   countryNames  u32[b]    hashes of the folded names of all countries, with and without data, ascending:
 *                           English, own-language and common names; empty in the index of one country
 *   namedCountries u16[b]   the number of the country of each of these names, the most populous of the name
 *   cityNames     u32[c]    the names with more than LEADING_LETTERS letters of cities with BIG_CITY people or more, by
 *                           their text after these letters, then by number
 *   firstSameName u32[1]    the first rank of a same-name place; r if there is none
 *   countries     u16[r]    the number of each place's country in the manifest; empty in the index of one country
 *   topSlots      u32[]     hash table of the ranges of more than TOP_RANGE entries (hash: hashNameEntries)
 *   topRanges     u32[2t]   first entry and end of each such range
 *   topRanks      u32[2t·TOP_COUNT]  for each such range the TOP_COUNT lowest ranks of names that start with q, then
 *                           of names with q inside; padded with NO_RANK
 *   entryRanks    u32[e]    the rank of the entry's name if it has exactly one rank, of a place with that name as its
 *                           own; otherwise NO_RANK. A scan of a range so reads mostly this array
 *   namePrefixes  u32[]     the sampled prefixes (binary-search.ts) of the names,
 *   entryPrefixes u32[]     of the texts of the entries,
 *   cityPrefixes  u32[2c]   and of the texts of cityNames after their first LEADING_LETTERS letters, every one sampled
 */

import {
  arrayRangeAt,
  type Bundle,
  bufferOfArray,
  checkBundledLength,
  checkBundledOffsets,
  decodeBundle,
  type Range,
} from './array-bundle.js';
import { lowerBound } from './binary-search.js';
import { checkSlotCount, probeSlots } from './hash-table.js';
import {
  endBySampledPrefix,
  lowerBoundBySample,
  PREFIX_BYTES,
  prefixArrayLength,
  SAMPLE_STEP,
} from './sampled-prefixes.js';

export const NAME_INDEX_SCHEMA = {
  nameOffsets: 'u32',
  nameText: 'u8',
  rankStarts: 'u32',
  ranks: 'u32',
  entryNames: 'u32',
  entryOffsets: 'u8',
  places: 'u32',
  cityEnds: 'u32',
  cityPeople: 'u32',
  bigCityNames: 'u32',
  bigCityCountries: 'u16',
  countryNames: 'u32',
  namedCountries: 'u16',
  cityNames: 'u32',
  firstSameName: 'u32',
  countries: 'u16',
  topSlots: 'u32',
  topRanges: 'u32',
  topRanks: 'u32',
  entryRanks: 'u32',
  namePrefixes: 'u32',
  entryPrefixes: 'u32',
  cityPrefixes: 'u32',
} as const;

/**
 * Minimum population of a big city, in people. From here on the start of a city's name is worth more than the whole
 * name of a place that is not a city.
 */
export const BIG_CITY = 100_000;
/** Number of times the people of a city that another city must have to come before it by another match than its own name. */
export const FAR_BIGGER = 10;
/** Length in letters of the start of a name in which mistyped-names.ts corrects a mistake; it searches by the rest. */
export const LEADING_LETTERS = 3;
/** The step of the sampled prefixes of cityNames, in names: every name, since they are few and searched often. */
export const CITY_SAMPLE_STEP = 1;
/** Maximum length in entries of a range that a query scans; the best ranks of longer ranges are precomputed. */
export const TOP_RANGE = 256;
/** The number of precomputed ranks of a range: the most suggestions that the API returns. */
export const TOP_COUNT = 25;
/** Stands for an absent rank. */
export const NO_RANK = 0xffffffff;
/** The highest bit of an element of `ranks`: the name is an alternative name of the place. */
export const OTHER_NAME = 0x8000_0000;

/** Maximum offset in bytes of a word with an entry of its own in a folded name: the largest value of a u8. */
export const MAX_ENTRY_OFFSET = 0xff;

export type NameIndex = Bundle<typeof NAME_INDEX_SCHEMA> & {
  readonly nameCount: number;
  readonly entryCount: number;
  readonly rankCount: number;
  readonly topCount: number;
};

/** The hash of a range of entries. */
export function hashNameEntries(start: number, end: number): number {
  const hash = Math.imul(start ^ Math.imul(end, 0x9e3779b1), 0x85ebca6b);
  return (hash ^ (hash >>> 15)) >>> 0;
}

export function decodeNameIndex(bytes: Uint8Array, where: string, scope: 'country' | 'world'): NameIndex {
  const index = decodeBundle(NAME_INDEX_SCHEMA, bytes, where);
  const nameCount = index.nameOffsets.length - 1;
  const entryCount = index.entryNames.length;
  const rankCount = index.places.length;
  const topCount = index.topRanges.length >>> 1;
  checkBundledLength(`${where}.rankStarts`, index.rankStarts, nameCount + 1);
  checkBundledLength(`${where}.entryOffsets`, index.entryOffsets, entryCount);
  checkBundledOffsets(`${where}.nameOffsets`, index.nameOffsets, index.nameText.length);
  checkBundledOffsets(`${where}.rankStarts`, index.rankStarts, index.ranks.length);
  checkBundledLength(`${where}.cityEnds`, index.cityEnds, 2);
  checkBundledLength(`${where}.cityPeople`, index.cityPeople, index.cityEnds[1] as number);
  checkBundledLength(`${where}.bigCityCountries`, index.bigCityCountries, index.bigCityNames.length);
  checkBundledLength(`${where}.namedCountries`, index.namedCountries, index.countryNames.length);
  checkBundledLength(`${where}.firstSameName`, index.firstSameName, 1);
  checkBundledLength(`${where}.countries`, index.countries, scope === 'world' ? rankCount : 0);
  checkBundledLength(`${where}.topRanges`, index.topRanges, topCount * 2);
  checkSlotCount(index.topSlots, topCount, `${where}.topSlots`);
  checkBundledLength(`${where}.topRanks`, index.topRanks, topCount * 2 * TOP_COUNT);
  checkBundledLength(`${where}.entryRanks`, index.entryRanks, entryCount);
  checkBundledLength(`${where}.namePrefixes`, index.namePrefixes, prefixArrayLength(nameCount, SAMPLE_STEP));
  checkBundledLength(`${where}.entryPrefixes`, index.entryPrefixes, prefixArrayLength(entryCount, SAMPLE_STEP));
  checkBundledLength(
    `${where}.cityPrefixes`,
    index.cityPrefixes,
    prefixArrayLength(index.cityNames.length, CITY_SAMPLE_STEP),
  );
  return { ...index, nameCount, entryCount, rankCount, topCount };
}

/** The rank at position `at` of `ranks`. */
export function nameRankAt({ ranks }: Pick<NameIndex, 'ranks'>, at: number): number {
  return (ranks[at] as number) & ~OTHER_NAME;
}

/** Whether position `at` of `ranks` belongs to a place for which the name is an alternative name. */
export function isOtherNameAt({ ranks }: Pick<NameIndex, 'ranks'>, at: number): boolean {
  return (ranks[at] as number) >= OTHER_NAME;
}

/** The folded names of an index, ascending. */
export function listNames({ nameText, nameOffsets, nameCount }: NameIndex): string[] {
  const text = bufferOfArray(nameText).toString('latin1');
  return Array.from({ length: nameCount }, (_, name) => text.slice(nameOffsets[name], nameOffsets[name + 1]));
}

/** Puts `rank` into an ascending list without repeats that keeps the TOP_COUNT lowest. */
export function insertNameRank(list: number[], rank: number): void {
  if (list.length === TOP_COUNT && rank >= (list[TOP_COUNT - 1] as number)) return;
  let position = list.length;
  while (position > 0 && (list[position - 1] as number) > rank) position--;
  if (list[position - 1] === rank) return;
  // `splice` would make an array of what it removes.
  list.push(rank);
  for (let at = list.length - 1; at > position; at--) list[at] = list[at - 1] as number;
  list[position] = rank;
  if (list.length > TOP_COUNT) list.pop();
}

/** Inserts the lowest TOP_COUNT of some ascending ranks; a list keeps no more than these. */
export function insertFirstNameRanks(list: number[], ranks: ArrayLike<number>): void {
  for (let at = 0; at < ranks.length && at < TOP_COUNT; at++) insertNameRank(list, ranks[at] as number);
}

/** The lowest ranks of a range of entries. `inner` also holds the ranks of alternative names. */
export interface BestRanks {
  /** Of names that an entry is the start of. */
  readonly starting: number[];
  /** Of names that an entry is inside of. */
  readonly inner: number[];
}

/** The array `topRanks` from the best ranks of every long range, in the order of the ranges. */
export function encodeTopRanks(bests: readonly BestRanks[]): Uint32Array {
  const topRanks = new Uint32Array(bests.length * 2 * TOP_COUNT).fill(NO_RANK);
  bests.forEach(({ starting, inner }, top) => {
    topRanks.set(starting, top * 2 * TOP_COUNT);
    topRanks.set(inner, (top * 2 + 1) * TOP_COUNT);
  });
  return topRanks;
}

/** The precomputed best ranks of long range number `top`. */
function topRanksAt({ topRanks }: Pick<NameIndex, 'topRanks'>, top: number): BestRanks {
  return { starting: listRanks(topRanks, top * 2 * TOP_COUNT), inner: listRanks(topRanks, (top * 2 + 1) * TOP_COUNT) };
}

function listRanks(topRanks: Uint32Array, start: number): number[] {
  const list: number[] = [];
  for (let at = start; at < start + TOP_COUNT && topRanks[at] !== NO_RANK; at++) list.push(topRanks[at] as number);
  return list;
}

/** The arrays that a scan of entries reads. The builder has these before it computes topRanks. */
type RankedEntries = Pick<NameIndex, 'entryNames' | 'entryOffsets' | 'entryRanks' | 'rankStarts' | 'ranks'>;

/** The best ranks of the entries from `start` up to but not including `end`, by a scan. */
export function scanNameEntries(index: RankedEntries, start: number, end: number): BestRanks {
  const best: BestRanks = { starting: [], inner: [] };
  for (let entry = start; entry < end; entry++) {
    const list = index.entryOffsets[entry] === 0 ? best.starting : best.inner;
    const only = index.entryRanks[entry] as number;
    if (only !== NO_RANK) {
      insertNameRank(list, only);
      continue;
    }
    const name = index.entryNames[entry] as number;
    const from = index.rankStarts[name] as number;
    const to = index.rankStarts[name + 1] as number;
    const ownEnd = Math.min(to, from + TOP_COUNT);
    for (let at = from; at < ownEnd && !isOtherNameAt(index, at); at++) insertNameRank(list, nameRankAt(index, at));
    for (let at = to - 1; at >= from && isOtherNameAt(index, at); at--)
      insertNameRank(best.inner, nameRankAt(index, at));
  }
  return best;
}

/*
 * Lookups by binary search. Texts are folded, and given as bytes. Results are ranges of entries, and ranks: computed for
 * a short range, precomputed for a long one. Only results are allocated.
 */

const SPACE = 0x20;
/** Maximum number of words of a name that hasNameWords distinguishes: the bits of its mask. */
const MAX_NAME_WORDS = 31;
const NO_RANKS = new Uint32Array(0);

/** All entries. */
export function everyNameEntry(index: NameIndex): Range {
  return { start: 0, end: index.entryCount };
}

/** The entries that start with `text`. */
export function findNameEntries(index: NameIndex, text: Uint8Array): Range {
  const { entryCount } = index;
  const sampled = { prefixes: index.entryPrefixes, step: SAMPLE_STEP, count: entryCount };
  const isBefore = (entry: number): boolean => compareEntry(index, entry, text, 0) < 0;
  const start = lowerBoundBySample(sampled, text, isBefore);
  const begins = (entry: number): boolean => compareEntry(index, entry, text, 0) === 0;
  const end =
    text.length <= PREFIX_BYTES
      ? endBySampledPrefix(sampled, text, start, begins)
      : endOfNameStart(index, text, { start, end: entryCount });
  return { start, end };
}

/**
 * The entries of `within` with `text` at position `depth`. All entries of `within` must share their first `depth`
 * bytes.
 */
export function findNameEntriesWithin(index: NameIndex, text: Uint8Array, within: Range, depth: number): Range {
  const start = lowerBound(within.start, within.end, (entry) => compareEntry(index, entry, text, depth) < 0);
  return { start, end: endOfNameStart(index, text, { start, end: within.end }, depth) };
}

/**
 * The end of the entries at the start of `within` that have `text` at position `depth`. Entries of `within` before the
 * first of these are not allowed.
 */
export function endOfNameStart(index: NameIndex, text: Uint8Array, within: Range, depth: number = 0): number {
  const { start, end } = within;
  // Usually few entries match. An exponential search from the start halves the number of comparisons.
  let step = 8;
  while (start + step < end && compareEntry(index, start + step, text, depth) === 0) step *= 8;
  return lowerBound(start, Math.min(end, start + step), (entry) => compareEntry(index, entry, text, depth) <= 0);
}

/** Compares an entry's text from position `depth` on with `text`; 0 if it starts with `text`. */
function compareEntry(index: NameIndex, entry: number, text: Uint8Array, depth: number): number {
  const name = index.entryNames[entry] as number;
  const start = (index.nameOffsets[name] as number) + (index.entryOffsets[entry] as number) + depth;
  const length = (index.nameOffsets[name + 1] as number) - start;
  for (let at = 0; at < text.length; at++) {
    if (at >= length) return -1;
    const difference = (index.nameText[start + at] as number) - (text[at] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The byte of an entry's text at position `depth`; 0 after its end. */
export function entryByte(index: NameIndex, entry: number, depth: number): number {
  const name = index.entryNames[entry] as number;
  const at = (index.nameOffsets[name] as number) + (index.entryOffsets[entry] as number) + depth;
  return at < (index.nameOffsets[name + 1] as number) ? (index.nameText[at] as number) : 0;
}

/**
 * The end of the entries at the start of `within` with `byte` at position `depth`, given that they share the bytes
 * before.
 */
export function endOfByte(index: NameIndex, within: Range, depth: number, byte: number): number {
  return lowerBound(within.start, within.end, (entry) => entryByte(index, entry, depth) === byte);
}

/** The name that equals `text`, given the entries that start with `text`: its entry is the first of them. */
export function nameOf(index: NameIndex, { start, end }: Range, text: Uint8Array): number | undefined {
  if (start === end || index.entryOffsets[start] !== 0) return undefined;
  const name = index.entryNames[start] as number;
  const length = (index.nameOffsets[name + 1] as number) - (index.nameOffsets[name] as number);
  return length === text.length ? name : undefined;
}

/** The name that equals `text`, by a search among the names. */
export function findName(index: NameIndex, text: Uint8Array): number | undefined {
  const { nameCount } = index;
  const sampled = { prefixes: index.namePrefixes, step: SAMPLE_STEP, count: nameCount };
  const name = lowerBoundBySample(sampled, text, (at) => compareName(index, at, text) < 0);
  return name < nameCount && compareName(index, name, text) === 0 ? name : undefined;
}

/** Compares a name, from its byte number `from` on, with `text`; 0 if they are equal. */
export function compareName({ nameOffsets, nameText }: NameIndex, name: number, text: Uint8Array, from = 0): number {
  const start = (nameOffsets[name] as number) + from;
  const length = (nameOffsets[name + 1] as number) - start;
  const shared = Math.min(length, text.length);
  for (let at = 0; at < shared; at++) {
    const difference = (nameText[start + at] as number) - (text[at] as number);
    if (difference !== 0) return difference;
  }
  return length - text.length;
}

/** The ranks of the places with a name, ascending, be it their own name or an alternative name. */
export function ranksOfName(index: NameIndex, name: number): Uint32Array {
  const { start, end } = arrayRangeAt(index.rankStarts, name, index.ranks.length);
  const found = index.ranks.subarray(start, end);
  // The ranks of cities with the name as an alternative name come last, if there are any.
  return start < end && isOtherNameAt(index, end - 1) ? found.map((rank) => rank & ~OTHER_NAME).sort() : found;
}

/**
 * The ranks of the places with the name as their own, and of the cities with the name as an alternative, each
 * ascending.
 */
export function splitRanksOfName(index: NameIndex, name: number): { own: Uint32Array; other: Uint32Array } {
  const { start, end } = arrayRangeAt(index.rankStarts, name, index.ranks.length);
  // Few names are alternative names.
  const firstOther =
    start < end && isOtherNameAt(index, end - 1) ? lowerBound(start, end, (at) => !isOtherNameAt(index, at)) : end;
  return {
    own: index.ranks.subarray(start, firstOther),
    other: firstOther === end ? NO_RANKS : index.ranks.subarray(firstOther, end).map((rank) => rank & ~OTHER_NAME),
  };
}

/** The TOP_COUNT lowest ranks of a range of entries. */
export function bestNameRanks(index: NameIndex, range: Range): BestRanks {
  if (range.end - range.start <= TOP_RANGE) return scanNameEntries(index, range.start, range.end);
  let found: number | undefined;
  probeSlots(index.topSlots, hashNameEntries(range.start, range.end), (top) => {
    if (index.topRanges[top * 2] === range.start && index.topRanges[top * 2 + 1] === range.end) found = top;
    return found !== undefined;
  });
  if (found === undefined) return { starting: [], inner: [] };
  return topRanksAt(index, found);
}

/**
 * Whether each of `words` is the start of a different word of the name. `words` must be sorted by length, the longest
 * first: if two of them start the same word of the name, the shorter starts the longer, so the longer can take any free
 * word.
 */
export function hasNameWords(index: NameIndex, name: number, words: readonly Uint8Array[]): boolean {
  const { nameText } = index;
  const start = index.nameOffsets[name] as number;
  // In a damaged file the name could end outside of the text.
  const end = Math.min(index.nameOffsets[name + 1] as number, nameText.length);
  let taken = 0;
  for (const word of words) {
    let position = 0;
    let isFound = false;
    for (let at = start; at < end && !isFound && position < MAX_NAME_WORDS; position++) {
      if (!((taken >> position) & 1) && end - at >= word.length) {
        let length = 0;
        while (length < word.length && nameText[at + length] === word[length]) length++;
        isFound = length === word.length;
        if (isFound) taken |= 1 << position;
      }
      while (at < end && nameText[at] !== SPACE) at++;
      at++;
    }
    if (!isFound) return false;
  }
  return true;
}

/** The number of entries in a range. */
export function nameEntryCount({ start, end }: Range): number {
  return end - start;
}
