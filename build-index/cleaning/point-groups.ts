/** The centre and radius of a group of points, by medians, which a few wrong points don't change. */

import { kmBetween, roundDegrees } from '../../src/core/snapshot/sphere.js';

export interface PointGroup {
  readonly latitude: number;
  readonly longitude: number;
  /** The median distance of the points from the centre. */
  readonly radiusKm: number;
}

interface Points {
  readonly latitudes: readonly number[];
  readonly longitudes: readonly number[];
}

/** The group of the points at `indexes`, which are distinct and at least one. */
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

/** The median; for a group across the antimeridian, the median of the differences from the mean direction. */
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

/** The mean direction of the points from the earth's axis. Sorting makes it independent of their order. */
function meanLongitude(longitudes: readonly number[]): number {
  const radians = longitudes.toSorted((a, b) => a - b).map((degrees) => (degrees * Math.PI) / 180);
  const sum = (of: (angle: number) => number): number => radians.reduce((total, angle) => total + of(angle), 0);
  return (Math.atan2(sum(Math.sin), sum(Math.cos)) * 180) / Math.PI;
}

/** Degrees from -180 (included) to 180 (excluded). */
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
