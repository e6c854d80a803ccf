/**
 * Encodes a prefix index, of a country or of the world (src/core/snapshot/name-index.ts), from names with the ranks of
 * their places: its entries, the ranks by name, and what only makes searches faster.
 */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { lowerBound } from '../../src/core/snapshot/binary-search.js';
import { buildSlots } from '../../src/core/snapshot/hash-table.js';
import {
  type BestRanks,
  CITY_SAMPLE_STEP,
  encodeTopRanks,
  hashNameEntries,
  insertNameRank,
  isOtherNameAt,
  LEADING_LETTERS,
  MAX_ENTRY_OFFSET,
  NAME_INDEX_SCHEMA,
  type NameIndex,
  NO_RANK,
  OTHER_NAME,
  scanNameEntries,
  TOP_RANGE,
} from '../../src/core/snapshot/name-index.js';
import { prefixArrayLength, prefixWord, SAMPLE_STEP } from '../../src/core/snapshot/sampled-prefixes.js';
import { KEY_LENGTH, sortByKeys, sortKey } from '../ordering/sort-keys.js';
import type { HashedNameArrays } from './hashed-names.js';
import { startsOf } from './part-starts.js';

/* Sorts the names of big cities for searches with a typing error in the first letters. */

type RankedCityNames = Pick<NameIndex, 'rankStarts' | 'ranks' | 'cityEnds'> & { readonly names: readonly string[] };

/** `cityNames` of src/core/snapshot/name-index.ts. */
function sortCityNames({ names, rankStarts, ranks, cityEnds }: RankedCityNames): Uint32Array {
  const bigEnd = cityEnds[0] as number;
  const tails = new Map<number, string>();
  names.forEach((name, number) => {
    if (name.length <= LEADING_LETTERS) return;
    const ofName = ranks.subarray(rankStarts[number], rankStarts[number + 1]);
    if (ofName.some((rank) => (rank & ~OTHER_NAME) < bigEnd)) tails.set(number, name.slice(LEADING_LETTERS));
  });
  return Uint32Array.from(
    [...tails].sort(([a, tailA], [b, tailB]) => (tailA === tailB ? a - b : tailA < tailB ? -1 : 1)),
    ([number]) => number,
  );
}

/*
 * The entries of the prefix index: one for each word of each folded name, ascending by the text from the word to the
 * name's end.
 */

interface NameEntries {
  readonly entryNames: Uint32Array;
  readonly entryOffsets: Uint8Array;
}

/** The positions at which the words of a folded name start, up to MAX_ENTRY_OFFSET. */
function wordStarts(name: string): number[] {
  const starts = [0];
  for (let space = name.indexOf(' '); space !== -1 && space < MAX_ENTRY_OFFSET; space = name.indexOf(' ', space + 1)) {
    starts.push(space + 1);
  }
  return starts;
}

/** Sorts entries given as parallel lists. */
export function sortEntries(names: readonly string[], entryNames: Uint32Array, entryOffsets: Uint8Array): NameEntries {
  const keys = new Float64Array(entryNames.length);
  for (let entry = 0; entry < keys.length; entry++) {
    keys[entry] = sortKey(names[entryNames[entry] as number] as string, entryOffsets[entry] as number);
  }
  const order = sortByKeys(keys, (a, b) => {
    const offsetA = entryOffsets[a] as number;
    const offsetB = entryOffsets[b] as number;
    const textA = (names[entryNames[a] as number] as string).slice(offsetA + KEY_LENGTH);
    const textB = (names[entryNames[b] as number] as string).slice(offsetB + KEY_LENGTH);
    if (textA !== textB) return textA < textB ? -1 : 1;
    return offsetA - offsetB || (entryNames[a] as number) - (entryNames[b] as number);
  });
  return {
    entryNames: order.map((entry) => entryNames[entry] as number),
    entryOffsets: Uint8Array.from(order, (entry) => entryOffsets[entry] as number),
  };
}

/* Derives the parts of a prefix index that only make searches faster: ranks of entries, and sampled prefixes. */

type Entries = Pick<NameIndex, 'entryNames' | 'entryOffsets'> & { readonly names: readonly string[] };

