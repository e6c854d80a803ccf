/**
 * The ranks of a country's places in the world's name index. A country's index and the world's index have the same order
 * of ranks, so the n-th place of a country among the world's ranks is the place with the country's rank n. The table of
 * a country is computed when a search of several countries first needs it, in one pass over the world's ranks (a
 * millisecond), and stays as long as the snapshot.
 */
import type { Country, Snapshot } from '../../store/snapshot.js';

const known = new WeakMap<Snapshot, Map<Country, Uint32Array>>();

/** For each rank of the country's index the rank in the world's index. Shorter than the index in a damaged file. */
export function worldRanksOf(snapshot: Snapshot, country: Country): Uint32Array {
  const tables = known.get(snapshot) ?? new Map<Country, Uint32Array>();
  known.set(snapshot, tables);
  let ranks = tables.get(country);
  if (ranks === undefined) {
    const { countries } = snapshot.worldNames;
    const table = new Uint32Array(country.structures?.names.rankCount ?? 0);
    let count = 0;
    for (let rank = 0; rank < countries.length && count < table.length; rank++) {
      if (countries[rank] === country.number) table[count++] = rank;
    }
    ranks = table.subarray(0, count);
    tables.set(country, ranks);
  }
  return ranks;
}
