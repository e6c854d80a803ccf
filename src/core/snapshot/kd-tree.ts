/**
 * Finds the points nearest to a point by a search of a k-d tree in the bounding box of a circle, the nearer half of each
 * node first. The tree has kdbush's layout: an implicit balanced tree over an array, split by longitude and latitude
 * alternately. Each result shrinks the circle and its box. Distances are geokdbush's: great circles on a sphere with a
 * radius of 6371 km. geokdbush's own search allocates 14 kB for each lookup, and checks the maximum distance only at
 * points, not at nodes.
 */

import { distance } from 'geokdbush';
import {
  type BoundingBox,
  boxesAround,
  type Circle,
  cosine,
  degreesOnSphere,
  haversine,
  reachOnSphere,
} from './sphere.js';

/** Maximum number of points in a leaf of the tree. Small, because each visited point costs two sines. */
export const POINT_NODE_SIZE = 16;

/** The points of a k-d tree, in its order. */
export interface TreePoints {
  /** What each point stands for: a place, or a full code (full-codes.ts). */
  readonly places: Uint32Array;
  /** The longitude (axis 0) or latitude (axis 1) of a point; NaN for what is no point, as a damaged file can have it. */
  readonly degrees: (point: number, axis: 0 | 1) => number;
}

export interface NearestPoint {
  /** The number of the point in its tree. */
  readonly point: number;
  /** What the point stands for: a place, or a full code. */
  readonly place: number;
  readonly distanceKm: number;
}

/**
 * Maximum number of points at the same distance. Points of an index are distinct, so a few at most are equally far; in
 * a damaged file all of them could be.
 */
const MAX_EQUALS = 256;

/** All points at the least distance within the circle: usually one; none if the circle contains no point. */
export function findNearestInKdTree(index: TreePoints, circle: Circle): NearestPoint[] {
  let nearestKm = circle.radiusKm;
  let points: number[] = [];
  visitKdTree(index, circle, (point, distanceKm) => {
    if (distanceKm < nearestKm) points = [];
    nearestKm = distanceKm;
    if (points.length < MAX_EQUALS) points.push(point);
    return nearestKm;
  });
  return points.map((point) => ({ point, place: index.places[point] as number, distanceKm: nearestKm }));
}

/** The points within the circle, at most `limit`, the nearest first, then by number of the place or full code. */
export function listNearestInKdTree(index: TreePoints, circle: Circle, limit: number): NearestPoint[] {
  const found: NearestPoint[] = [];
  visitKdTree(index, circle, (point, distanceKm) => {
    const place = index.places[point] as number;
    let at = found.length;
    while (at > 0 && isBefore(place, distanceKm, found[at - 1] as NearestPoint)) at--;
    found.splice(at, 0, { point, place, distanceKm });
    if (found.length > limit) found.pop();
    return found.length < limit ? circle.radiusKm : (found[limit - 1] as NearestPoint).distanceKm;
  });
  return found;
}

function isBefore(place: number, distanceKm: number, other: NearestPoint): boolean {
  return distanceKm < other.distanceKm || (distanceKm === other.distanceKm && place < other.place);
}

/**
 * Calls `visit` with the points within the circle, in no order, and their distances in km. `visit` returns the radius
 * for the rest of the search in km, at most the previous radius. A point at exactly the radius is within the circle.
 */
export function visitKdTree(
  index: TreePoints,
  circle: Circle,
  visit: (point: number, distanceKm: number) => number,
): void {
  let radiusKm = circle.radiusKm;
  for (const box of boxesAround(circle.lat, circle.lng, radiusKm)) {
    radiusKm = visitBox(index, circle, radiusKm, box, visit);
  }
}

