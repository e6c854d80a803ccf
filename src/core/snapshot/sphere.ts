/**
 * Positions on the Earth as a sphere: means of points, distances, and the bounding boxes of circles.
 */

import { distance } from 'geokdbush';

/** In degrees. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

const DEGREES = Math.PI / 180;
/** False for what only a damaged file contains. */
export function isOnEarth({ latitude, longitude }: Position): boolean {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}

/** Units per degree of a rounded position: four decimals, about 10 m, as precise as the points. */
const DECIMALS = 1e4;

/**
 * Means of points: the sum of their unit vectors, projected to the surface. Unlike the mean of degrees it is right across
 * the antimeridian and near the poles. Keeps one sum for each of `count` places, so that a place's sum can be added to its
 * parent's: the sines and cosines of each point are computed once, at any depth.
 */
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

/* Circles on the globe and their bounding boxes. */

/** The mean radius of the Earth in kilometres, as geokdbush uses it for distances. */
const EARTH_RADIUS_KM = 6371;

/** In degrees, the bounds included. No box crosses the antimeridian. */
export interface BoundingBox {
  readonly minLat: number;
  readonly maxLat: number;
  readonly minLng: number;
  readonly maxLng: number;
}

/** The boxes that contain every point of the circle: one box, or two if the circle crosses the antimeridian. */
export function boxesAround(lat: number, lng: number, radiusKm: number): BoundingBox[] {
  const reach = reachOnSphere(lat, radiusKm);
  const minLat = Math.max(-90, lat - reach.lat);
  const maxLat = Math.min(90, lat + reach.lat);
  return longitudeRanges(lng, reach.lng).map(([minLng, maxLng]) => ({ minLat, maxLat, minLng, maxLng }));
}

/**
 * The extent of the circle from its centre in degrees of latitude and longitude. A circle around a pole has 180 of
 * longitude.
 */
export function reachOnSphere(lat: number, radiusKm: number): { readonly lat: number; readonly lng: number } {
  const angle = angleOf(radiusKm);
  const degrees = toDegrees(angle);
  // A circle that contains a pole has points at every longitude; the formula below doesn't apply to it.
  const holdsPole = lat - degrees <= -90 || lat + degrees >= 90;
  return {
    lat: degrees,
    lng: holdsPole ? 180 : toDegrees(Math.asin(Math.min(1, Math.sin(angle) / cosine(lat)))),
  };
}

/** The angle of a radius in radians, a millionth and a millimetre larger, so that rounding excludes no point. */
function angleOf(radiusKm: number): number {
  return (radiusKm * 1.000001 + 1e-6) / EARTH_RADIUS_KM;
}

/** Likewise in degrees of latitude. */
export function degreesOnSphere(radiusKm: number): number {
  return toDegrees(angleOf(radiusKm));
}

/** The ranges of longitudes within `reach` degrees of `lng`. */
function longitudeRanges(lng: number, reach: number): [minLng: number, maxLng: number][] {
  if (reach >= 180) return [[-180, 180]];
  const [west, east] = [lng - reach, lng + reach];
  if (west > -180 && east < 180) return [[west, east]];
  const [easternMin, westernMax] = west <= -180 ? [west + 360, east] : [west, east - 360];
  return [
    [-180, westernMax],
    [easternMin, 180],
  ];
}

export function cosine(degrees: number): number {
  return Math.cos((degrees * Math.PI) / 180);
}

export function haversine(degrees: number): number {
  return Math.sin((degrees * Math.PI) / 360) ** 2;
}

function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}

export interface Circle {
  readonly lat: number;
  readonly lng: number;
  readonly radiusKm: number;
}
