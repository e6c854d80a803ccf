/**
 * Finds the leaves nearest to a point (src/format/point-index.ts) by a search of the k-d tree in the bounding box of a
 * circle, the nearer half of each node first. Each result shrinks the circle and its box. Distances are geokdbush's:
 * great circles on a sphere with a radius of 6371 km. geokdbush's own search allocates 14 kB for each lookup, and
 * checks the maximum distance only at points, not at nodes.
 */
import { distance } from 'geokdbush';
import { POINT_NODE_SIZE, type PointTier } from '../format/point-index.js';
import { type Box, boxesAround, reachOf } from './circle-bounds.js';
import { rangeAt } from './mapped-numbers.js';

export interface NearestPoint {
  /** The number of the point in its tier. */
  readonly point: number;
  /** The place that represents the point. */
  readonly place: number;
  readonly distanceKm: number;
}

export interface Circle {
  readonly lat: number;
  readonly lng: number;
  readonly radiusKm: number;
}

/**
 * Maximum number of points at the same distance. Points of an index are distinct, so a few at most are equally far; in
 * a damaged file all of them could be.
 */
const MAX_EQUALS = 256;

/** A view of the numbers of a point's codes, ascending, at most `most`. */
export function pointCodes({ codeStarts, codes }: PointTier, point: number, most: number): Uint32Array {
  const { start, end } = rangeAt(codeStarts, point, codes.length);
  return codes.subarray(start, Math.min(end, start + most));
}

/** All points of a tier at the least distance within the circle: usually one; none if the circle contains no point. */
export function findNearest(index: PointTier, circle: Circle): NearestPoint[] {
  let nearestKm = circle.radiusKm;
  let points: number[] = [];
  visitInside(index, circle, (point, distanceKm) => {
    if (distanceKm < nearestKm) points = [];
    nearestKm = distanceKm;
    if (points.length < MAX_EQUALS) points.push(point);
    return nearestKm;
  });
  return points.map((point) => ({ point, place: index.places[point] as number, distanceKm: nearestKm }));
}

/** The points of a tier within the circle, at most `limit`, the nearest first, then by place number. */
export function listNearest(index: PointTier, circle: Circle, limit: number): NearestPoint[] {
  const found: NearestPoint[] = [];
  visitInside(index, circle, (point, distanceKm) => {
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
export function visitInside(
  index: PointTier,
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
  { coords, places }: PointTier,
  { lat, lng }: Circle,
  withinKm: number,
  box: Box,
  visit: (point: number, distanceKm: number) => number,
): number {
  let radiusKm = withinKm;
  let { minLat, maxLat, minLng, maxLng } = box;
  // The longitude of the circle's centre, shifted by 360° for a box across the antimeridian.
  const centreLng = lng < minLng ? lng + 360 : lng > maxLng ? lng - 360 : lng;

  function narrow(): void {
    const reach = reachOf(lat, radiusKm);
    minLat = Math.max(minLat, lat - reach.lat);
    maxLat = Math.min(maxLat, lat + reach.lat);
    // The box around a pole has every longitude, and keeps them.
    if (maxLng - minLng >= 360) return;
    minLng = Math.max(minLng, centreLng - reach.lng);
    maxLng = Math.min(maxLng, centreLng + reach.lng);
  }

  function visitPoint(point: number): void {
    const [pointLng, pointLat] = [coords[point * 2] as number, coords[point * 2 + 1] as number];
    // The negation also excludes NaN, which a damaged file can contain.
    if (!(pointLat >= minLat && pointLat <= maxLat && pointLng >= minLng && pointLng <= maxLng)) return;
    const distanceKm = distance(lng, lat, pointLng, pointLat);
    if (distanceKm > radiusKm) return;
    const left = visit(point, distanceKm);
    if (left === radiusKm) return;
    radiusKm = left;
    narrow();
  }

  /**
   * Visits the points from `first` to `last`. The middle point splits them by longitude (axis 0) or latitude (axis 1).
   */
  function visitNode(first: number, last: number, axis: 0 | 1): void {
    if (last - first <= POINT_NODE_SIZE) {
      for (let point = first; point <= last; point++) visitPoint(point);
      return;
    }
    const middle = (first + last) >>> 1;
    const at = coords[middle * 2 + axis] as number;
    const other = axis === 0 ? 1 : 0;
    // Negated so that NaN, which a damaged file can contain, leads into both halves.
    const visitLow = (): void => {
      if (!((axis === 0 ? minLng : minLat) > at)) visitNode(first, middle - 1, other);
    };
    const visitHigh = (): void => {
      if (!((axis === 0 ? maxLng : maxLat) < at)) visitNode(middle + 1, last, other);
    };
    const isLowNearer = (axis === 0 ? centreLng : lat) <= at;
    if (isLowNearer) visitLow();
    else visitHigh();
    visitPoint(middle);
    if (isLowNearer) visitHigh();
    else visitLow();
  }

  visitNode(0, places.length - 1, 0);
  return radiusKm;
}
