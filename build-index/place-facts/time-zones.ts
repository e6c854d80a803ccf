/**
 * The time zone of each place. A country or a first-level unit whose cities all have one zone in the gazetteer has only
 * that zone. Elsewhere a leaf has the zone of the nearest city of its first-level unit or, if none is within MAX_CITY_KM,
 * of the shapes of zones that tz-lookup has. A unit has the zone of most of its leaves. Searches cities only in units
 * with several zones, so it takes a second for the world.
 */

import tzLookup from '@photostructure/tz-lookup';
import { around } from 'geokdbush';
import KDBush from 'kdbush';
import { MAX_ZONES } from '../../src/core/snapshot/place-facts.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { kmBetween } from '../../src/core/snapshot/sphere.js';
import type { PlacedCity } from '../cities/placed-cities.js';
import { appendToGroup } from '../ordering/grouping.js';
import { ReleaseError } from '../reading/release-error.js';
import type { CountryTree } from '../tree/country-tree.js';

type ZonedCity = Pick<PlacedCity['city'], 'latitude' | 'longitude' | 'timezone'>;
export type CityInTree = Pick<PlacedCity, 'places' | 'parts'> & { readonly city: ZonedCity };

type ZonedTree = Pick<
  CountryTree,
  'countryCode' | 'placeCount' | 'parents' | 'childStarts' | 'latitudes' | 'longitudes'
>;

interface PlaceZones {
  /** Ascending. */
  readonly names: readonly string[];
  /** For each place, an index into `names`. */
  readonly zones: Uint8Array;
}

/**
 * Kilometres beyond which a city says nothing of a place's zone: Unalaska is the city nearest to Adak, 700 km away and
 * in another zone.
 */
const MAX_CITY_KM = 300;

/**
 * Kilometres between a place and the nearest city of its first-level unit beyond which the place's position must be
 * wrong: the release has villages of Sakhalin near Volgograd. The city is then the better evidence.
 */
const MAX_UNIT_KM = 1_500;

/** How the names of zones begin that tz-lookup gives for the open sea. */
const AT_SEA = 'Etc/';

/** Stands for places that lie in no first-level unit. */
const NO_UNIT = -1;

export function findZones(tree: ZonedTree, cities: readonly CityInTree[]): PlaceZones {
  const { placeCount, latitudes, longitudes } = tree;
  const zoned = cities.filter(({ city }) => city.timezone !== '');
  const only = onlyZone(zoned.map(({ city }) => city));
  if (only !== undefined) return { names: [only], zones: new Uint8Array(placeCount) };
  const zoneOf = createZoneFinder(zoned, findTopUnits(tree));
  const byPlace: string[] = new Array(placeCount);
  const counts = new Map<number, Map<string, number>>();
  // A place's number is greater than its ancestors' numbers.
  for (let place = placeCount - 1; place >= 0; place--) {
    const ofLeaves = counts.get(place);
    const zone =
      ofLeaves === undefined
        ? zoneOf(place, latitudes[place] as number, longitudes[place] as number)
        : mostFrequent(ofLeaves);
    byPlace[place] = zone;
    const parent = tree.parents[place] as number;
    if (parent === NO_PARENT) continue;
    const ofParent = counts.get(parent) ?? new Map<string, number>();
    counts.set(parent, ofParent);
    for (const [name, count] of ofLeaves ?? [[zone, 1]]) ofParent.set(name, (ofParent.get(name) ?? 0) + count);
    counts.delete(place);
  }
  const names = [...new Set(byPlace)].sort();
  if (names.length > MAX_ZONES) throw new ReleaseError(`${tree.countryCode}: more than ${MAX_ZONES} time zones`);
  const numbers = new Map(names.map((name, number) => [name, number]));
  return { names, zones: Uint8Array.from(byPlace, (name) => numbers.get(name) as number) };
}

/** For each place the first-level unit that it is or lies in, or NO_UNIT. */
function findTopUnits({ placeCount, parents, childStarts }: ZonedTree): Int32Array {
  const tops = new Int32Array(placeCount);
  for (let place = 0; place < placeCount; place++) {
    const parent = parents[place] as number;
    const hasChildren = childStarts[place] !== childStarts[place + 1];
    tops[place] = parent === NO_PARENT ? (hasChildren ? place : NO_UNIT) : (tops[parent] as number);
  }
  return tops;
}

/** The zone of the nearest city, and how far away the city is; 0 where all cities have that zone. */
type NearestFinder = (latitude: number, longitude: number) => { readonly zone: string; readonly km: number };
type ZoneFinder = (place: number, latitude: number, longitude: number) => string;

function createZoneFinder(zoned: readonly CityInTree[], tops: Int32Array): ZoneFinder {
  const citiesByUnit = new Map<number, ZonedCity[]>();
  for (const { city, places, parts } of zoned) {
    const place = places[0] ?? parts[0];
    if (place !== undefined) appendToGroup(citiesByUnit, tops[place] as number, city);
  }
  const finders = new Map([...citiesByUnit].map(([unit, ofUnit]) => [unit, createNearestFinder(ofUnit)]));
  return (place, latitude, longitude) => {
    const nearest = finders.get(tops[place] as number)?.(latitude, longitude);
    if (nearest === undefined) return tzLookup(latitude, longitude);
    const { zone, km } = nearest;
    if (km <= MAX_CITY_KM || km > MAX_UNIT_KM) return zone;
    const ofShape = tzLookup(latitude, longitude);
    return ofShape.startsWith(AT_SEA) ? zone : ofShape;
  };
}

function createNearestFinder(cities: readonly ZonedCity[]): NearestFinder {
  const only = onlyZone(cities);
  if (only !== undefined) return () => ({ zone: only, km: 0 });
  const index = new KDBush(cities.length);
  for (const { longitude, latitude } of cities) index.add(longitude, latitude);
  index.finish();
  return (latitude, longitude) => {
    const [nearest] = around(index, longitude, latitude, 1);
    const city = cities[nearest as number] as ZonedCity;
    return { zone: city.timezone, km: kmBetween(latitude, longitude, city.latitude, city.longitude) };
  };
}

/** The zone of all cities; undefined without cities and with several zones. */
function onlyZone(cities: readonly ZonedCity[]): string | undefined {
  const [first] = cities;
  return cities.every(({ timezone }) => timezone === first?.timezone) ? first?.timezone : undefined;
}

/** Of equally frequent zones the first in the order of code points. */
function mostFrequent(counts: ReadonlyMap<string, number>): string {
  const most = Math.max(...counts.values());
  return [...counts]
    .filter(([, count]) => count === most)
    .map(([name]) => name)
    .sort()[0] as string;
}
