/**
 * The order of places that are equal but for their distance from a point. Places are equal that are suggested for the
 * same reason and have the same class of importance, so a near village never comes before a city, nor a near town before
 * one with ten times its people. The classes are cities of a million people and more, of 100,000, of 10,000, of 1,000,
 * all smaller cities, and all other places.
 */
import type { NameIndex } from '../../format/name-index.js';

/** Population in people from which a city has the first class; each further class begins at a tenth of it. */
const FIRST_CLASS = 1_000_000;
/** Number of classes of cities. */
const CITY_CLASSES = 5;

/** The class of importance of a rank, 0 for the most important. An infinite rank is that of a place without a rank. */
export function importanceClass({ cityPeople, firstSameName }: NameIndex, rank: number): number {
  const people = cityPeople[rank];
  if (people === undefined) return rank < (firstSameName[0] as number) ? CITY_CLASSES : CITY_CLASSES + 1;
  let least = FIRST_CLASS;
  let importance = 0;
  for (; people < least && importance < CITY_CLASSES - 1; importance++) least /= 10;
  return importance;
}

/** What a place is compared by: its class of importance, then its distance from the point in km. */
export interface Nearness {
  readonly importance: number;
  readonly distanceKm: number;
}

/** Of a place that is not measured. */
export const UNKNOWN_NEARNESS: Nearness = { importance: Number.MAX_VALUE, distanceKm: Number.MAX_VALUE };

export function compareNearness(a: Nearness, b: Nearness): number {
  return a.importance - b.importance || a.distanceKm - b.distanceKm;
}
