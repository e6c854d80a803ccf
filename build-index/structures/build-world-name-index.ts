/**
 * Merges the prefix indexes of the countries into the prefix index of the world. Names, ranks and entries of a country
 * are sorted already, so most of the work is merging sorted lists. Memory: the names and ranks of the world, about 150
 * bytes per place.
 */

import {
  isOtherNameAt,
  listNames,
  type NameIndex,
  nameRankAt,
  OTHER_NAME,
} from '../../src/core/snapshot/name-index.js';
import { createIds, setIds } from '../../src/core/snapshot/place-id.js';
import { structureError } from '../../src/core/snapshot/snapshot-error.js';
import { sortTexts } from '../ordering/sort-keys.js';
import { orderRanks, type RankKeys } from '../suggesting/suggestion-order.js';
import {
  encodeNameIndex,
  listRanksByName,
  type RankedCities,
  type RanksByName,
  sortEntries,
} from './encode-name-index.js';
import type { NamesOfCountries } from './hashed-names.js';
import { startsOf } from './part-starts.js';

/*
 * The order of the ranks of several countries in the world: by the keys that the builder has of each place or, for some
 * countries of a snapshot, as in that snapshot. Both give the same order, in which the ranks of each country ascend.
 */

/** The prefix index of a country. */
export interface CountryNames {
  /** The country's number in the manifest. */
  readonly country: number;
  readonly index: NameIndex;
}

/**
 * Lists positions in the concatenation of the ranks of all countries, the place to suggest first at the front. `numbers`
 * has, for each country, the number of each of its names among the names of the world.
 */
export type OrderRanks = (numbers: readonly Uint32Array[], nameCount: number) => Uint32Array;

/** The order by the keys of the ranks of each country. */
export function orderWorldNamesByKeys(parts: readonly RankKeys[]): OrderRanks {
  return (numbers, nameCount) => {
    const starts = startsOf(parts.map(({ levels }) => levels.length));
    const count = starts.at(-1) as number;
    const keys = {
      sameNames: new Uint8Array(count),
      importances: new Uint32Array(count),
      levels: new Uint8Array(count),
      nameNumbers: new Uint32Array(count),
      ids: createIds(count),
    };
    parts.forEach((part, country) => {
      const start = starts[country] as number;
      keys.sameNames.set(part.sameNames, start);
      keys.importances.set(part.importances, start);
      keys.levels.set(part.levels, start);
      keys.nameNumbers.set(
        part.nameNumbers.map((number) => numbers[country]?.[number] as number),
        start,
      );
      setIds(keys.ids, start, part.ids);
    });
    return orderRanks(keys, nameCount);
  };
}

/**
 * The order of `world`, a prefix index of these countries and of others. The keys of two places never depend on other
 * countries, so leaving out the others is enough.
 */
export function orderWorldNamesAsIn(world: NameIndex, parts: readonly CountryNames[]): Uint32Array {
  const starts = startsOf(parts.map(({ index }) => index.rankCount));
  const order = new Uint32Array(starts.at(-1) as number);
  const partByCountry = new Map(parts.map(({ country }, part) => [country, part]));
  const nextRanks = new Uint32Array(parts.length);
  let count = 0;
  for (let rank = 0; rank < world.rankCount; rank++) {
    const part = partByCountry.get(world.countries[rank] as number);
    if (part === undefined) continue;
    const next = nextRanks[part] as number;
    if (parts[part]?.index.places[next] !== world.places[rank]) throw differentPlaces(rank);
    nextRanks[part] = next + 1;
    order[count++] = (starts[part] as number) + next;
  }
  if (count !== order.length) throw differentPlaces(count);
  return order;
}

function differentPlaces(rank: number): Error {
  return structureError('world-name-index', 'the ranks of each country in their order', `another place at ${rank}`);
}

