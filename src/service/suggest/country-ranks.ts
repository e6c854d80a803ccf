/**
 * The ranks of each country's places in the world's name index. A country's index and the world's index have the same
 * order of ranks, so the n-th place of a country among the world's ranks is the place with the country's rank n. The
 * first search of several countries computes the ranks of all countries in one pass over the world's ranks (some
 * milliseconds, 3 MB).
 */
import { oncePer } from '../../store/once-per.js';
import type { Country, Snapshot } from '../../store/snapshot.js';

/** For each rank of the country's index the rank in the world's index. Shorter than the index in a damaged file. */
export function worldRanksOf(snapshot: Snapshot, { number }: Country): Uint32Array {
  return rankTablesOf(snapshot)[number] as Uint32Array;
}

const rankTablesOf = oncePer(({ countries, worldNames }: Snapshot): readonly Uint32Array[] => {
  const tables = countries.map(({ structures }) => new Uint32Array(structures?.names.rankCount ?? 0));
  const counts = new Uint32Array(tables.length);
  const owners = worldNames.countries;
  for (let rank = 0; rank < owners.length; rank++) {
    const owner = owners[rank] as number;
    const table = tables[owner];
    const count = counts[owner] as number;
    // A write behind the end of a table does nothing.
    if (table !== undefined) table[count] = rank;
    counts[owner] = count + 1;
  }
  return tables.map((table, owner) => table.subarray(0, counts[owner]));
});
