/**
 * The maximum distances between a city's position in the gazetteer and its place. A city is not a point, and a release
 * often gives a municipality the centre of its area, or a wrong point. So distance alone decides only nearby; farther
 * off the admin units must agree, and no second place of the name may lie in the same unit. The figures are measured:
 * see docs/contributing/cities.md.
 */

import { CAPITAL, type City, SEAT, SECTION } from './city-row.js';

/** Whether a place and a city lie in the same admin unit: see AdminAgreement. */
export type Agreement = 'same' | 'unknown' | 'different';

/** The agreement at level 1 and at level 2. */
export interface UnitAgreement {
  readonly level1: Agreement;
  readonly level2: Agreement;
}

/** People per km² of a large city: a low figure, the average over its whole area. */
const PEOPLE_PER_KM2 = 4_000;
/** Distance from the city's edge, in km, within which a place of its name is the city in any admin unit. */
export const NEAR_KM = 10;
/** The same limit, in km, for a place in a different admin unit: it lies on the border, or the unit was reformed. */
const BEYOND_BORDER_KM = 3;

/** Distance, in km, within which places of the same name are one city: about a suburb's width. */
export const SAME_SPOT_KM = 5;

/** Minimum population of a city that has parts around it, in people: smaller circles hold few places by chance. */
export const LARGE_CITY = 50_000;
/** Minimum population of a city that is synthesised if the release lacks it, in people: from here on it is a town. */
const MIN_TOWN = 2_000;
/** The same for a section of a city: the smaller ones are streets and estates. */
const MIN_SECTION = 15_000;
/** Kilometres per degree of latitude, rounded down so that a distance in degrees is never too small. */
export const KM_PER_DEGREE = 111;

/** Whether a search for a city must find a place, even if the release lacks it. */
export function needsPlace({ population, featureCode }: Pick<City, 'population' | 'featureCode'>): boolean {
  if (featureCode === CAPITAL || featureCode === SEAT) return true;
  return population >= (featureCode === SECTION ? MIN_SECTION : MIN_TOWN);
}

/** The distance from a city's centre, in km, beyond which no place is the city or a part of it. */
export function wideRadiusKm(population: number): number {
  return 2 * cityRadiusKm(population) + 10;
}

/** Whether a place at this distance from a city's position lies in the city or at its edge. */
export function isSameSpotKm(km: number, population: number): boolean {
  return km <= cityRadiusKm(population) + SAME_SPOT_KM;
}

/** The radius, in km, of a circle with this population: 1 km for 15,000 people, 9 km for a million. */
export function cityRadiusKm(population: number): number {
  return Math.sqrt(population / (PEOPLE_PER_KM2 * Math.PI));
}

/** The distance from the city's edge, in km, within which a place of its name is the city, even if it has rivals. */
export function nearLimitKm({ level1, level2 }: UnitAgreement): number {
  return level1 === 'different' || (level2 === 'different' && level1 !== 'same') ? BEYOND_BORDER_KM : NEAR_KM;
}

/**
 * The distance from the city's edge, in km, within which a place of its main name, or (`isOtherName`) of one of its
 * other names, is the city. `hasRival`: whether another place of that name lies in the same admin unit or, if units are
 * unknown, in the country.
 */
export function farLimitKm({ level1, level2 }: UnitAgreement, isOtherName: boolean, hasRival: boolean): number {
  if (level1 === 'different' || level2 === 'different') return 0;
  if (level1 === 'same' && level2 === 'same') return hasRival ? 60 : 1_000;
  if (level1 === 'same' || level2 === 'same') return hasRival ? (isOtherName ? 15 : 30) : isOtherName ? 60 : 200;
  return hasRival ? 15 : isOtherName ? 20 : 50;
}
