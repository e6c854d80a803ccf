/** Distances for answers: great circles on geokdbush's sphere with a radius of 6371 km, as every search uses it. */
import { distance } from 'geokdbush';
import type { Position } from '../format/spherical-mean.js';

/** Half the circumference of the sphere in kilometres: the distance of two points opposite each other. */
const MAX_DISTANCE_KM = 6371 * Math.PI;

export function distanceKm(from: Position, to: Position): number {
  const km = distance(from.longitude, from.latitude, to.longitude, to.latitude);
  // Of points opposite each other rounding can lead to the arcsine of a number over 1, which is NaN.
  return Number.isNaN(km) ? MAX_DISTANCE_KM : km;
}

export function roundToMetres(km: number): number {
  return Math.round(km * 1000) / 1000;
}
