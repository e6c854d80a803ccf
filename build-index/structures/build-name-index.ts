/**
 * Writes the prefix index of one country (src/core/snapshot/name-index.ts): the places that can be suggested, in the order
 * of suggesting/suggestion-order.ts, and the spellings that find them.
 */

import { BIG_CITY, OTHER_NAME } from '../../src/core/snapshot/name-index.js';
import { copyId, createIds } from '../../src/core/snapshot/place-id.js';
import { levelOf } from '../../src/core/snapshot/place-tree.js';
import type { CityPlaces } from '../suggesting/city-places.js';
import { cityImportance, cityPeople } from '../suggesting/importance.js';
import type { OtherNames } from '../suggesting/other-names-of-units.js';
import { markRepresented } from '../suggesting/represented-places.js';
import { createNamesKey } from '../suggesting/same-name-leaves.js';
import { spellNames } from '../suggesting/spellings.js';
import { findSuggestable } from '../suggesting/suggestable-places.js';
import { type Candidate, findSuggestionCandidates } from '../suggesting/suggestion-candidates.js';
import { orderRanks, type RankKeys } from '../suggesting/suggestion-order.js';
import type { CountryTree } from '../tree/country-tree.js';
import {
  encodeNameIndex,
  listEntries,
  listRanksByName,
  type RankedCities,
  type RankedPlaces,
} from './encode-name-index.js';
import { NO_HASHED_NAMES } from './hashed-names.js';

/** In `leavesByCode` the leaves of one postal code are adjacent. */
export function buildNameIndex(
  tree: CountryTree,
  otherNames: OtherNames,
  cities: CityPlaces,
  leavesByCode: Uint32Array,
): { chunks: Uint8Array[]; keys: RankKeys } {
  const isSuggestable = findSuggestable(tree);
  const spellings = spellNames(tree, otherNames, cities, isSuggestable);
  const keyOf = createNamesKey(tree);
  const unmarked = findSuggestionCandidates(
    { tree, otherNames, cities, isSuggestable, leavesByCode, keyOf },
    spellings,
  );
  const unordered = rankKeysOf(tree, unmarked);
  const candidates = markRepresented(tree, unmarked, unordered, cities, spellings.names.length, keyOf);
  const order = orderRanks(unordered, spellings.names.length);
  const ordered = Array.from(order, (index) => candidates[index] as Candidate);
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

function orderRankKeys(keys: RankKeys, order: Uint32Array): RankKeys {
  const ids = createIds(order.length);
  order.forEach((index, rank) => {
    copyId(ids, rank, keys.ids, index);
  });
  return {
    sameNames: Uint8Array.from(order, (index) => keys.sameNames[index] as number),
    importances: order.map((index) => keys.importances[index] as number),
    levels: Uint8Array.from(order, (index) => keys.levels[index] as number),
    nameNumbers: order.map((index) => keys.nameNumbers[index] as number),
    ids,
  };
}
