/**
 * The settlements around a point, and the city that a place belongs to. Settlements are localities, and cities that have no
 * locality of their own. The city of a place that has people of its own is the place, else the innermost unit above that
 * has, else the city whose people reach as far as the point. A city much larger than the place comes before these where the
 * point is deep inside of it.
 */

import { oncePer } from '../../base/once-per.js';
import { lowerBound } from '../snapshot/binary-search.js';
import { isArea } from '../snapshot/cities.js';
import { countriesAround, nearestCentre } from '../snapshot/country-grid.js';
import { POSITION_SOURCES, populationOf } from '../snapshot/place-facts.js';
import { readKind, readPoint } from '../snapshot/place-fields.js';
import { LOCALITY_TYPE, listAncestors, PLACE_TYPES } from '../snapshot/place-tree.js';
import { reachOf } from '../snapshot/point-index.js';
import type { Country, CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import { distanceKm, type Position } from '../snapshot/sphere.js';
import { structuresOf } from './countries.js';
import { listNearest } from './nearby.js';

export interface Settlement extends Position {
  readonly country: Country;
  readonly place: number;
  readonly distanceKm: number;
}

/** At most `limit`, the nearest first. Localities with approximate positions count only where there are no others. */
export function listSettlements(snapshot: Snapshot, point: Position, radiusKm: number, limit: number): Settlement[] {
  const { latitude: lat, longitude: lng } = point;
  const home = snapshot.countries[nearestCentre(snapshot.centreVectors, lat, lng) ?? -1];
  const around = { lat, lng, radiusKm, limit, home };
  const sure = listNearest(snapshot, { ...around, tiers: ['sure'] });
  const found: Settlement[] = sure.length > 0 ? sure : listNearest(snapshot, { ...around, tiers: ['coarse'] });
  const reachKm = found[limit - 1]?.distanceKm ?? radiusKm;
  const countries = [...countriesAround(snapshot.countryGrid, lat, lng, reachKm)].map((n) => snapshot.countries[n]);
  for (const country of new Set([home, ...countries])) {
    if (country?.structures === undefined) continue;
    const cities = loneCitiesOf(country.structures);
    visitAround(cities, point, reachKm, (city, distanceKm) => {
      if (distanceKm <= reachKm) found.push({ ...cityAt(cities, city), country, distanceKm });
    });
  }
  return found.sort((a, b) => a.distanceKm - b.distanceKm).slice(0, limit);
}

/** What the views of a country in other languages share. */
const factsOf = ({ facts }: CountryStructures): object => facts;

const UNIT_KINDS: ReadonlySet<string> = new Set(PLACE_TYPES.slice(0, LOCALITY_TYPE));

/** The cities in which nothing lies: units that the builder adds. */
const loneCitiesOf = oncePer((structures: CountryStructures): CityList => {
  const isLone = (place: number): boolean => {
    const isAdded = POSITION_SOURCES[structures.positions.sources[place] as number] === 'gazetteer';
    // Localities can have their positions from the gazetteer too.
    return isAdded && !isArea(structures, place) && UNIT_KINDS.has(readKind(structures, place));
  };
  return listCities(Array.from(structures.facts.populated.filter(isLone), (place) => locate(structures, place)));
}, factsOf);

/* Lists of cities, places that have people of their own. A country can have a hundred thousand of them. */

interface CityPlace extends Position {
  readonly place: number;
}

/** From south to north. */
interface CityList {
  readonly places: Uint32Array;
  readonly latitudes: Float64Array;
  readonly longitudes: Float64Array;
}

function locate(structures: CountryStructures, place: number): CityPlace {
  return { place, ...readPoint(structures, place) };
}

function listCities(cities: CityPlace[]): CityList {
  cities.sort((a, b) => a.latitude - b.latitude);
  return {
    places: Uint32Array.from(cities, ({ place }) => place),
    latitudes: Float64Array.from(cities, ({ latitude }) => latitude),
    longitudes: Float64Array.from(cities, ({ longitude }) => longitude),
  };
}

function cityAt({ places, latitudes, longitudes }: CityList, city: number): CityPlace {
  const [place, latitude, longitude] = [places[city], latitudes[city], longitudes[city]] as [number, number, number];
  return { place, latitude, longitude };
}

/** Visits the cities within `reachKm` of a point and some others near it, from south to north. */
function visitAround(
  { latitudes, longitudes }: CityList,
  at: Position,
  reachKm: number,
  visit: (city: number, distanceKm: number) => void,
): void {
  const reach = reachOf(at.latitude, reachKm);
  const northernmost = at.latitude + reach.lat;
  const first = lowerBound(0, latitudes.length, (one) => (latitudes[one] as number) < at.latitude - reach.lat);
  for (let city = first; (latitudes[city] as number) <= northernmost; city++) {
    const longitude = longitudes[city] as number;
    const apart = Math.abs(longitude - at.longitude);
    if (Math.min(apart, 360 - apart) > reach.lng) continue;
    visit(city, distanceKm(at, { latitude: latitudes[city] as number, longitude }));
  }
}

/* The city of a place. */

/** People for each square kilometre of a city, which its people's number makes a circle of: that of towns in Europe. */
const PEOPLE_PER_KM2 = 1_500;
/** The part of a city's radius in which it comes before a place that has people of its own. */
const INNER_SHARE = 0.2;
/** How many times as many people as such a place the city must have. */
const MUCH_LARGER = 5;

/** Of the circle that has room for so many people. */
function radiusOf(people: number): number {
  return Math.sqrt(people / PEOPLE_PER_KM2 / Math.PI);
}

interface SizedCities extends CityList {
  /** As far as the largest reaches. */
  readonly radiusKm: number;
  readonly people: Float64Array;
}

/** The cities of a country by their size: most reach no farther than a kilometre, and are looked for no farther. */
const citiesBySize = oncePer((structures: CountryStructures): readonly SizedCities[] => {
  const peopleOf = (place: number): number => populationOf(structures, place) as number;
  /** The list at n reaches as far as 2^n kilometres. */
  const bySize: CityPlace[][] = [];
  for (const place of structures.facts.populated) {
    const size = Math.ceil(Math.log2(Math.max(1, radiusOf(peopleOf(place)))));
    bySize[size] ??= [];
    bySize[size].push(locate(structures, place));
  }
  return bySize.flatMap((cities, size) => {
    const list = listCities(cities);
    return { ...list, radiusKm: 2 ** size, people: Float64Array.from(list.places, peopleOf) };
  });
}, factsOf);

/** The place that is the city of a settlement, as seen from a point: the settlement itself if there is no other. */
export function findCity(country: Country, place: number, at: Position): number {
  const structures = structuresOf(country);
  const isPopulated = (one: number): boolean => populationOf(structures, one) !== null;
  const own = [place, ...listAncestors(structures.tree, place).reverse()].find(isPopulated);
  const minimum = own === undefined ? 0 : MUCH_LARGER * (populationOf(structures, own) as number);
  let city = own ?? place;
  let leastShare = own === undefined ? 1 : INNER_SHARE;
  for (const cities of citiesBySize(structures)) {
    if (cities.radiusKm < radiusOf(minimum)) continue;
    visitAround(cities, at, leastShare * cities.radiusKm, (near, km) => {
      const people = cities.people[near] as number;
      const radiusKm = radiusOf(people);
      if (people >= minimum && km < leastShare * radiusKm) {
        [city, leastShare] = [cities.places[near] as number, km / radiusKm];
      }
    });
  }
  return city;
}
