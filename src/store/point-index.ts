/**
 * The nearest leaves to a point (src/format/point-index.ts): a search of the k-d tree in the box around the circle that is
 * asked for, the nearer half of each node first. What is found makes the circle smaller, and the box with it. Distances are
 * geokdbush's, along the great circle on a sphere of 6371 km; its own search allocates 14 kB for each lookup, and looks at
 * the limit of distance only when it has come down to a point.
 */
import { distance } from 'geokdbush';
import { POINT_NODE_SIZE, type PointTier } from '../format/point-index.js';
import { type Box, boxesAround, reachOf } from './circle-bounds.js';

export interface NearestPoint {
  /** The place that stands for the point. */
  readonly place: number;
  readonly distanceKm: number;
}

export interface Circle {
  readonly lat: number;
  readonly lng: number;
  readonly radiusKm: number;
}

/** Points of an index are distinct, so a handful can be at one distance; in a damaged file all of them could be. */
const MAX_EQUALS = 256;

/** Every point of a tier of the least distance in the circle: mostly one; none where nothing is as near. */
export function findNearest(index: PointTier, circle: Circle): NearestPoint[] {
  let nearestKm = circle.radiusKm;
  let points: number[] = [];
  visitInside(index, circle, (point, distanceKm) => {
    if (distanceKm < nearestKm) points = [];
    nearestKm = distanceKm;
    if (points.length < MAX_EQUALS) points.push(point);
    return nearestKm;
  });
  return points.map((point) => ({ place: index.places[point] as number, distanceKm: nearestKm }));
}

/** The nearest points of a tier in the circle, at most `limit`, the nearest first. */
export function listNearest(index: PointTier, circle: Circle, limit: number): NearestPoint[] {
  const found: NearestPoint[] = [];
  visitInside(index, circle, (point, distanceKm) => {
    let at = found.length;
    while (at > 0 && (found[at - 1] as NearestPoint).distanceKm > distanceKm) at--;
    found.splice(at, 0, { place: index.places[point] as number, distanceKm });
    if (found.length > limit) found.pop();
    return found.length < limit ? circle.radiusKm : (found[limit - 1] as NearestPoint).distanceKm;
  });
  return found;
}

/**
 * Hands on the points inside the circle, in no order, with their distances in km. `visit` tells how far to look from then
 * on, no farther than before; what is exactly so far is handed on.
 */
function visitInside(index: PointTier, circle: Circle, visit: (point: number, distanceKm: number) => number): void {
  let radiusKm = circle.radiusKm;
  for (const box of boxesAround(circle.lat, circle.lng, radiusKm)) {
    radiusKm = visitBox(index, circle, radiusKm, box, visit);
  }
}

/** Likewise of the points in a box, at most `withinKm` away; gives how far there is still to look. */
function visitBox(
  { coords, places }: PointTier,
  { lat, lng }: Circle,
  withinKm: number,
  box: Box,
  visit: (point: number, distanceKm: number) => number,
): number {
  let radiusKm = withinKm;
  let { minLat, maxLat, minLng, maxLng } = box;
  // Where the circle's centre is, seen from a box across the antimeridian.
  const centreLng = lng < minLng ? lng + 360 : lng > maxLng ? lng - 360 : lng;

  function narrow(): void {
    const reach = reachOf(lat, radiusKm);
    minLat = Math.max(minLat, lat - reach.lat);
    maxLat = Math.min(maxLat, lat + reach.lat);
    // Around a pole the box has every longitude, and keeps them.
    if (maxLng - minLng >= 360) return;
    minLng = Math.max(minLng, centreLng - reach.lng);
    maxLng = Math.min(maxLng, centreLng + reach.lng);
  }

  function visitPoint(point: number): void {
    const [pointLng, pointLat] = [coords[point * 2] as number, coords[point * 2 + 1] as number];
    // A damaged file's point can have no position, and is in no box.
    if (!(pointLat >= minLat && pointLat <= maxLat && pointLng >= minLng && pointLng <= maxLng)) return;
    const distanceKm = distance(lng, lat, pointLng, pointLat);
    if (distanceKm > radiusKm) return;
    const left = visit(point, distanceKm);
    if (left === radiusKm) return;
    radiusKm = left;
    narrow();
  }

  /** The points from `first` to `last`: the middle one halves them, by longitude (0) and latitude (1) alternately. */
  function visitNode(first: number, last: number, axis: 0 | 1): void {
    if (last - first <= POINT_NODE_SIZE) {
      for (let point = first; point <= last; point++) visitPoint(point);
      return;
    }
    const middle = (first + last) >>> 1;
    const at = coords[middle * 2 + axis] as number;
    const other = axis === 0 ? 1 : 0;
    // Said so that of a damaged file's NaN both halves are looked at.
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
