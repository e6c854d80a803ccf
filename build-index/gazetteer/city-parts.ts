/**
 * The parts of a city that has no place of its own: those whose names start with the city's name ("Karachi Gpo", "Dublin
 * 1", "Praha 10-Vinohrady", "수원시 장안구"), and, for large cities of which the release has not even such names, the leaves
 * around (the villages that Jakarta is made of, the streets of Singapore). A place for the whole is made of them.
 */

import { kmBetween } from '../tree/distance.js';
import { SECTION } from './city-row.js';
import type { MatchedTree } from './matched-tree.js';
import { cityRadiusKm, KM_PER_DEGREE, LARGE_CITY, nearLimitKm } from './nearness.js';
import type { NamedCity } from './read-gazetteer.js';
import type { Seeker } from './seekers.js';
import type { TreeAreas } from './tree-areas.js';

/** Where the release's positions are poor: so far off a part may lie in the city's admin unit of level 2. */
const FAR_PART_KM = 300;
const MIN_LEAVES_AROUND = 3;
/** A city so near, in radii, to the middle of a larger one is a part of that. */
const INNER_RADII = 0.6;

/** The places, ascending, whose names start with a name of the city, near it or at least in its admin units. */
export function findPartsByName(seeker: Seeker, isFree: (place: number) => boolean): number[] {
  const { radiusKm } = seeker;
  const started = seeker.listStarted();
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
 * The leaves, ascending, in the radius of each of `cities` that is large enough. A leaf in the radii of two cities is a
 * part of the city that it lies further inside.
 */
export function findPartsAround(
  { latitudes, longitudes }: MatchedTree,
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
  const parts = new Map<NamedCity, number[]>();
  for (const leaf of [...owners.keys()].sort((a, b) => a - b)) {
    const { city } = owners.get(leaf) as { city: NamedCity };
    const ofCity = parts.get(city);
    if (ofCity === undefined) parts.set(city, [leaf]);
    else ofCity.push(leaf);
  }
  return new Map([...parts].filter(([, leaves]) => leaves.length >= MIN_LEAVES_AROUND));
}

/** Those of `cities` that lie well inside a more populous city of `allCities`, which come by population. */
export function listInnerCities(cities: readonly NamedCity[], allCities: readonly NamedCity[]): Set<NamedCity> {
  const circles = allCities
    .filter(({ featureCode }) => featureCode !== SECTION)
    .map((city) => {
      const radiusKm = cityRadiusKm(city.population);
      return { city, radiusKm, innerDegrees: (radiusKm * INNER_RADII) / KM_PER_DEGREE };
    });
  // Most circles are out of reach by their latitude, which is looked at for all of them.
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