/** `entryRanks` of src/core/snapshot/name-index.ts. */
function findEntryRanks({
  entryNames,
  rankStarts,
  ranks,
}: Pick<NameIndex, 'entryNames' | 'rankStarts' | 'ranks'>): Uint32Array {
  return entryNames.map((name) => {
    const start = rankStarts[name] as number;
    const isOnly = rankStarts[name + 1] === start + 1 && !isOtherNameAt({ ranks }, start);
    return isOnly ? (ranks[start] as number) : NO_RANK;
  });
}

/** `namePrefixes`, `entryPrefixes` and `cityPrefixes` of src/core/snapshot/name-index.ts. */
function findSampledPrefixes({
  names,
  entryNames,
  entryOffsets,
  cityNames,
}: Entries & Pick<NameIndex, 'cityNames'>): Pick<NameIndex, 'namePrefixes' | 'entryPrefixes' | 'cityPrefixes'> {
  const nameOf = (name: number | undefined): string => names[name as number] as string;
  const entryText = (entry: number): string => nameOf(entryNames[entry]).slice(entryOffsets[entry]);
  const cityText = (city: number): string => nameOf(cityNames[city]).slice(LEADING_LETTERS);
  return {
    namePrefixes: sampledPrefixesOf(names.length, SAMPLE_STEP, nameOf),
    entryPrefixes: sampledPrefixesOf(entryNames.length, SAMPLE_STEP, entryText),
    cityPrefixes: sampledPrefixesOf(cityNames.length, CITY_SAMPLE_STEP, cityText),
  };
}

/** The sampled prefixes of `count` texts. */
function sampledPrefixesOf(count: number, step: number, textOf: (at: number) => string): Uint32Array {
  const heads = new Uint32Array(prefixArrayLength(count, step));
  for (let head = 0; head * step < count; head++) {
    const text = textOf(head * step);
    const byteAt = (at: number): number => (at < text.length ? text.charCodeAt(at) : 0);
    heads[head * 2] = prefixWord(byteAt, 0);
    heads[head * 2 + 1] = prefixWord(byteAt, 4);
  }
  return heads;
}

/* Groups the ranks by name with a counting sort: two passes over the pairs of name and rank, without lists. */

export interface RanksByName {
  /** The start of each name's ranks and, last, the number of ranks. */
  readonly rankStarts: Uint32Array;
  /** The ranks of each name, in the order of the pairs. */
  readonly ranks: Uint32Array;
}

/** `eachPair` must visit the same pairs in the same order on each call. */
export function listRanksByName(
  nameCount: number,
  eachPair: (visit: (name: number, rank: number) => void) => void,
): RanksByName {
  const rankStarts = new Uint32Array(nameCount + 1);
  eachPair((name) => {
    rankStarts[name + 1] = (rankStarts[name + 1] as number) + 1;
  });
  for (let name = 0; name < nameCount; name++) {
    rankStarts[name + 1] = (rankStarts[name + 1] as number) + (rankStarts[name] as number);
  }
  const ranks = new Uint32Array(rankStarts[nameCount] as number);
  const next = rankStarts.slice();
  eachPair((name, rank) => {
    ranks[next[name] as number] = rank;
    next[name] = (next[name] as number) + 1;
  });
  return { rankStarts, ranks };
}

/*
 * Computes the best ranks of every range of entries that is too long to scan per request: the ranges of prefixes with
 * two or three letters. It merges the results of longer prefixes, so that each entry is read once: the best ranks of a
 * range are among those of its parts.
 */

interface RankedNames extends NameEntries {
  readonly names: readonly string[];
  readonly rankStarts: Uint32Array;
  readonly ranks: Uint32Array;
  readonly entryRanks: Uint32Array;
}

interface TopRanks {
  readonly topSlots: Uint32Array;
  readonly topRanges: Uint32Array;
  readonly topRanks: Uint32Array;
}

