/**
 * How far from its position in the gazetteer a city's place may lie. A city is not a point, and a release often gives a
 * municipality one point in the middle of its area, or a wrong one. So distance alone decides only nearby; further off
 * the admin units must agree, and no second place of that name may lie in the same unit. The figures are measured: see
 * docs/contributing/cities.md.
 */

/** What the admin unit of a place says to that of a city: see AdminAgreement. */
export type Agreement = 'same' | 'unknown' | 'different';

/** The agreement of a place and a city in the admin units of level 1 and of level 2. */
export interface UnitAgreement {
  readonly level1: Agreement;
  readonly level2: Agreement;
}

/** People for each km² of a large city, a low figure: that of its whole area. */
const PEOPLE_PER_KM2 = 4_000;
/** A place of a city's name so near to the city's edge is the city, whatever else is. */
export const NEAR_KM = 10;
/** Across the border of the city's admin unit: a place on that border, or a unit that was reformed. */
const BEYOND_BORDER_KM = 3;

/** Places of one name so near to each other, or to the edge of the city, are one city. */
export const SAME_SPOT_KM = 5;

/** From so many people on a city has parts around it, and a place even where the release knows nothing of it. */
export const LARGE_CITY = 50_000;
/** Of latitude, a little less than there are. */
export const KM_PER_DEGREE = 111;

/** What lies farther than this from a city's middle is not the city, nor a part of it. */
export function wideRadiusKm(population: number): number {
  return 2 * cityRadiusKm(population) + 10;
}

/** Whether a place at this distance from a city's position lies in the city or at its edge. */
export function isSameSpotKm(km: number, population: number): boolean {
  return km <= cityRadiusKm(population) + SAME_SPOT_KM;
}

/** The radius in km of a circle in which so many people live: 1 km for 15,000, 9 km for a million. */
export function cityRadiusKm(population: number): number {
  return Math.sqrt(population / (PEOPLE_PER_KM2 * Math.PI));
}

/** The distance in km, measured from the city's edge, within which a place of its name is the city whatever else is. */
export function nearLimitKm({ level1, level2 }: UnitAgreement): number {
  return level1 === 'different' || (level2 === 'different' && level1 !== 'same') ? BEYOND_BORDER_KM : NEAR_KM;
}

/**
 * The distance in km, measured from the city's edge, within which the place is the city that bears its main name, or
 * (`isOtherName`) one of its other names. `hasRival`: whether another place of that name lies in the same admin unit, or,
 * where units are not known, in the country.
 */
export function farLimitKm({ level1, level2 }: UnitAgreement, isOtherName: boolean, hasRival: boolean): number {
  if (level1 === 'different' || level2 === 'different') return 0;
  if (level1 === 'same' && level2 === 'same') return hasRival ? 60 : 1_000;
  if (level1 === 'same' || level2 === 'same') return hasRival ? (isOtherName ? 15 : 30) : isOtherName ? 60 : 200;
  return hasRival ? 15 : isOtherName ? 20 : 50;
}
