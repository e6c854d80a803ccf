/** The largest cities in a part of the world, in any country, by the centres and the people of the gazetteer. */

import { readCityName } from '../../core/snapshot/city-name.js';
import { countriesAround } from '../../core/snapshot/country-grid.js';
import { visitKdTree } from '../../core/snapshot/kd-tree.js';
import { cityCentres } from '../../core/snapshot/place-cities.js';
import { populationOf } from '../../core/snapshot/place-facts.js';
import { isPlace } from '../../core/snapshot/place-tree.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import type { Circle } from '../../core/snapshot/sphere.js';
import type { MapDot } from '../map/linked-dots.js';
import { type CoveredCountry, isCovered } from './covered-country.js';
import { placePath } from './page-paths.js';

interface Town extends MapDot {
  readonly country: CoveredCountry;
  readonly place: number;
  readonly population: number;
}

/** Those with the most people first. */
export function listTowns(snapshot: Snapshot, { lat, lng, radiusKm }: Circle): readonly Town[] {
  const towns: Town[] = [];
  for (const at of countriesAround(snapshot.countryGrid, lat, lng, radiusKm)) {
    const country = snapshot.countries[at];
    if (country === undefined || !isCovered(country)) continue;
    const { structures } = country;
    const centres = cityCentres(structures);
    visitKdTree(centres, { lat, lng, radiusKm }, (centre) => {
      const place = centres.places[centre] as number;
      const population = isPlace(structures.tree, place) ? populationOf(structures, place) : null;
      if (population !== null) {
        const [longitude, latitude] = [centres.degrees(centre, 0), centres.degrees(centre, 1)];
        const [name, href] = [readCityName(structures, place), placePath(country, place)];
        towns.push({ country, place, population, name, href, latitude, longitude });
      }
      return radiusKm;
    });
  }
  return towns.sort((a, b) => b.population - a.population);
}
