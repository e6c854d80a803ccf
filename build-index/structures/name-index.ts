/**
 * Builds the prefix index of one country (src/format/name-index.ts): the places that can be suggested, their order, and
 * the spellings that find them.
 *
 * Only compareRankKeys decides the order of suggestions with equal matches: the more important place first (see
 * importance.ts), then by level from the root down, by folded name, by id.
 */
import { encodeBundle } from '../../src/format/array-bundle.js';
import { BIG_CITY, NAME_INDEX_SCHEMA, OTHER_NAME } from '../../src/format/name-index.js';
import { copyId, createIds } from '../../src/format/place-id.js';
import { RECIPIENT_TYPE } from '../../src/format/place-levels.js';
import { levelOf } from '../../src/format/place-tree.js';
import { type HashedNameArrays, NO_HASHED_NAMES } from '../gazetteer/hashed-names.js';
import type { CountryTree } from '../tree/country-tree.js';
import { sortCityNames } from './city-names.js';
import { type CityPlaces, cityImportance, cityPeople } from './importance.js';
import { type Candidate, findCandidates, spellNames } from './name-candidates.js';
import { type NameEntries, sortEntries, wordStarts } from './name-entries.js';
import { findEntryRanks, findSampledPrefixes } from './name-shortcuts.js';
import type { OtherNames } from './other-names.js';
import { compareRankKeys, type RankKeys } from './rank-keys.js';
import { listRanksByName } from './ranks-by-name.js';
import { markSameNames } from './same-name-places.js';
import { findSuggestable } from './suggestable.js';
import { findTopRanks } from './top-ranks.js';

interface RankedPlaces {
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

/** See cityEnds and cityPeople in src/format/name-index.ts. */
export interface RankedCities {
  readonly cityEnds: readonly [number, number];
  readonly cityPeople: Uint32Array;
}

/** In `leavesByCode` the leaves of one postal code are adjacent. */
export function buildNameIndex(
  tree: CountryTree,
  otherNames: OtherNames,
  cities: CityPlaces,
  leavesByCode: Uint32Array,
): { chunks: Uint8Array[]; keys: RankKeys } {
  const isSuggestable = findSuggestable({ ...tree, isRecipient: (place) => tree.types[place] === RECIPIENT_TYPE });
  const spellings = spellNames(tree, otherNames, cities, isSuggestable);
  const unmarked = findCandidates({ tree, otherNames, cities, isSuggestable, leavesByCode }, spellings);
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
    cities: findCities(keys),
    bigCityNames: NO_HASHED_NAMES,
    countryNames: NO_HASHED_NAMES,
    firstSameName: findFirstNamesake(keys.sameNames),
  };
  return { chunks: encodeNameIndex(ranked, listEntries(names)), keys };
}

/** The first rank of the represented places, which have the last ranks. */
function findFirstNamesake(sameNames: Uint8Array): number {
  const first = sameNames.indexOf(1);
  return first === -1 ? sameNames.length : first;
}

/** The cities by rank; `keys` are in the order of ranks. */
function findCities({ importances, sameNames }: Pick<RankKeys, 'importances' | 'sameNames'>): RankedCities {
  const firstSameName = findFirstNamesake(sameNames);
  const endOf = (least: number): number => {
    const end = importances.findIndex((importance) => importance < least);
    return end === -1 ? firstSameName : Math.min(end, firstSameName);
  };
  const cityEnd = endOf(cityImportance(0));
  return {
    cityEnds: [endOf(cityImportance(BIG_CITY)), cityEnd],
    cityPeople: importances.subarray(0, cityEnd).map(cityPeople),
  };
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
  const { names, rankStarts, ranks, places, countries, cities, bigCityNames, countryNames, firstSameName } = ranked;
  const nameOffsets = new Uint32Array(names.length + 1);
  names.forEach((name, number) => {
    nameOffsets[number + 1] = (nameOffsets[number] as number) + name.length;
  });
  const ends = Uint32Array.of(...cities.cityEnds);
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
