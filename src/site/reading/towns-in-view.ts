/** The largest cities in a part of the world, in any country, by the centres and the people of the gazetteer. */

import { lowerBound } from '../../core/snapshot/binary-search.js';
import { readCityName } from '../../core/snapshot/city-name.js';
import { countriesAround } from '../../core/snapshot/country-grid.js';
import { visitKdTree } from '../../core/snapshot/kd-tree.js';
import { cityCentres } from '../../core/snapshot/place-cities.js';
import { populationOf } from '../../core/snapshot/place-facts.js';
import { isPlace } from '../../core/snapshot/place-tree.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import type { Circle, Position } from '../../core/snapshot/sphere.js';
import { type CoveredCountry, isCovered } from './covered-country.js';
import { placePath } from './page-paths.js';

interface Centre extends Position {
  readonly country: CoveredCountry;
  readonly place: number;
  readonly population: number;
}

/** A town and the path of its page. */
export interface Town extends Position {
  readonly name: string;
  readonly href: string;
}

/** At most `limit` of those that `isIn` contains, the ones with the most people first. */
export function listTowns(
  snapshot: Snapshot,
  { lat, lng, radiusKm }: Circle,
  limit: number,
  isIn: (centre: Centre) => boolean,
): readonly Town[] {
  const towns: Centre[] = [];
  let least = 0;
  for (const at of countriesAround(snapshot.countryGrid, lat, lng, radiusKm)) {
    const country = snapshot.countries[at];
    if (country === undefined || !isCovered(country)) continue;
    const { structures } = country;
    const centres = cityCentres(structures);
    visitKdTree(centres, { lat, lng, radiusKm }, (centre) => {
      const place = centres.places[centre] as number;
      const population = isPlace(structures.tree, place) ? (populationOf(structures, place) ?? 0) : 0;
      if (population <= least) return radiusKm;
      const town = {
        country,
        place,
        population,
        longitude: centres.degrees(centre, 0),
        latitude: centres.degrees(centre, 1),
      };
      if (!isIn(town)) return radiusKm;
      towns.splice(
        lowerBound(0, towns.length, (at) => (towns[at] as Centre).population >= population),
        0,
        town,
      );
      if (towns.length > limit) towns.pop();
      if (towns.length === limit) least = (towns[limit - 1] as Centre).population;
      return radiusKm;
    });
  }
  return towns.map(({ country, place, longitude, latitude }) => {
    const [name, href] = [readCityName(country.structures, place), placePath(country, place)];
    return { name, href, longitude, latitude };
  });
}
