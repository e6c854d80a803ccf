/** Writes what is told of places on request (src/core/snapshot/place-facts.ts). */

import tzLookup from '@photostructure/tz-lookup';
import { around, distance } from 'geokdbush';
import KDBush from 'kdbush';
import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { DEGREE_PARTS, MAX_ZONES, PLACE_FACTS_SCHEMA, RELEASE_CODE } from '../../src/core/snapshot/place-facts.js';
import { isCoarseAt } from '../../src/core/snapshot/place-positions.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { isLeafType, LOCALITY_TYPE } from '../../src/core/snapshot/place-type.js';
import type { PlacedCity } from '../gazetteer/placed-cities.js';
import { appendTo } from '../reading/grouping.js';
import { ReleaseError } from '../reading/input-file.js';
import type { CountryTree } from '../tree/country-tree.js';
import { startsOf } from './country-slices.js';
import { findPopulations } from './importance.js';
import type { SubdivisionCodes } from './subdivision-codes.js';

/*
 * The bounds of the units of a country: the smallest box around the reliable positions of their localities. A pole is no
 * such position: a release puts the code of Santa Claus there, and Quebec doesn't reach it.
 */

/** Latitude of a pole in degrees, north or south. */
const POLE = 90;

export interface PlacedLeaves {
  readonly parents: Uint32Array;
  /** Indexes into PLACE_TYPES. */
  readonly types: ArrayLike<number>;
  /** Indexes into POSITION_SOURCES. */
  readonly sources: Uint8Array;
  readonly latitudes: Float64Array;
  readonly longitudes: Float64Array;
}

/** `units` ascend; `bounds` has four numbers for each, see src/core/snapshot/place-facts.ts. */
export interface UnitBounds {
  readonly units: Uint32Array;
  readonly bounds: Int32Array;
}

export function findBounds({ parents, types, sources, latitudes, longitudes }: PlacedLeaves): UnitBounds {
  const boxes = new Map<number, Box>();
  const eachSureLeaf = (visit: (unit: number, longitude: number, latitude: number) => void): void => {
    for (let leaf = 0; leaf < parents.length; leaf++) {
      const latitude = latitudes[leaf] as number;
      if (types[leaf] !== LOCALITY_TYPE || isCoarseAt(sources, leaf) || Math.abs(latitude) === POLE) continue;
      for (let unit = parents[leaf] as number; unit !== NO_PARENT; unit = parents[unit] as number) {
        visit(unit, longitudes[leaf] as number, latitude);
      }
    }
  };
  eachSureLeaf((unit, longitude, latitude) => {
    const box = boxes.get(unit);
    if (box === undefined) boxes.set(unit, { west: longitude, south: latitude, east: longitude, north: latitude });
    else extend(box, longitude, latitude);
  });
  const wide = new Map<number, number[]>();
  const isWide = ({ west, east }: Box): boolean => east - west > 180;
  if ([...boxes.values()].some(isWide)) {
    eachSureLeaf((unit, longitude) => {
      if (isWide(boxes.get(unit) as Box)) appendTo(wide, unit, longitude);
    });
  }
  for (const [unit, all] of wide) Object.assign(boxes.get(unit) as Box, acrossAntimeridian(all));
  const units = Uint32Array.from(boxes.keys()).sort();
  return { units, bounds: Int32Array.from(Array.from(units, (unit) => partsOf(boxes.get(unit) as Box)).flat()) };
}

interface Box {
  west: number;
  south: number;
  east: number;
  north: number;
}

function extend(box: Box, longitude: number, latitude: number): void {
  if (longitude < box.west) box.west = longitude;
  if (longitude > box.east) box.east = longitude;
  if (latitude < box.south) box.south = latitude;
  if (latitude > box.north) box.north = latitude;
}

/** The shortest arc with all longitudes, which span more than 180 degrees: all but the widest gap between two. */
function acrossAntimeridian(longitudes: readonly number[]): Pick<Box, 'west' | 'east'> {
  const sorted = Float64Array.from(longitudes).sort();
  const last = sorted.length - 1;
  let arc = { west: sorted[0] as number, east: sorted[last] as number };
  let widest = 360 - (arc.east - arc.west);
  for (let at = 1; at <= last; at++) {
    const [before, after] = [sorted[at - 1] as number, sorted[at] as number];
    if (after - before <= widest) continue;
    widest = after - before;
    arc = { west: after, east: before };
  }
  return arc;
}

/** Rounded outwards where the release has more decimals. */
function partsOf({ west, south, east, north }: Box): number[] {
  const round = (degrees: number, outwards: (value: number) => number): number => {
    const nearest = Math.round(degrees * DEGREE_PARTS);
    return nearest / DEGREE_PARTS === degrees ? nearest : outwards(degrees * DEGREE_PARTS);
  };
  return [round(west, Math.floor), round(south, Math.floor), round(east, Math.ceil), round(north, Math.ceil)];
}

/*
 * The time zone of each place. A country or a first-level unit whose cities all have one zone in the gazetteer has only
 * that zone. Elsewhere a leaf has the zone of the nearest city of its first-level unit or, if none is within MAX_CITY_KM,
 * of the shapes of zones that tz-lookup has. A unit has the zone of most of its leaves. Searches cities only in units
 * with several zones, so it takes a second for the world.
 */

export type ZonedCity = Pick<PlacedCity['city'], 'latitude' | 'longitude' | 'timezone'>;
export type CityInTree = Pick<PlacedCity, 'places' | 'parts'> & { readonly city: ZonedCity };

type ZonedTree = Pick<
  CountryTree,
  'countryCode' | 'placeCount' | 'parents' | 'childStarts' | 'latitudes' | 'longitudes'
>;

export interface PlaceZones {
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

/** Throws ReleaseError for a gazetteer with more than MAX_ZONES zones in the country. */
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
    if (place !== undefined) appendTo(citiesByUnit, tops[place] as number, city);
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
    return { zone: city.timezone, km: distance(longitude, latitude, city.longitude, city.latitude) };
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

/** Throws ReleaseError, see findZones. */
export function buildPlaceFacts(
  tree: CountryTree,
  subdivisionCodes: SubdivisionCodes,
  cities: readonly PlacedCity[],
): Uint8Array[] {
  const { names, zones } = findZones(tree, cities);
  const populations = findPopulations(tree, cities);
  const { units: boundedUnits, bounds } = findBounds(tree);
  const units = listTopUnits(tree);
  const texts = [...names, ...units.flatMap((unit) => codeTexts(tree, subdivisionCodes, unit))].map(
    (text) => `${text}\n`,
  );
  return encodeBundle(PLACE_FACTS_SCHEMA, {
    units: Uint32Array.from(units),
    textStarts: startsOf(texts.map((text) => text.length)),
    text: Buffer.from(texts.join(''), 'latin1'),
    zones,
    populated: Uint32Array.from(populations.keys()),
    populations: Uint32Array.from(populations.values()),
    boundedUnits,
    bounds,
  });
}

function listTopUnits({ levelStarts, types }: CountryTree): number[] {
  const units: number[] = [];
  for (let place = 0; place < (levelStarts[1] as number); place++) if (!isLeafType(types[place])) units.push(place);
  return units;
}

function codeTexts(tree: CountryTree, subdivisionCodes: SubdivisionCodes, unit: number): [string, string] {
  const code = subdivisionCodes.get(unit);
  const released = tree.releaseCodes[unit]?.[0] ?? '';
  return [code === undefined ? '' : `${tree.countryCode}-${code}`, RELEASE_CODE.test(released) ? released : ''];
}