/** Likewise for the points in a box, at most `withinKm` away. Returns the remaining radius. */
function visitBox(
  { degrees, places }: TreePoints,
  { lat, lng }: Circle,
  withinKm: number,
  box: BoundingBox,
  visit: (point: number, distanceKm: number) => number,
): number {
  let radiusKm = withinKm;
  let { minLat, maxLat, minLng, maxLng } = box;
  // The longitude of the circle's centre, shifted by 360° for a box across the antimeridian.
  const centreLng = lng < minLng ? lng + 360 : lng > maxLng ? lng - 360 : lng;
  const cosLat = cosine(lat);
  let reachHaversine = haversine(degreesOnSphere(radiusKm));

  function narrow(): void {
    reachHaversine = haversine(degreesOnSphere(radiusKm));
    const reach = reachOnSphere(lat, radiusKm);
    minLat = Math.max(minLat, lat - reach.lat);
    maxLat = Math.min(maxLat, lat + reach.lat);
    // The box around a pole has every longitude, and keeps them.
    if (maxLng - minLng >= 360) return;
    minLng = Math.max(minLng, centreLng - reach.lng);
    maxLng = Math.min(maxLng, centreLng + reach.lng);
  }

  function visitPoint(point: number): void {
    const [pointLng, pointLat] = [degrees(point, 0), degrees(point, 1)];
    // The negation also excludes NaN, which a damaged file can contain.
    if (!(pointLat >= minLat && pointLat <= maxLat && pointLng >= minLng && pointLng <= maxLng)) return;
    const distanceKm = distance(lng, lat, pointLng, pointLat);
    if (distanceKm > radiusKm) return;
    const left = visit(point, distanceKm);
    if (left === radiusKm) return;
    radiusKm = left;
    narrow();
  }

  /** Whether a cell that touches the circle's box lies outside of the circle, beside a corner of the box. */
  function isBeyond(south: number, west: number, north: number, east: number): boolean {
    const apartLat = Math.max(south - lat, lat - north);
    const apartLng = Math.max(west - centreLng, centreLng - east);
    if (!(apartLat > 0 && apartLng > 0) || maxLng - minLng >= 360) return false;
    // No point of the cell is nearer than the least differences of both degrees with the least cosine would be.
    const leastCosine = Math.min(cosine(south), cosine(north));
    return haversine(apartLat) + cosLat * leastCosine * haversine(apartLng) > reachHaversine;
  }

  /**
   * Visits the points from `first` to `last`, which lie in a cell. The middle point splits them by longitude (axis 0) or
   * latitude (axis 1).
   */
  function visitNode(
    first: number,
    last: number,
    axis: 0 | 1,
    south: number,
    west: number,
    north: number,
    east: number,
  ): void {
    if (last - first <= POINT_NODE_SIZE) {
      for (let point = first; point <= last; point++) visitPoint(point);
      return;
    }
    const middle = (first + last) >>> 1;
    const at = degrees(middle, axis);
    const other = axis === 0 ? 1 : 0;
    // Negated so that NaN, which a damaged file can contain, leads into both halves.
    const visitLow = (): void => {
      if ((axis === 0 ? minLng : minLat) > at) return;
      const [lowNorth, lowEast] = axis === 0 ? [north, at] : [at, east];
      if (!isBeyond(south, west, lowNorth, lowEast))
        visitNode(first, middle - 1, other, south, west, lowNorth, lowEast);
    };
    const visitHigh = (): void => {
      if ((axis === 0 ? maxLng : maxLat) < at) return;
      const [highSouth, highWest] = axis === 0 ? [south, at] : [at, west];
      if (!isBeyond(highSouth, highWest, north, east))
        visitNode(middle + 1, last, other, highSouth, highWest, north, east);
    };
    const isLowNearer = (axis === 0 ? centreLng : lat) <= at;
    if (isLowNearer) visitLow();
    else visitHigh();
    visitPoint(middle);
    if (isLowNearer) visitHigh();
    else visitLow();
  }

  visitNode(0, places.length - 1, 0, minLat, minLng, maxLat, maxLng);
  return radiusKm;
}
