/** The largest cities of a country, or of a part of the world, by the centres and the people of the gazetteer. */

import { oncePer } from '../../base/once-per.js';
import { lowerBound } from '../../core/snapshot/binary-search.js';
import { readCityName } from '../../core/snapshot/city-name.js';
import { countriesAround } from '../../core/snapshot/country-grid.js';
import { visitKdTree } from '../../core/snapshot/kd-tree.js';
import { cityCentres } from '../../core/snapshot/place-cities.js';
import { populationOf } from '../../core/snapshot/place-facts.js';
import { isPlace } from '../../core/snapshot/place-tree.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import type { Circle, Position } from '../../core/snapshot/sphere.js';
import { listRanksOfPage } from './code-summary.js';
import { type CoveredCountry, isCovered } from './covered-country.js';
import { placePath } from './page-paths.js';

/** A city, with the place that stands for it. */
interface CityCentre extends Position {
  readonly country: CoveredCountry;
  readonly place: number;
  readonly people: number;
}

export interface LargeCity extends CityCentre {
  readonly name: string;
  /** The path of its page. */
  readonly href: string;
}

/** Maximum number of a country's cities: as many as a page lists. */
const MAX_CITIES = 20;

/** Those with postal codes, the most people first: new towns such as Marne-la-Vallée have none of their own. */
export const largestCitiesOf = oncePer((country: CoveredCountry): readonly LargeCity[] => {
  const largest: CityCentre[] = [];
  const { places } = cityCentres(country.structures);
  const hasCodes = ({ place }: CityCentre): boolean => listRanksOfPage(country, place).length > 0;
  for (let centre = 0; centre < places.length; centre++) insert(largest, MAX_CITIES, country, centre, hasCodes);
  return largest.map(withName);
});

/** At most `limit` of the cities in a circle that `isIn` contains, those with the most people first. */
export function listTowns(
  snapshot: Snapshot,
  { lat, lng, radiusKm }: Circle,
  limit: number,
  isIn: (city: CityCentre) => boolean,
): readonly LargeCity[] {
  const largest: CityCentre[] = [];
  for (const at of countriesAround(snapshot.countryGrid, lat, lng, radiusKm)) {
    const country = snapshot.countries[at];
    if (country === undefined || !isCovered(country)) continue;
    visitKdTree(cityCentres(country.structures), { lat, lng, radiusKm }, (centre) => {
      insert(largest, limit, country, centre, isIn);
      return radiusKm;
    });
  }
  return largest.map(withName);
}

/** Adds a city to the largest ones, if it is one of them. */
function insert(
  largest: CityCentre[],
  limit: number,
  country: CoveredCountry,
  centre: number,
  isIn?: (city: CityCentre) => boolean,
): void {
  const { structures } = country;
  const { places, degrees } = cityCentres(structures);
  const place = places[centre] as number;
  const people = (isPlace(structures.tree, place) && populationOf(structures, place)) || 0;
  const least = largest.length < limit ? 0 : (largest[limit - 1] as CityCentre).people;
  if (people <= least) return;
  const city = { country, place, people, longitude: degrees(centre, 0), latitude: degrees(centre, 1) };
  if (isIn?.(city) === false) return;
  const position = lowerBound(0, largest.length, (at) => (largest[at] as CityCentre).people >= people);
  largest.splice(position, 0, city);
  if (largest.length > limit) largest.pop();
}

function withName(city: CityCentre): LargeCity {
  const { country, place } = city;
  return { ...city, name: readCityName(country.structures, place), href: placePath(country, place) };
}
