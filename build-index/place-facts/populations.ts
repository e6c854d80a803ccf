/**
 * The population of each place that is a city of the gazetteer. All places that stand for a city under its name have
 * it: Munich and every Munich with a postal code. A unit wider than its city has none (Los Angeles County), nor has a
 * place with only a part of the city's name ("Karachi Gpo").
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { isFitForMainPlace } from '../cities/choose-main-place.js';
import type { PlacedCity } from '../cities/placed-cities.js';
import { TreeAreas } from '../cities/tree-areas.js';
import { listGazetteerNames } from '../gazetteer/read-gazetteer.js';
import { memoize } from '../ordering/grouping.js';
import type { CountryTree } from '../tree/country-tree.js';

/** The largest number of people that the format has room for. A row with more is wrong. */
const MAX_PEOPLE = 0xffff_ffff;

/** By place, ascending. Of two cities of one place the larger counts. */
export function findPopulations(tree: CountryTree, cities: readonly PlacedCity[]): ReadonlyMap<number, number> {
  const areas = new TreeAreas(tree);
  const fold = memoize(foldText);
  const populations = new Map<number, number>();
  for (const { city, kind, places, isWider } of cities) {
    const [first] = places;
    const { population } = city;
    if (kind === 'shared place' || first === undefined || population === 0 || population > MAX_PEOPLE) continue;
    const isNamed = places.length === 1 ? () => true : createNameCheck(tree, city, first, fold);
    for (const place of places) {
      const isWhole = place === first ? !isWider : areas.isLeaf(place) || isFitForMainPlace(areas, city, place);
      if (!isWhole || !isNamed(place)) continue;
      populations.set(place, Math.max(population, populations.get(place) ?? 0));
    }
  }
  return new Map([...populations].sort(([a], [b]) => a - b));
}

/** Checks whether a place has one of the city's names, or the name of the city's main place. */
function createNameCheck(
  tree: CountryTree,
  city: PlacedCity['city'],
  first: number,
  fold: (name: string) => string,
): (place: number) => boolean {
  const { names, localNames } = tree;
  const all = new Set([city.name, city.asciiName, ...listGazetteerNames(city), names[first] as string].map(fold));
  return (place) => all.has(fold(names[place] as string)) || all.has(fold(localNames[place] as string));
}
