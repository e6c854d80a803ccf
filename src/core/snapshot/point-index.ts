/**
 * The k-d trees for reverse geocoding, in kdbush's layout (an implicit balanced tree in two arrays, split by longitude
 * and latitude alternately), over the distinct coordinates of a country's leaves. Each tier of leaves has a tree, one
 * after the other: a leaf is a result only if no leaf of an earlier tier is near. If several leaves of a tier share a
 * point, the leaf with the lowest code, then name, then id represents them, so that the result of "nearest" is always
 * the same.
 *
 *   tierStarts  u32[4]    the first point of each of POINT_TIERS, and the number of points
 *   places      u32[m]    the place that represents each point
 *   coords      f64[2m]   longitude and latitude of each point, degrees
 *   codeStarts  u32[m+1]  start of each point's codes
 *   codes       u32[]     the numbers of the codes of all the tier's leaves at a point, ascending
 */

import { distance } from 'geokdbush';
import { type Bundle, checkEnd, checkLength, decodeBundle, rangeAt } from './array-bundle.js';
import { structureError } from './snapshot-error.js';

/** Maximum number of points in a leaf of the tree. Small, because each visited point costs two sines. */
export const POINT_NODE_SIZE = 16;

/** Localities with reliable coordinates, localities with approximate coordinates (isCoarse), and recipients. */
export const POINT_TIERS = ['sure', 'coarse', 'recipient'] as const;

export const POINT_INDEX_SCHEMA = {
  tierStarts: 'u32',
  places: 'u32',
  coords: 'f64',
  codeStarts: 'u32',
  codes: 'u32',
} as const;

export type PointIndex = Bundle<typeof POINT_INDEX_SCHEMA>;

/** The points of a k-d tree, in its order. */
export interface TreePoints {
  /** What each point stands for: a place, or a full code (full-codes.ts). */
  readonly places: Uint32Array;
  /** The longitude (axis 0) or latitude (axis 1) of a point; NaN for what is no point, as a damaged file can have it. */
  readonly degrees: (point: number, axis: 0 | 1) => number;
}

/** One tier of an index. `codeStarts` are positions in `codes`, which are those of all tiers. */
export type PointTier = Omit<PointIndex, 'tierStarts'> & TreePoints;

export function decodePointIndex(bytes: Uint8Array, where: string): PointIndex {
  const index = decodeBundle(POINT_INDEX_SCHEMA, bytes, where);
  const { tierStarts, places, coords, codeStarts, codes } = index;
  checkLength(`${where}.tierStarts`, tierStarts, POINT_TIERS.length + 1);
  checkLength(`${where}.coords`, coords, places.length * 2);
  checkLength(`${where}.codeStarts`, codeStarts, places.length + 1);
  checkEnd(`${where}.codeStarts`, codeStarts, codes.length);
  const isAscending = tierStarts.every((start, tier) => start >= (tierStarts[tier - 1] ?? 0));
  if (!isAscending || tierStarts[0] !== 0 || tierStarts[POINT_TIERS.length] !== places.length) {
    throw structureError(where, `tiers from 0 to ${places.length}`, tierStarts.join());
  }
  return index;
}

/** Views of the points of a tier, an index into POINT_TIERS. */
export function pointTier({ tierStarts, places, coords, codeStarts, codes }: PointIndex, tier: number): PointTier {
  const [start, end] = [tierStarts[tier], tierStarts[tier + 1]] as [number, number];
  const own = coords.subarray(start * 2, end * 2);
  return {
    places: places.subarray(start, end),
    coords: own,
    degrees: (point, axis) => own[point * 2 + axis] as number,
    codeStarts: codeStarts.subarray(start, end + 1),
    codes,
  };
}

/* The bounding boxes of a circle on the globe. */

/** The mean radius of the Earth in kilometres, as geokdbush uses it for distances. */
const EARTH_RADIUS_KM = 6371;

/** In degrees, the bounds included. No box crosses the antimeridian. */
export interface Box {
  readonly minLat: number;
  readonly maxLat: number;
  readonly minLng: number;
  readonly maxLng: number;
}

/** The boxes that contain every point of the circle: one box, or two if the circle crosses the antimeridian. */
export function boxesAround(lat: number, lng: number, radiusKm: number): Box[] {
  const reach = reachOf(lat, radiusKm);
  const minLat = Math.max(-90, lat - reach.lat);
  const maxLat = Math.min(90, lat + reach.lat);
  return longitudeRanges(lng, reach.lng).map(([minLng, maxLng]) => ({ minLat, maxLat, minLng, maxLng }));
}

/**
 * The extent of the circle from its centre in degrees of latitude and longitude. A circle around a pole has 180 of
 * longitude.
 */
export function reachOf(lat: number, radiusKm: number): { readonly lat: number; readonly lng: number } {
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

function cosine(degrees: number): number {
  return Math.cos((degrees * Math.PI) / 180);
}

function haversine(degrees: number): number {
  return Math.sin((degrees * Math.PI) / 360) ** 2;
}

function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}

/*
 * Finds the leaves nearest to a point by a search of the k-d tree in the bounding box of a
 * circle, the nearer half of each node first. Each result shrinks the circle and its box. Distances are geokdbush's:
 * great circles on a sphere with a radius of 6371 km. geokdbush's own search allocates 14 kB for each lookup, and
 * checks the maximum distance only at points, not at nodes.
 */

export interface NearestPoint {
  /** The number of the point in its tier. */
  readonly point: number;
  /** What the point stands for: a place, or a full code. */
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

/** The points within the circle, at most `limit`, the nearest first, then by number of the place or full code. */
export function listNearest(index: TreePoints, circle: Circle, limit: number): NearestPoint[] {
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
  box: Box,
  visit: (point: number, distanceKm: number) => number,
): number {
  let radiusKm = withinKm;
  let { minLat, maxLat, minLng, maxLng } = box;
  // The longitude of the circle's centre, shifted by 360° for a box across the antimeridian.
  const centreLng = lng < minLng ? lng + 360 : lng > maxLng ? lng - 360 : lng;
  const cosLat = cosine(lat);
  let reachHaversine = haversine(toDegrees(angleOf(radiusKm)));

  function narrow(): void {
    reachHaversine = haversine(toDegrees(angleOf(radiusKm)));
    const reach = reachOf(lat, radiusKm);
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
