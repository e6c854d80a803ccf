/** The importance of a place with a postal code, as a rank: Paris 01 is as important as Paris. */

import { oncePer } from '../../base/once-per.js';
import { structuresOf } from '../lookup/countries.js';
import { bytesOf } from '../snapshot/byte-string.js';
import { nameRankAt } from '../snapshot/name-index.js';
import { readFoldedNameField } from '../snapshot/place-fields.js';
import { listAncestors } from '../snapshot/place-tree.js';
import type { Country, CountryStructures } from '../snapshot/snapshot.js';
import { WORK } from '../snapshot/work-budget.js';
import type { NameQuery } from './name-query.js';
import type { Suggestion } from './suggestion.js';

/**
 * The lowest rank of a place and the cities around it; infinite if the index has neither rank. The lookups of a query
 * look each place up once.
 */
export const rankAroundOf = oncePer((names: NameQuery): ((suggestion: Suggestion) => number) => {
  const rankOf = cacheRanks(names);
  const cityEnd = names.index.cityEnds[1] as number;
  return ({ country, place }) => {
    const structures = structuresOf(country);
    const around = listAncestors(structures.tree, place).map((unit) => rankOf(country, structures, unit));
    return Math.min(rankOf(country, structures, place), ...around.filter((rank) => rank < cityEnd));
  };
});

type RankOf = (country: Country, structures: CountryStructures, place: number) => number;

/**
 * A cached lookup of a place's rank, or of the sibling with the same name that represents it; infinite without either.
 */
function cacheRanks(names: NameQuery): RankOf {
  const { index, work } = names;
  const known = new Map<string, number>();
  const find = (country: Country, structures: CountryStructures, place: number): number => {
    const { tree } = structures;
    const number = work.spend(WORK.text) ? names.findName(bytesOf(readFoldedNameField(structures, place))) : undefined;
    if (number === undefined) return Number.POSITIVE_INFINITY;
    const end = index.rankStarts[number + 1] as number;
    for (let at = index.rankStarts[number] as number; at < end && work.spend(WORK.listed); at++) {
      const rank = nameRankAt(index, at);
      if (index.countries.length > 0 && index.countries[rank] !== country.number) continue;
      const ranked = index.places[rank] as number;
      if (ranked === place || tree.parents[ranked] === tree.parents[place]) return rank;
    }
    return Number.POSITIVE_INFINITY;
  };
  return (country, structures, place) => {
    const key = `${country.number} ${place}`;
    const rank = known.get(key) ?? find(country, structures, place);
    known.set(key, rank);
    return rank;
  };
}
