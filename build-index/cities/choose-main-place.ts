/**
 * Chooses a city's main place, the place that people mean: the widest admin unit with most of its leaves in the city
 * (the state Berlin; the municipality Barcelona, not the province). Without such a unit, a leaf of the name (Los
 * Angeles, since its county is wider than the city); without such a leaf, the smallest unit of the name.
 */

import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { isListedUnit } from '../data-tables/city-units.js';
import type { NamedCity } from '../gazetteer/read-gazetteer.js';
import { groupBy } from '../ordering/grouping.js';
import { compareCodePoints } from '../ordering/name-order.js';
import type { CountryTree } from '../tree/country-tree.js';
import { cityRadiusKm } from './city-size.js';
import { cityDistanceLimitKm, SAME_SPOT_KM } from './distance-limits.js';
import type { TreeAreas } from './tree-areas.js';

/**
 * Minimum share of a unit's leaves in the city, or at its edge, for the unit to be the city: some positions are wrong.
 */
const CITY_SHARE = 0.75;

export function isFitForMainPlace(areas: TreeAreas, city: NamedCity, place: number): boolean {
  // Manhattan is New York County, which has the name of its city; Bronx County is a part of New York.
  if (isListedUnit(city.countryCode, areas.pathOf(place))) return false;
  return isFilledBy(areas, city, place, cityRadiusKm(city.population) + SAME_SPOT_KM);
}

/** Whether a unit is far wider than the city. */
export function isTooWideForMainPlace(areas: TreeAreas, city: NamedCity, place: number): boolean {
  return !isFilledBy(areas, city, place, cityDistanceLimitKm(city.population));
}

/** Whether most of a place's leaves lie in the city or, if the release has them all elsewhere, close together. */
function isFilledBy(areas: TreeAreas, city: NamedCity, place: number, radiusKm: number): boolean {
  const share = areas.shareWithin(place, city, radiusKm);
  return share > 0 ? share >= CITY_SHARE : areas.shareWithin(place, areas.middleOf(place), radiusKm) >= CITY_SHARE;
}

/**
 * Puts the main place first: a place of `isBest` if one is no wider than the city, otherwise a place of `mayBe`, which
 * includes those of `isBest`.
 */
export function putMainPlaceFirst(
  tree: CountryTree,
  areas: TreeAreas,
  city: NamedCity,
  places: readonly number[],
  isBest: (place: number) => boolean,
  mayBe: (place: number) => boolean,
): { places: number[]; isWider: boolean } {
  const ascending = [...places].sort((a, b) => a - b);
  const all = new Set(ascending);
  const best = chooseFirst(tree, areas, city, ascending.filter(isBest), all);
  const chosen = best.isWider ? chooseFirst(tree, areas, city, ascending.filter(mayBe), all) : best;
  return { places: [chosen.first, ...ascending.filter((place) => place !== chosen.first)], isWider: chosen.isWider };
}

function chooseFirst(
  tree: CountryTree,
  areas: TreeAreas,
  city: NamedCity,
  places: readonly number[],
  all: ReadonlySet<number>,
): { first: number; isWider: boolean } {
  const units = places.filter((place) => !areas.isLeaf(place));
  const whole = units.find((unit) => isFitForMainPlace(areas, city, unit));
  const leaves = places.filter((place) => areas.isLeaf(place));
  const first = whole ?? mainLeaf(tree, areas, city, leaves, all);
  if (first !== undefined) return { first, isWider: false };
  const smallest = units.at(-1) as number;
  return { first: smallest, isWider: isTooWideForMainPlace(areas, city, smallest) };
}

/** Distance from a city's position, in km, within which a place lies in its centre. */
const CENTRE_KM = 2;

/**
 * The leaf of the lowest code in the city's centre, or else the nearest leaf, in the best unit: first a unit that is one of
 * the city's places or lies in one, then the unit with the most leaves near the nearest one, then the nearest unit.
 * Undefined without leaves.
 */
function mainLeaf(
  tree: CountryTree,
  areas: TreeAreas,
  { latitude, longitude, population }: NamedCity,
  leaves: readonly number[],
  all: ReadonlySet<number>,
): number | undefined {
  const leavesByUnit = groupBy(leaves, (leaf) => tree.parents[leaf] as number);
  const units = [...all].filter((place) => !areas.isLeaf(place));
  const reachKm = cityRadiusKm(population) + SAME_SPOT_KM;
  const keepNearest = (siblings: readonly number[]): readonly number[] => {
    const distances = siblings.map((leaf) => areas.kmTo(latitude, longitude, leaf));
    const limitKm = Math.max(reachKm, Math.min(...distances) + SAME_SPOT_KM);
    return siblings.filter((_, index) => (distances[index] as number) <= limitKm);
  };
  const groups = [...leavesByUnit].map(([unit, siblings]) => ({
    siblings: keepNearest(siblings),
    // Leaves without a unit have depth 0.
    depth: unit === NO_PARENT ? 0 : units.filter((place) => place === unit || areas.isWithin(unit, place)).length,
    km: Math.min(...siblings.map((leaf) => areas.kmTo(latitude, longitude, leaf))),
  }));
  groups.sort((a, b) => b.depth - a.depth || b.siblings.length - a.siblings.length || a.km - b.km);
  const codeOf = (leaf: number): string => tree.postalCodes[leaf] ?? '';
  const kmOf = (leaf: number): number => Math.max(CENTRE_KM, areas.kmTo(latitude, longitude, leaf));
  return groups[0]?.siblings.toSorted(
    (a, b) => kmOf(a) - kmOf(b) || compareCodePoints(codeOf(a), codeOf(b)) || a - b,
  )[0];
}
