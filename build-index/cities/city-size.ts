/**
 * How large a city is, by its population: the radius of its circle, the size from which it has parts, and the size from
 * which a search must find a place of it.
 */

import { CAPITAL, type City, SEAT, SECTION } from '../gazetteer/city-row.js';

/** People per km² of a large city: a low figure, the average over its whole area. */
const PEOPLE_PER_KM2 = 4_000;

/** Minimum population of a city that has parts around it, in people: smaller circles hold few places by chance. */
export const LARGE_CITY = 50_000;
/** Minimum population of a city that is synthesised if the release lacks it, in people: from here on it is a town. */
const MIN_TOWN = 2_000;
/** The same for a section of a city: the smaller ones are streets and estates. */
const MIN_SECTION = 15_000;

/** Whether a search for a city must find a place, even if the release lacks it. */
export function isSizeableCity({ population, featureCode }: Pick<City, 'population' | 'featureCode'>): boolean {
  if (featureCode === CAPITAL || featureCode === SEAT) return true;
  return population >= (featureCode === SECTION ? MIN_SECTION : MIN_TOWN);
}

/** The radius, in km, of a circle with this population: 1 km for 15,000 people, 9 km for a million. */
export function cityRadiusKm(population: number): number {
  return Math.sqrt(population / (PEOPLE_PER_KM2 * Math.PI));
}
