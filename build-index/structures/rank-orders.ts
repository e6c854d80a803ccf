/**
 * The order of the ranks of several countries in the world: by the keys that the builder has of each place or, for some
 * countries of a snapshot, as in that snapshot. Both give the same order, in which the ranks of each country ascend.
 */
import type { NameIndex } from '../../src/format/name-index.js';
import { createIds, setIds } from '../../src/format/place-id.js';
import { structureError } from '../../src/format/snapshot-error.js';
import { compareRankKeys, type RankKeys } from './rank-keys.js';

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
export type OrderRanks = (numbers: readonly Uint32Array[]) => Uint32Array;

/** The start of each part in the concatenation of parts with these lengths, and the end of the last part. */
export function startsOf(lengths: readonly number[]): number[] {
  const starts = [0];
  for (const length of lengths) starts.push((starts.at(-1) as number) + length);
  return starts;
}

/** The order by the keys of the ranks of each country. */
export function orderByKeys(parts: readonly RankKeys[]): OrderRanks {
  return (numbers) => {
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
    return Uint32Array.from({ length: count }, (_, position) => position).sort((a, b) => compareRankKeys(keys, a, b));
  };
}

/**
 * The order of `world`, a prefix index of these countries and of others. The keys of two places never depend on other
 * countries, so leaving out the others is enough. Throws SnapshotError if the two indexes have different places.
 */
export function orderAsIn(world: NameIndex, parts: readonly CountryNames[]): Uint32Array {
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
