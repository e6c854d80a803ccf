/**
 * The settlements around a point, and the city that a place belongs to. Settlements are localities, and cities that have no
 * locality of their own. The city of a place that has people of its own is the place, else the innermost unit above that
 * has, else the city whose people reach as far as the point. A city much larger than the place comes before these where the
 * point is deep inside of it.
 */

import KDBush from 'kdbush';
import { oncePer } from '../../base/once-per.js';
import { nearestCentre } from '../snapshot/country-centres.js';
import { countriesAround } from '../snapshot/country-grid.js';
import { listNearestInKdTree, POINT_NODE_SIZE, type TreePoints, visitKdTree } from '../snapshot/kd-tree.js';
import { populationOf } from '../snapshot/place-facts.js';
import { readKindField, readPointField } from '../snapshot/place-fields.js';
import { POSITION_SOURCES } from '../snapshot/place-positions.js';
import { listAncestors } from '../snapshot/place-tree.js';
import { LOCALITY_TYPE, PLACE_TYPES } from '../snapshot/place-type.js';
import type { Country, CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import type { Position } from '../snapshot/sphere.js';
import { isArea } from './cities.js';
import { structuresOf } from './countries.js';
import { listNearbyPlaces } from './nearby.js';

interface Settlement extends Position {
  readonly country: Country;
  readonly place: number;
  readonly distanceKm: number;
}

/** At most `limit`, the nearest first. Localities with approximate positions count only where there are no others. */
export function listSettlements(snapshot: Snapshot, point: Position, radiusKm: number, limit: number): Settlement[] {
  const { latitude: lat, longitude: lng } = point;
  const home = snapshot.countries[nearestCentre(snapshot.centreVectors, lat, lng) ?? -1];
  const around = { lat, lng, radiusKm, limit, home };
  const sure = listNearbyPlaces(snapshot, { ...around, tiers: ['sure'] });
  const found: Settlement[] = sure.length > 0 ? sure : listNearbyPlaces(snapshot, { ...around, tiers: ['coarse'] });
  const reachKm = found[limit - 1]?.distanceKm ?? radiusKm;
  const countries = [...countriesAround(snapshot.countryGrid, lat, lng, reachKm)].map((n) => snapshot.countries[n]);
  for (const country of new Set([home, ...countries])) {
    if (country?.structures === undefined) continue;
    const cities = loneCitiesOf(country.structures);
    for (const { place, point: city, distanceKm } of listNearestInKdTree(
      cities,
      { lat, lng, radiusKm: reachKm },
      limit,
    )) {
      found.push({ country, place, latitude: cities.degrees(city, 1), longitude: cities.degrees(city, 0), distanceKm });
    }
  }
  return found.sort((a, b) => a.distanceKm - b.distanceKm).slice(0, limit);
}

/** What the views of a country in other languages share. */
const factsOf = ({ facts }: CountryStructures): object => facts;

const UNIT_KINDS: ReadonlySet<string> = new Set(PLACE_TYPES.slice(0, LOCALITY_TYPE));

/** The cities in which nothing lies: units that the builder adds. */
const loneCitiesOf = oncePer((structures: CountryStructures): TreePoints => {
  const isLone = (place: number): boolean => {
    const isAdded = POSITION_SOURCES[structures.positions.sources[place] as number] === 'gazetteer';
    // Localities can have their positions from the gazetteer too.
    return isAdded && !isArea(structures, place) && UNIT_KINDS.has(readKindField(structures, place));
  };
  return createTree(Array.from(structures.facts.populated.filter(isLone), (place) => locate(structures, place)));
}, factsOf);

/* Trees of cities, places that have people of their own. A country can have a hundred thousand of them. */

interface CityPlace extends Position {
  readonly place: number;
}

function locate(structures: CountryStructures, place: number): CityPlace {
  return { place, ...readPointField(structures, place) };
}

/** In kdbush's order, as the points of a country are (kd-tree.ts). */
function createTree(cities: readonly CityPlace[]): TreePoints {
  const tree = new KDBush(cities.length, POINT_NODE_SIZE, Float64Array);
  for (const { longitude, latitude } of cities) tree.add(longitude, latitude);
  const { ids } = tree.finish();
  const coords = tree.coords as Float64Array;
  return {
    places: Uint32Array.from(ids, (city) => (cities[city] as CityPlace).place),
    degrees: (point, axis) => coords[point * 2 + axis] as number,
  };
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

interface SizedCities extends TreePoints {
  /** As far as the largest reaches. */
  readonly radiusKm: number;
  readonly people: Float64Array;
}

/**
 * The largest radius of a city in each tree, in kilometres. The search of a tree goes as far as its largest city reaches,
 * so with more trees there are more searches, and each is shorter. These radiuses cost least around large cities with a
 * place for each street.
 */
const TREE_RADIUSES_KM = [8, 10, 12.5, 16, 20, 25, 32, 40, Number.POSITIVE_INFINITY];

/**
 * The cities of a country by their size: most reach no farther than a kilometre, and are looked for no farther. Of the
 * places of one city at one point, which can be one for each of its ten thousand codes, the first stands for all.
 */
const citiesBySize = oncePer((structures: CountryStructures): readonly SizedCities[] => {
  const peopleOf = (place: number): number => populationOf(structures, place) as number;
  const bySize = TREE_RADIUSES_KM.map((): CityPlace[] => []);
  for (const place of structures.facts.populated) {
    const people = peopleOf(place);
    const cities = bySize[TREE_RADIUSES_KM.findIndex((radiusKm) => radiusOf(people) <= radiusKm)] as CityPlace[];
    const city = locate(structures, place);
    // Places of one name in one unit have consecutive numbers.
    const last = cities.at(-1);
    const isThere = last?.latitude === city.latitude && last.longitude === city.longitude;
    if (!isThere || peopleOf(last.place) !== people) cities.push(city);
  }
  return bySize
    .filter((cities) => cities.length > 0)
    .map((cities) => {
      const tree = createTree(cities);
      const people = Float64Array.from(tree.places, peopleOf);
      return { ...tree, radiusKm: people.reduce((most, one) => Math.max(most, radiusOf(one)), 0), people };
    });
}, factsOf);

/** The place that is the city of a settlement, as seen from a point: the settlement itself if there is no other. */
export function findCityOfSettlement(country: Country, place: number, at: Position): number {
  const structures = structuresOf(country);
  const isPopulated = (one: number): boolean => populationOf(structures, one) !== null;
  const own = [place, ...listAncestors(structures.tree, place).reverse()].find(isPopulated);
  const minimum = own === undefined ? 0 : MUCH_LARGER * (populationOf(structures, own) as number);
  let found: SizedCity | undefined;
  let leastShare = own === undefined ? 1 : INNER_SHARE;
  for (const cities of citiesBySize(structures)) {
    if (cities.radiusKm < radiusOf(minimum)) continue;
    const circle = { lat: at.latitude, lng: at.longitude, radiusKm: leastShare * cities.radiusKm };
    visitKdTree(cities, circle, (point, km) => {
      const near = { place: cities.places[point] as number, people: cities.people[point] as number };
      const share = km / radiusOf(near.people);
      const isDeeper = share < leastShare || (share === leastShare && found !== undefined && isFirst(near, found));
      if (near.people >= minimum && isDeeper) [found, leastShare] = [near, share];
      return leastShare * cities.radiusKm;
    });
  }
  return found?.place ?? own ?? place;
}

interface SizedCity {
  readonly place: number;
  readonly people: number;
}

/** Of two cities at one point the smaller one comes first, if one radius is about twice the other. */
function isFirst(a: SizedCity, b: SizedCity): boolean {
  const sizeOf = ({ people }: SizedCity): number => Math.ceil(Math.log2(Math.max(1, radiusOf(people))));
  const difference = sizeOf(a) - sizeOf(b);
  return difference < 0 || (difference === 0 && a.place < b.place);
}
