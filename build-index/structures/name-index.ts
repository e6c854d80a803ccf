/**
 * Builds the prefix index of one country (src/format/name-index.ts): the places that can be suggested, their order, and
 * the spellings that find them.
 *
 * Only compareRankKeys decides the order of suggestions with equal matches: the more important place first (see
 * importance.ts), then by level from the root down, by folded name, by id.
 */
import { encodeBundle } from '../../src/format/array-bundle.js';
import { BIG_CITY, NAME_INDEX_SCHEMA, OTHER_NAME } from '../../src/format/name-index.js';
import { comparePlaceIds, copyId, createIds } from '../../src/format/place-id.js';
import { RECIPIENT_TYPE } from '../../src/format/place-levels.js';
import { levelOf, NO_PARENT } from '../../src/format/place-tree.js';
import type { CountryTree } from '../tree/country-tree.js';
import { sortCityNames } from './city-names.js';
import { type CityPlaces, cityImportance } from './importance.js';
import { type Candidate, findCandidates, spellNames } from './name-candidates.js';
import { type NameEntries, sortEntries, wordStarts } from './name-entries.js';
import { findEntryRanks, findSampledPrefixes } from './name-shortcuts.js';
import { listRanksByName } from './ranks-by-name.js';
import { findSuggestable } from './suggestable.js';
import { findTopRanks } from './top-ranks.js';

/**
 * The keys that decide the order of suggestions, by candidate or by rank. world-name-index.ts merges countries by them.
 */
export interface RankKeys {
  /** 1 for a place that a better place of the same name represents: above, below or beside it, or of the same city. */
  readonly sameNames: Uint8Array;
  /** See importance.ts. */
  readonly importances: Uint32Array;
  readonly levels: Uint8Array;
  /** The number of the folded name; numbers have the order of the names. */
  readonly nameNumbers: Uint32Array;
  /** A list of ids, see place-id.ts. */
  readonly ids: Uint8Array;
}

const NO_NAME = 0xffff_ffff;

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

interface RankedPlaces {
  /** Distinct spellings, ascending. */
  readonly names: readonly string[];
  readonly rankStarts: Uint32Array;
  readonly ranks: Uint32Array;
  readonly places: Uint32Array;
  readonly countries: Uint16Array;
  readonly cityEnds: readonly [number, number];
  readonly firstSameName: number;
}

/** In `leavesByCode` the leaves of one postal code are adjacent. */
export function buildNameIndex(
  tree: CountryTree,
  cities: CityPlaces,
  leavesByCode: Uint32Array,
): { chunks: Uint8Array[]; keys: RankKeys } {
  const isSuggestable = findSuggestable({ ...tree, isRecipient: (place) => tree.types[place] === RECIPIENT_TYPE });
  const spellings = spellNames(tree, cities, isSuggestable);
  const unmarked = findCandidates(tree, spellings, cities, isSuggestable, leavesByCode);
  const unordered = rankKeysOf(tree, unmarked);
  const candidates = markSameNames(tree, unmarked, unordered, cities, spellings.names.length);
  const order = candidates.map((_, index) => index).sort((a, b) => compareRankKeys(unordered, a, b));
  const ordered = order.map((index) => candidates[index] as Candidate);
  const keys = orderRankKeys(unordered, order);
  const { names } = spellings;
  const ranked: RankedPlaces = {
    names,
    ...listRanksByName(names.length, (visit) => {
      ordered.forEach((candidate, rank) => {
        for (const name of candidate.spellings) visit(name, rank);
      });
      ordered.forEach(({ spellings: own, otherSpellings }, rank) => {
        for (const name of otherSpellings) if (!own.includes(name)) visit(name, (rank | OTHER_NAME) >>> 0);
      });
    }),
    places: Uint32Array.from(ordered, ({ place }) => place),
    countries: new Uint16Array(0),
    cityEnds: findCityEnds(keys),
    firstSameName: findFirstNamesake(keys.sameNames),
  };
  return { chunks: encodeNameIndex(ranked, listEntries(names)), keys };
}

