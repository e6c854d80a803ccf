/**
 * Finds the parts of a city that has no place of its own: places whose names start with the city's name ("Karachi Gpo",
 * "Dublin 1", "Praha 10-Vinohrady", "수원시 장안구") and, for large cities without such places, the leaves around (the
 * villages of Jakarta, the streets of Singapore). synthesised-cities.ts adds a place for the whole city.
 */

import { kmBetween } from '../../src/core/snapshot/sphere.js';
import { SECTION } from '../gazetteer/city-row.js';
import type { NamedCity } from '../gazetteer/read-gazetteer.js';
import { groupBy } from '../ordering/grouping.js';
import type { CountryTree } from '../tree/country-tree.js';
import { cityRadiusKm, LARGE_CITY } from './city-size.js';
import { nearLimitKm } from './distance-limits.js';
import type { CitySearch } from './match-candidates.js';
import { KM_PER_DEGREE, type TreeAreas } from './tree-areas.js';

/** Maximum distance of a part in the city's admin unit of level 2, in km: some releases have poor positions. */
const FAR_PART_KM = 300;
/** Minimum number of leaves around a city to count as its parts: fewer may be neighbouring villages. */
const MIN_LEAVES_AROUND = 3;
/** Maximum distance from the centre of a larger city, in radii of it, at which a city is a part of the larger one. */
const INNER_RADII = 0.6;

/**
 * The places whose names start with a name of the city, ascending: those near it or, if none is, in its admin units.
 */
export function findPartsByName(search: CitySearch, isFree: (place: number) => boolean): number[] {
  const { radiusKm } = search;
  const started = search.listByPrefix();
  const near = started.filter(({ km, agreement }) => km <= radiusKm + nearLimitKm(agreement));
  const far = started.filter(
    ({ km, agreement: { level1, level2 } }) => level1 === 'same' && level2 === 'same' && km <= radiusKm + FAR_PART_KM,
  );
  return (near.length > 0 ? near : far)
    .map(({ place }) => place)
    .filter(isFree)
    .sort((a, b) => a - b);
}

/**
 * The leaves within the radius of each large city of `cities`, ascending. A leaf within the radii of two cities is part
 * of the city with the smaller distance in radii.
 */
export function findPartsAround(
  { latitudes, longitudes }: CountryTree,
  areas: TreeAreas,
  isFree: (place: number) => boolean,
  cities: readonly NamedCity[],
): Map<NamedCity, number[]> {
  const owners = new Map<number, { city: NamedCity; radii: number }>();
  for (const city of cities) {
    const { population, featureCode, latitude, longitude } = city;
    if (population < LARGE_CITY || featureCode === SECTION) continue;
    const radiusKm = cityRadiusKm(population);
    for (const leaf of areas.leavesAround(latitude, longitude, radiusKm)) {
      if (!isFree(leaf)) continue;
      const radii = kmBetween(latitude, longitude, latitudes[leaf] as number, longitudes[leaf] as number) / radiusKm;
      if (radii <= (owners.get(leaf)?.radii ?? 1)) owners.set(leaf, { city, radii });
    }
  }
  const leaves = [...owners.keys()].sort((a, b) => a - b);
  const parts = groupBy(leaves, (leaf) => (owners.get(leaf) as { city: NamedCity }).city);
  return new Map([...parts].filter(([, leaves]) => leaves.length >= MIN_LEAVES_AROUND));
}

/** The members of `cities` that lie well inside a more populous city of `allCities`, which is sorted by population. */
export function listInnerCities(cities: readonly NamedCity[], allCities: readonly NamedCity[]): Set<NamedCity> {
  const circles = allCities
    .filter(({ featureCode }) => featureCode !== SECTION)
    .map((city) => {
      const radiusKm = cityRadiusKm(city.population);
      return { city, radiusKm, innerDegrees: (radiusKm * INNER_RADII) / KM_PER_DEGREE };
    });
  // The latitude alone rules out most circles, at the cost of one subtraction.
  const latitudes = Float64Array.from(circles, ({ city }) => city.latitude);
  const reaches = Float64Array.from(circles, ({ innerDegrees }) => 1.01 * innerDegrees);
  const isInner = ({ population, latitude, longitude }: NamedCity): boolean => {
    for (let at = 0; at < circles.length; at++) {
      if (Math.abs((latitudes[at] as number) - latitude) > (reaches[at] as number)) continue;
      const { city, radiusKm } = circles[at] as (typeof circles)[number];
      if (city.population <= population) return false;
      if (kmBetween(city.latitude, city.longitude, latitude, longitude) <= INNER_RADII * radiusKm) return true;
    }
    return false;
  };
  return new Set(cities.filter(isInner));
}

/** A section of a city has no place far from its position: such a place belongs to the city itself. */
export function isCitySection({ featureCode }: NamedCity): boolean {
  return featureCode === SECTION;
}
