/** Where a group of points lies: its middle, by medians, which a few wrong points do not move, and how wide it is. */
import { kmBetween } from '../tree/distance.js';
import { roundDegrees } from '../tree/spherical-mean.js';

export interface PointGroup {
  readonly pointCount: number;
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
  // Differences to where most points lie, so that a group across the antimeridian has its middle there.
  const from = meanLongitude(indexes.map((index) => longitudes[index] as number));
  const longitude = wrap(from + medianOf(indexes.map((index) => wrap((longitudes[index] as number) - from))));
  const distances = indexes.map((index) =>
    kmBetween(latitude, longitude, latitudes[index] as number, longitudes[index] as number),
  );
  return {
    pointCount: indexes.length,
    latitude: roundDegrees(latitude),
    longitude: roundDegrees(longitude),
    radiusKm: medianOf(distances),
  };
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