/** The first rank of the represented places, which have the last ranks. */
function findFirstNamesake(sameNames: Uint8Array): number {
  const first = sameNames.indexOf(1);
  return first === -1 ? sameNames.length : first;
}

/** See cityEnds in src/format/name-index.ts; `keys` are in the order of ranks. */
export function findCityEnds({
  importances,
  sameNames,
}: Pick<RankKeys, 'importances' | 'sameNames'>): [number, number] {
  const firstSameName = findFirstNamesake(sameNames);
  const endOf = (least: number): number => {
    const end = importances.findIndex((importance) => importance < least);
    return end === -1 ? firstSameName : Math.min(end, firstSameName);
  };
  return [endOf(cityImportance(BIG_CITY)), endOf(cityImportance(0))];
}

function rankKeysOf(tree: CountryTree, candidates: readonly Candidate[]): RankKeys {
  const ids = createIds(candidates.length);
  candidates.forEach(({ place }, index) => {
    copyId(ids, index, tree.ids, place);
  });
  return {
    sameNames: new Uint8Array(candidates.length),
    importances: Uint32Array.from(candidates, ({ importance }) => importance),
    levels: Uint8Array.from(candidates, ({ place }) => levelOf(tree, place)),
    nameNumbers: Uint32Array.from(candidates, ({ spellings: [name] }) => name as number),
    ids,
  };
}

function orderRankKeys(keys: RankKeys, order: readonly number[]): RankKeys {
  const ids = createIds(order.length);
  order.forEach((index, rank) => {
    copyId(ids, rank, keys.ids, index);
  });
  return {
    sameNames: Uint8Array.from(order, (index) => keys.sameNames[index] as number),
    importances: Uint32Array.from(order, (index) => keys.importances[index] as number),
    levels: Uint8Array.from(order, (index) => keys.levels[index] as number),
    nameNumbers: Uint32Array.from(order, (index) => keys.nameNumbers[index] as number),
    ids,
  };
}

/**
 * Marks the represented places in `keys`: of places of the same folded name above, below or beside each other, all but
 * the first by rank; of the places of a city, all but the main place. Returns the candidates; the first place of each
 * name has the spellings of the places that it represents too: the region "Kyiv" those of the city "Київ".
 */
function markSameNames(
  tree: CountryTree,
  candidates: readonly Candidate[],
  keys: RankKeys,
  cities: CityPlaces,
  nameCount: number,
): Candidate[] {
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
    if (first === undefined || compareRankKeys(keys, index, first) < 0) firstOf.set(group, index);
    return group;
  });
  const found = [...candidates];
  groups.forEach((group, index) => {
    const first = firstOf.get(group) as number;
    if (cities.others.has((candidates[index] as Candidate).place)) keys.sameNames[index] = 1;
    if (first === index) return;
    keys.sameNames[index] = 1;
    const { spellings } = candidates[index] as Candidate;
    const { spellings: known, ...rest } = found[first] as Candidate;
    if (spellings.some((spelling) => !known.includes(spelling))) {
      found[first] = { ...rest, spellings: [...new Set([...known, ...spellings])] };
    }
  });
  return found;
}

function listEntries(names: readonly string[]): NameEntries {
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
  const { names, rankStarts, ranks, places, countries, cityEnds, firstSameName } = ranked;
  const nameOffsets = new Uint32Array(names.length + 1);
  names.forEach((name, number) => {
    nameOffsets[number + 1] = (nameOffsets[number] as number) + name.length;
  });
  const ends = Uint32Array.of(...cityEnds);
  const cityNames = sortCityNames({ names, rankStarts, ranks, cityEnds: ends });
  const entryRanks = findEntryRanks({ ...entries, rankStarts, ranks });
  return encodeBundle(NAME_INDEX_SCHEMA, {
    nameOffsets,
    nameText: Buffer.from(names.join(''), 'latin1'),
    rankStarts,
    ranks,
    ...entries,
    places,
    cityEnds: ends,
    cityNames,
    firstSameName: Uint32Array.of(firstSameName),
    countries,
    ...findTopRanks({ names, rankStarts, ranks, entryRanks, ...entries }),
    entryRanks,
    ...findSampledPrefixes({ names, ...entries, cityNames }),
  });
}