export function buildWorldNameIndex(
  parts: readonly CountryNames[],
  orderOf: OrderRanks,
  ofCountries: NamesOfCountries,
): Uint8Array[] {
  const indexes = parts.map(({ index }) => index);
  const { names, numbers } = mergeNames(indexes.map(listNames));
  const order = orderOf(numbers, names.length);
  const starts = startsOf(indexes.map(({ rankCount }) => rankCount));

  const worldRanks = new Uint32Array(order.length);
  order.forEach((position, rank) => {
    worldRanks[position] = rank;
  });
  const partOf = new Uint16Array(order.length);
  parts.forEach((_, part) => {
    partOf.fill(part, starts[part], starts[part + 1]);
  });
  const places = Uint32Array.from(order, (position) => {
    const part = partOf[position] as number;
    return parts[part]?.index.places[position - (starts[part] as number)] as number;
  });
  const countriesByRank = Uint16Array.from(order, (position) => parts[partOf[position] as number]?.country as number);

  const rankOf = (part: number, rank: number): number => worldRanks[(starts[part] as number) + rank] as number;
  const rankLists = collectRanks(indexes, numbers, names.length, rankOf);
  const entries = mergeEntries(indexes, numbers, names);
  const cities = mergeCities(indexes, order, partOf, starts);
  const firstSameName = indexes.reduce((sum, index) => sum + (index.firstSameName[0] as number), 0);
  return encodeNameIndex(
    { names, ...rankLists, places, countries: countriesByRank, cities, ...ofCountries, firstSameName },
    entries,
  );
}

/** The distinct names of all lists, ascending, and for each list the numbers of its names among them. */
function mergeNames(lists: readonly (readonly string[])[]): { names: string[]; numbers: Uint32Array[] } {
  const all = lists.flat();
  const names: string[] = [];
  const numberOf = new Uint32Array(all.length);
  for (const position of sortTexts(all)) {
    if (names.length === 0 || names[names.length - 1] !== all[position]) names.push(all[position] as string);
    numberOf[position] = names.length - 1;
  }
  let start = 0;
  const numbers = lists.map((list) => {
    start += list.length;
    return numberOf.subarray(start - list.length, start);
  });
  return { names, numbers };
}

/** The cities of all countries, which have the first ranks in the world as they have in each country. */
function mergeCities(
  indexes: readonly NameIndex[],
  order: Uint32Array,
  partOf: Uint16Array,
  starts: Uint32Array,
): RankedCities {
  const [bigEnd, cityEnd] = [0, 1].map((which) =>
    indexes.reduce((sum, { cityEnds }) => sum + (cityEnds[which] as number), 0),
  ) as [number, number];
  const cityPeople = Uint32Array.from(order.subarray(0, cityEnd), (position) => {
    const part = partOf[position] as number;
    return indexes[part]?.cityPeople[position - (starts[part] as number)] as number;
  });
  return { cityEnds: [bigEnd, cityEnd], cityPeople };
}

/** The ranks of each name in the world, ascending. */
function collectRanks(
  indexes: readonly NameIndex[],
  numbers: readonly Uint32Array[],
  nameCount: number,
  worldRankOf: (part: number, rank: number) => number,
): RanksByName {
  const byName = listRanksByName(nameCount, (visit) => {
    indexes.forEach((index, part) => {
      const ofPart = numbers[part] as Uint32Array;
      for (let number = 0; number < index.nameCount; number++) {
        const name = ofPart[number] as number;
        for (let at = index.rankStarts[number] as number; at < (index.rankStarts[number + 1] as number); at++) {
          const rank = worldRankOf(part, nameRankAt(index, at));
          visit(name, isOtherNameAt(index, at) ? (rank | OTHER_NAME) >>> 0 : rank);
        }
      }
    });
  });
  const { rankStarts, ranks } = byName;
  for (let name = 0; name < nameCount; name++) {
    const [from, to] = [rankStarts[name] as number, rankStarts[name + 1] as number];
    if (to - from > 1) ranks.subarray(from, to).sort();
  }
  return byName;
}

/** The entries of all countries; a name of several countries has its entries once. */
function mergeEntries(indexes: readonly NameIndex[], numbers: readonly Uint32Array[], names: readonly string[]) {
  const seenIn = new Int16Array(names.length).fill(-1);
  const most = indexes.reduce((sum, { entryCount }) => sum + entryCount, 0);
  const [entryNames, entryOffsets] = [new Uint32Array(most), new Uint8Array(most)];
  let count = 0;
  indexes.forEach((index, part) => {
    const ofPart = numbers[part] as Uint32Array;
    for (let entry = 0; entry < index.entryCount; entry++) {
      const name = ofPart[index.entryNames[entry] as number] as number;
      if (seenIn[name] === -1) seenIn[name] = part;
      if (seenIn[name] !== part) continue;
      entryNames[count] = name;
      entryOffsets[count++] = index.entryOffsets[entry] as number;
    }
  });
  return sortEntries(names, entryNames.subarray(0, count), entryOffsets.subarray(0, count));
}
