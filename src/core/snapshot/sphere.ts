/**
 * Means of points on the sphere: the sum of their unit vectors, projected to the surface. Unlike the mean of degrees it
 * is right across the antimeridian and near the poles. Keeps one sum for each of `count` places, so that a place's sum
 * can be added to its parent's: the sines and cosines of each point are computed once, at any depth.
 */

import { distance } from 'geokdbush';

/** In degrees. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

const DEGREES = Math.PI / 180;
/** Units per degree of a rounded position: four decimals, about 10 m, as precise as the points. */
const DECIMALS = 1e4;

export class SphericalMeans {
  private readonly sums: Float64Array;
  private readonly pointCounts: Uint32Array;

  constructor(count: number) {
    this.sums = new Float64Array(count * 3);
    this.pointCounts = new Uint32Array(count);
  }

  /** Adds a point, in degrees, to the sum of `place`. */
  addPoint(place: number, latitude: number, longitude: number): void {
    const cosLat = Math.cos(latitude * DEGREES);
    this.add(place, 0, cosLat * Math.cos(longitude * DEGREES));
    this.add(place, 1, cosLat * Math.sin(longitude * DEGREES));
    this.add(place, 2, Math.sin(latitude * DEGREES));
    this.pointCounts[place] = (this.pointCounts[place] as number) + 1;
  }

  /** Adds all points of `part` to the sum of `place`. */
  addSum(place: number, part: number): void {
    for (let axis = 0; axis < 3; axis++) this.add(place, axis, this.sums[part * 3 + axis] as number);
    this.pointCounts[place] = (this.pointCounts[place] as number) + (this.pointCounts[part] as number);
  }

  countOf(place: number): number {
    return this.pointCounts[place] as number;
  }

  /** The mean in degrees, rounded to four decimals; undefined if the points cancel each other out. */
  get(place: number): Position | undefined {
    const [x, y, z] = this.sums.subarray(place * 3, place * 3 + 3) as unknown as [number, number, number];
    const horizontal = Math.hypot(x, y);
    if (Math.hypot(horizontal, z) < 1e-9 * (this.pointCounts[place] as number)) return undefined;
    return {
      latitude: roundDegrees(Math.atan2(z, horizontal) / DEGREES),
      longitude: roundDegrees(Math.atan2(y, x) / DEGREES),
    };
  }

  private add(place: number, axis: number, value: number): void {
    this.sums[place * 3 + axis] = (this.sums[place * 3 + axis] as number) + value;
  }
}

/** Rounds to four decimals, never to negative zero. */
export function roundDegrees(degrees: number): number {
  const rounded = Math.round(degrees * DECIMALS) / DECIMALS;
  return rounded === 0 ? 0 : rounded;
}

/* Distances for answers: great circles on geokdbush's sphere with a radius of 6371 km, as every search uses it. */

/** Half the circumference of the sphere in kilometres: the distance of two points opposite each other. */
const MAX_DISTANCE_KM = 6371 * Math.PI;

export function distanceKm(from: Position, to: Position): number {
  return kmBetween(from.latitude, from.longitude, to.latitude, to.longitude);
}

/** The same for loops over arrays of coordinates, in degrees. */
export function kmBetween(latitude: number, longitude: number, toLatitude: number, toLongitude: number): number {
  const km = distance(longitude, latitude, toLongitude, toLatitude);
  // Of points opposite each other rounding can lead to the arcsine of a number over 1, which is NaN.
  return Number.isNaN(km) ? MAX_DISTANCE_KM : km;
}

export function roundToMetres(km: number): number {
  return Math.round(km * 1000) / 1000;
}
