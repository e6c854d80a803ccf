/** The largest cities in a part of the world, in any country, by the centres and the people of the gazetteer. */

import { cityCentres } from '../../core/snapshot/place-cities.js';
import { countriesAround } from '../../core/snapshot/country-grid.js';
import { readCityName } from '../../core/snapshot/city-name.js';
import { visitKdTree } from '../../core/snapshot/kd-tree.js';
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

/** Maximum number of towns of an answer, of which a map names a few. */
const MAX_LISTED = 40;

/** Those with the most people first. A name is read only of a town of the answer: a large circle has 10,000 towns. */
export function listTowns(snapshot: Snapshot, { lat, lng, radiusKm }: Circle): readonly Town[] {
  const found: { country: CoveredCountry; place: number; centre: number; population: number }[] = [];
  for (const at of countriesAround(snapshot.countryGrid, lat, lng, radiusKm)) {
    const country = snapshot.countries[at];
    if (country === undefined || !isCovered(country)) continue;
    const { structures } = country;
    const centres = cityCentres(structures);
    visitKdTree(centres, { lat, lng, radiusKm }, (centre) => {
      const place = centres.places[centre] as number;
      const population = isPlace(structures.tree, place) ? populationOf(structures, place) : null;
      if (population !== null) found.push({ country, place, centre, population });
      return radiusKm;
    });
  }
  const largest = found.sort((a, b) => b.population - a.population).slice(0, MAX_LISTED);
  return largest.map(({ country, place, centre, population }) => {
    const { structures } = country;
    const centres = cityCentres(structures);
    const [longitude, latitude] = [centres.degrees(centre, 0), centres.degrees(centre, 1)];
    const [name, href] = [readCityName(structures, place), placePath(country, place)];
    return { country, place, population, name, href, latitude, longitude };
  });
}
