/**
 * The importance of a place, as one number. A gazetteer city has its population: doubled for the capital of a country
 * (and at least a big city's), halved for a section of a city. It is times 1.5 for the seat of a first-level admin unit that
 * is the largest city of its name: of namesakes the one with more people comes first. Other places rank below all cities,
 * by the number of postal codes below them.
 */

import { BIG_CITY } from '../../src/core/snapshot/name-index.js';
import { CAPITAL, SEAT, SECTION } from '../gazetteer/city-row.js';
import type { NamedCity } from '../gazetteer/read-gazetteer.js';

/** The lowest importance of a city: more than the number of postal codes of any place. */
const OTHER_PLACES = 10_000_000;
/** The highest importance that a 32-bit integer holds. */
const HIGHEST = 0xffff_ffff;

/** The importance of a city with this weighted population. */
export function cityImportance(people: number): number {
  return Math.min(HIGHEST, OTHER_PLACES + Math.round(people));
}

/** The weighted population of a city with this importance. */
export function cityPeople(importance: number): number {
  return importance - OTHER_PLACES;
}

type WeighedCity = Pick<NamedCity, 'featureCode' | 'population' | 'isLargestOfName'>;

/** The weighted population: capitals always count as big cities, and sections rank below cities of the same name. */
export function weighPeople({ featureCode, population, isLargestOfName }: WeighedCity): number {
  if (featureCode === CAPITAL) return Math.max(BIG_CITY, population * 2);
  if (featureCode === SECTION) return population / 2;
  return featureCode === SEAT && isLargestOfName ? population * 1.5 : population;
}
