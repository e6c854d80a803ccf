/** The largest cities of a country, by the centres and the people of the gazetteer. */

import { oncePer } from '../../base/once-per.js';
import { readCityName } from '../../core/snapshot/city-name.js';
import { cityCentres } from '../../core/snapshot/place-cities.js';
import { populationOf } from '../../core/snapshot/place-facts.js';
import { isPlace } from '../../core/snapshot/place-tree.js';
import type { Position } from '../../core/snapshot/sphere.js';
import type { CoveredCountry } from './covered-country.js';
import { placePath } from './page-paths.js';

export interface LargeCity extends Position {
  readonly name: string;
  readonly href: string;
  /** The place that stands for it. */
  readonly place: number;
  readonly people: number;
}

/** Maximum number of cities: as many as a page lists. */
const MAX_CITIES = 20;

/** Those with the most people first; a country's territories may have none. Reads the people of each city: 4 ms in the US. */
export const largestCitiesOf = oncePer((country: CoveredCountry): readonly LargeCity[] => {
  const { structures } = country;
  const { places, degrees } = cityCentres(structures);
  const peopleOf = (place: number): number =>
    (isPlace(structures.tree, place) ? populationOf(structures, place) : 0) ?? 0;
  const people = Float64Array.from(places, peopleOf);
  const least = Math.max(1, people.toSorted().at(-MAX_CITIES) ?? 0);
  const largest = [...people.keys()].filter((city) => (people[city] as number) >= least);
  return largest
    .sort((a, b) => (people[b] as number) - (people[a] as number))
    .slice(0, MAX_CITIES)
    .map((city) => {
      const place = places[city] as number;
      return {
        ...{ name: readCityName(structures, place), href: placePath(country, place), place },
        ...{ people: people[city] as number, longitude: degrees(city, 0), latitude: degrees(city, 1) },
      };
    });
});