function findTopRanks(index: RankedNames): TopRanks {
  const ranges: number[] = [];
  const bests: BestRanks[] = [];

  const visit = (start: number, end: number, depth: number): BestRanks => {
    if (end - start <= TOP_RANGE) return scanNameEntries(index, start, end);
    const best: BestRanks = { starting: [], inner: [] };
    let partCount = 0;
    for (let partStart = start; partStart < end; partCount++) {
      const partEnd = endOfPart(index, partStart, end, depth);
      // Texts that end at this depth have no further letters to split the range by.
      const part =
        characterAt(index, partStart, depth) === 0
          ? scanNameEntries(index, partStart, partEnd)
          : visit(partStart, partEnd, depth + 1);
      addBest(best.starting, part.starting);
      addBest(best.inner, part.inner);
      partStart = partEnd;
    }
    // A range of one part is the same as the longer prefix's range, which is noted already.
    if (partCount > 1 || characterAt(index, start, depth) === 0) {
      ranges.push(start, end);
      bests.push(best);
    }
    return best;
  };
  visit(0, index.entryNames.length, 0);

  const topSlots = buildSlots(bests.length, (top) =>
    hashNameEntries(ranges[top * 2] as number, ranges[top * 2 + 1] as number),
  );
  return { topSlots, topRanges: Uint32Array.from(ranges), topRanks: encodeTopRanks(bests) };
}

/** The character of an entry's text at `depth`; 0 after the end of the text. */
function characterAt(index: RankedNames, entry: number, depth: number): number {
  const name = index.names[index.entryNames[entry] as number] as string;
  const position = (index.entryOffsets[entry] as number) + depth;
  return position < name.length ? name.charCodeAt(position) : 0;
}

/** The first entry after `start` with a different character at `depth`. */
function endOfPart(index: RankedNames, start: number, end: number, depth: number): number {
  const character = characterAt(index, start, depth);
  return lowerBound(start, end, (entry) => characterAt(index, entry, depth) === character);
}

function addBest(list: number[], others: readonly number[]): void {
  for (const rank of others) insertNameRank(list, rank);
}

export interface RankedPlaces {
  /** Distinct spellings, ascending. */
  readonly names: readonly string[];
  readonly rankStarts: Uint32Array;
  readonly ranks: Uint32Array;
  readonly places: Uint32Array;
  readonly countries: Uint16Array;
  readonly cities: RankedCities;
  readonly bigCityNames: HashedNameArrays;
  readonly countryNames: HashedNameArrays;
  readonly firstSameName: number;
}

/** See cityEnds and cityPeople in src/core/snapshot/name-index.ts. */
export interface RankedCities {
  readonly cityEnds: readonly [number, number];
  readonly cityPeople: Uint32Array;
}

/** The entries of all words of the names. */
export function listEntries(names: readonly string[]): NameEntries {
  const entryNames: number[] = [];
  const entryOffsets: number[] = [];
  names.forEach((name, number) => {
    for (const start of wordStarts(name)) {
      entryNames.push(number);
      entryOffsets.push(start);
    }
  });
  return sortEntries(names, Uint32Array.from(entryNames), Uint8Array.from(entryOffsets));
}

export function encodeNameIndex(ranked: RankedPlaces, entries: NameEntries): Uint8Array[] {
  const { names, rankStarts, ranks, places, countries, cities, bigCityNames, countryNames, firstSameName } = ranked;
  const ends = Uint32Array.of(...cities.cityEnds);
  const cityNames = sortCityNames({ names, rankStarts, ranks, cityEnds: ends });
  const entryRanks = findEntryRanks({ ...entries, rankStarts, ranks });
  return encodeBundle(NAME_INDEX_SCHEMA, {
    nameOffsets: startsOf(names.map((name) => name.length)),
    nameText: Buffer.from(names.join(''), 'latin1'),
    rankStarts,
    ranks,
    ...entries,
    places,
    cityEnds: ends,
    cityPeople: cities.cityPeople,
    bigCityNames: bigCityNames.hashes,
    bigCityCountries: bigCityNames.countries,
    countryNames: countryNames.hashes,
    namedCountries: countryNames.countries,
    cityNames,
    firstSameName: Uint32Array.of(firstSameName),
    countries,
    ...findTopRanks({ names, rankStarts, ranks, entryRanks, ...entries }),
    entryRanks,
    ...findSampledPrefixes({ names, ...entries, cityNames }),
  });
}
