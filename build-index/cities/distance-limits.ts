/**
 * The maximum distances between a city's position in the gazetteer and its place. A city is not a point, and a release
 * often gives a municipality the centre of its area, or a wrong point. So distance alone decides only nearby; farther
 * off the admin units must agree, and no second place of the name may lie in the same unit. The figures are measured:
 * see docs/contributing/cities.md.
 */

import type { UnitAgreement } from './admin-agreement.js';
import { cityRadiusKm } from './city-size.js';

/** Distance from the city's edge, in km, within which a place of its name is the city in any admin unit. */
export const NEAR_KM = 10;
/** The same limit, in km, for a place in a different admin unit: it lies on the border, or the unit was reformed. */
const BEYOND_BORDER_KM = 3;

/** Distance, in km, within which places of the same name are one city: about a suburb's width. */
export const SAME_SPOT_KM = 5;

/** The distance from a city's centre, in km, beyond which no place is the city or a part of it. */
export function cityDistanceLimitKm(population: number): number {
  return 2 * cityRadiusKm(population) + 10;
}

/** Whether a place at this distance from a city's position lies in the city or at its edge. */
export function isWithinSameSpotLimit(km: number, population: number): boolean {
  return km <= cityRadiusKm(population) + SAME_SPOT_KM;
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
