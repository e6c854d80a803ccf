/**
 * Of the places that are a city, the one that people mean. It is the widest admin unit whose leaves lie in the city for
 * the most part (the state Berlin, the municipality Barcelona, not the province); where there is none, the leaves of the
 * name, those of the unit with the most of them (Los Angeles in the county, which is wider than the city); where no leaf
 * bears the name, the smallest unit that does.
 */

import { compareCodePoints } from '../tree/name-order.js';
import { cityRadiusKm } from './nearness.js';
import type { NamedCity } from './read-gazetteer.js';
import type { MatchedTree } from './seekers.js';
import type { TreeAreas } from './tree-areas.js';

/** A unit is the city where so many of its leaves lie within this distance from the city's edge. */
const CITY_SHARE = 0.75;
const EDGE_KM = 5;
/** A unit is wider than the city where fewer of its leaves lie within so many radii, and this distance more. */
const WIDE_RADII = 2;
const WIDE_EDGE_KM = 10;

export function isCity(areas: TreeAreas, city: NamedCity, place: number): boolean {
  return isFilledBy(areas, city, place, cityRadiusKm(city.population) + EDGE_KM);
}

/** Whether a unit is far wider than the city. */
export function isWiderThan(areas: TreeAreas, city: NamedCity, place: number): boolean {
  return !isFilledBy(areas, city, place, WIDE_RADII * cityRadiusKm(city.population) + WIDE_EDGE_KM);
}

/** Whether a place's leaves lie in the city for the most part or, where the release has them elsewhere, together. */
function isFilledBy(areas: TreeAreas, city: NamedCity, place: number, radiusKm: number): boolean {
  const share = areas.shareWithin(place, city, radiusKm);
  return share > 0 ? share >= CITY_SHARE : areas.shareWithin(place, areas.middleOf(place), radiusKm) >= CITY_SHARE;
}

export function orderPlaces(
  tree: MatchedTree,
  areas: TreeAreas,
  city: NamedCity,
  places: readonly number[],
): { places: number[]; isWider: boolean } {
  const ascending = [...places].sort((a, b) => a - b);
  const units = ascending.filter((place) => !areas.isLeaf(place));
  const leaves = ascending.filter((place) => areas.isLeaf(place));
  const whole = units.find((unit) => isCity(areas, city, unit));
  const first = whole ?? mainLeaf(tree, areas, city, leaves) ?? (units.at(-1) as number);
  return {
    places: [first, ...ascending.filter((place) => place !== first)],
    isWider: whole === undefined && leaves.length === 0 && isWiderThan(areas, city, first),
  };
}

/** Of the leaves of the unit with the most leaves, then the nearest unit, the one of the lowest code; none of none. */
function mainLeaf(
  tree: MatchedTree,
  areas: TreeAreas,
  { latitude, longitude }: NamedCity,
  leaves: readonly number[],
): number | undefined {
  const leavesByUnit = new Map<number, number[]>();
  for (const leaf of leaves) {
    const unit = tree.parents[leaf] as number;
    const siblings = leavesByUnit.get(unit);
    if (siblings === undefined) leavesByUnit.set(unit, [leaf]);
    else siblings.push(leaf);
  }
  const kmOf = (siblings: readonly number[]): number =>
    Math.min(...siblings.map((leaf) => areas.kmTo(latitude, longitude, leaf)));
  const groups = [...leavesByUnit.values()].map((siblings) => ({ siblings, km: kmOf(siblings) }));
  groups.sort((a, b) => b.siblings.length - a.siblings.length || a.km - b.km);
  const codeOf = (leaf: number): string => tree.postalCodes[leaf] ?? '';
  return groups[0]?.siblings.toSorted((a, b) => compareCodePoints(codeOf(a), codeOf(b)) || a - b)[0];
}
