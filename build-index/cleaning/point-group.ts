/** Where a group of points lies: its middle, by medians, which a few wrong points do not move, and how wide it is. */
import { kmBetween } from '../tree/distance.js';
import { roundDegrees } from '../tree/spherical-mean.js';

export interface PointGroup {
  readonly latitude: number;
  readonly longitude: number;
  /** Half of the points lie within this distance of the middle. */
  readonly radiusKm: number;
}

interface Points {
  readonly latitudes: readonly number[];
  readonly longitudes: readonly number[];
}

/** The group of these points, each given once: indexes into `points`. At least one. */
export function groupOf({ latitudes, longitudes }: Points, indexes: readonly number[]): PointGroup {
  const latitude = medianOf(indexes.map((index) => latitudes[index] as number));
  const longitude = middleLongitude(indexes.map((index) => longitudes[index] as number));
  const distances = indexes.map((index) =>
    kmBetween(latitude, longitude, latitudes[index] as number, longitudes[index] as number),
  );
  return {
    latitude: roundDegrees(latitude),
    longitude: roundDegrees(longitude),
    radiusKm: medianOf(distances),
  };
}

/** The median; of a group across the antimeridian, that of the differences to where most points lie. */
function middleLongitude(longitudes: readonly number[]): number {
  let [least, most] = [180, -180];
  for (const longitude of longitudes) {
    least = Math.min(least, longitude);
    most = Math.max(most, longitude);
  }
  if (most - least < 180) return medianOf(longitudes);
  const from = meanLongitude(longitudes);
  return wrap(from + medianOf(longitudes.map((longitude) => wrap(longitude - from))));
}

/** The direction in which the points lie, seen from the axis; the same in whatever order they are given. */
function meanLongitude(longitudes: readonly number[]): number {
  const radians = longitudes.toSorted((a, b) => a - b).map((degrees) => (degrees * Math.PI) / 180);
  const sum = (of: (angle: number) => number): number => radians.reduce((total, angle) => total + of(angle), 0);
  return (Math.atan2(sum(Math.sin), sum(Math.cos)) * 180) / Math.PI;
}

/** Degrees from -180 to, without, 180. */
function wrap(degrees: number): number {
  return ((((degrees + 180) % 360) + 360) % 360) - 180;
}

function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
