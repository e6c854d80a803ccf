/**
 * The cities of a country by the names of siblings, for answers/tables.ts alone, which will use the cities of the snapshot.
 */

import { oncePer } from '../../base/once-per.js';
import { childrenOf, isArea as isAreaOf, parentOf } from '../snapshot/place-tree.js';
import type { CountryStructures } from '../snapshot/snapshot.js';
import { codeRanksOf, isLocalityAt, isRecipientAt, listCodeRanks } from './code-ranks.js';
import { haveOneName } from './siblings-of-name.js';

export { isRecipientAt };

export const citiesOf = oncePer((structures: CountryStructures) => {
  const ranks = codeRanksOf(structures);
  return { ...ranks, cities: findCities(structures, ranks) };
});

export const isArea = ({ tree }: CountryStructures, place: number): boolean => isAreaOf(tree, place);

export function listCityCodeRanks(ranks: ReturnType<typeof codeRanksOf>, places: readonly number[]): number[] {
  return listCodeRanks(ranks, { ranges: [], members: Uint32Array.from(places) });
}

/** Siblings of one name have consecutive numbers, localities and recipients mixed. */
function findCities(structures: CountryStructures, ranks: ReturnType<typeof codeRanksOf>): Uint32Array {
  const { placeCount } = structures.tree;
  const cities = new Uint32Array(placeCount);
  let locality: number | undefined;
  let recipient: number | undefined;
  for (let place = 0; place < placeCount; place++) {
    if (place === 0 || !areNamesakes(structures, place - 1, place)) {
      locality = undefined;
      recipient = undefined;
    }
    if (isRecipientAt(ranks, place)) {
      recipient ??= place;
      cities[place] = recipient;
    } else if (isLocalityAt(ranks, place)) {
      locality ??= place;
      cities[place] = locality;
    } else {
      cities[place] = place;
    }
  }
  return cities;
}

/** Whether two places have the same name and the same parent. */
function areNamesakes({ tree, renderedPlaces }: CountryStructures, a: number, b: number): boolean {
  return tree.parents[a] === tree.parents[b] && haveOneName(renderedPlaces, a, b);
}

/** All places of the city that `first` stands for, ascending. */
export function listCityPlaces(structures: CountryStructures, first: number): number[] {
  const { cities } = citiesOf(structures);
  const { end } = childrenOf(structures.tree, parentOf(structures.tree, first));
  const places = [first];
  for (let place = first + 1; place < end; place++) {
    if (cities[place] === first) places.push(place);
    else if (cities[place] === place && !areNamesakes(structures, first, place)) break;
  }
  return places;
}
