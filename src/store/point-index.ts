/**
 * The nearest leaf to a point (src/format/point-index.ts), by geokdbush: a best-first search of the k-d tree with the
 * great-circle distance on a sphere of 6371 km. That search looks at the limit of distance only when it has come down to
 * a point, which far from all data it does after hundreds of nodes; so what lies in the box around the circle is asked
 * first.
 */
import { around, distance } from 'geokdbush';
import type KDBush from 'kdbush';
import { POINT_NODE_SIZE, type PointTier } from '../format/point-index.js';
import { type Box, boxesAround } from './circle-bounds.js';

export interface NearestPoint {
  /** The place that stands for the point. */
  readonly place: number;
  readonly distanceKm: number;
}

/** 0, 1, 2, … `length` - 1: the ids that findNearest wants, for the longest index there is. */
export function pointPositions(length: number): Uint32Array {
  const positions = new Uint32Array(length);
  for (let position = 0; position < length; position++) positions[position] = position;
  return positions;
}

/** Points of an index are distinct, so a handful can be at one distance; in a damaged file all of them could be. */
const MAX_EQUALS = 256;

/**
 * Every point of a tier of the least distance within `radiusKm`: mostly one; none where nothing is as near. `positions` is what
 * pointPositions gives, for this many points or more.
 */
export function findNearest(
  index: PointTier,
  positions: Uint32Array,
  { lat, lng, radiusKm }: { readonly lat: number; readonly lng: number; readonly radiusKm: number },
): NearestPoint[] {
  const { coords, places } = index;
  if (!boxesAround(lat, lng, radiusKm).some((box) => hasPointIn(index, box))) return [];
  const points = searchable(coords, positions.subarray(0, places.length));
  const distanceTo = (point: number): number =>
    distance(lng, lat, coords[point * 2] as number, coords[point * 2 + 1] as number);

  const [first, second] = around(points, lng, lat, 2, radiusKm);
  if (first === undefined) return [];
  const distanceKm = distanceTo(first);
  // A damaged file's point can have no position.
  if (Number.isNaN(distanceKm)) return [];
  let nearest = [first];
  if (second !== undefined && distanceTo(second) <= distanceKm) {
    // A hair more than the distance, so that rounding inside the search loses none of the equals.
    nearest = around(points, lng, lat, MAX_EQUALS, distanceKm * (1 + 1e-9) + 1e-9).filter(
      (point) => distanceTo(point) <= distanceKm,
    );
  }
  return nearest.map((point) => ({ place: places[point] as number, distanceKm }));
}

/** The nearest points of a tier within `radiusKm`, at most `limit`, the nearest first. `positions` as in findNearest. */
export function listNearest(
  index: PointTier,
  positions: Uint32Array,
  search: { readonly lat: number; readonly lng: number; readonly radiusKm: number; readonly limit: number },
): NearestPoint[] {
  const { lat, lng, radiusKm, limit } = search;
  if (!boxesAround(lat, lng, radiusKm).some((box) => hasPointIn(index, box))) return [];
  const { coords, places } = index;
  const points = searchable(coords, positions.subarray(0, places.length));
  return around(points, lng, lat, limit, radiusKm).flatMap((point) => {
    const distanceKm = distance(lng, lat, coords[point * 2] as number, coords[point * 2 + 1] as number);
    // A damaged file's point can have no position.
    return Number.isNaN(distanceKm) ? [] : [{ place: places[point] as number, distanceKm }];
  });
}

/** geokdbush gives ids back and reads nothing but these three fields; a point's position serves as its id. */
function searchable(coords: Float64Array, ids: Uint32Array): KDBush {
  return { ids, coords, nodeSize: POINT_NODE_SIZE } as unknown as KDBush;
}

/** Whether a point lies in the box. */
function hasPointIn({ coords, places }: PointTier, box: Box): boolean {
  const { minLat, maxLat, minLng, maxLng } = box;
  const isIn = (point: number): boolean => {
    const [lng, lat] = [coords[point * 2] as number, coords[point * 2 + 1] as number];
    return lng >= minLng && lng <= maxLng && lat >= minLat && lat <= maxLat;
  };
  /** The points from `left` to `right`: the middle one halves them, by longitude and latitude alternately. */
  const hasOneIn = (left: number, right: number, axis: 0 | 1): boolean => {
    if (right - left <= POINT_NODE_SIZE) {
      for (let point = left; point <= right; point++) if (isIn(point)) return true;
      return false;
    }
    const middle = (left + right) >>> 1;
    if (isIn(middle)) return true;
    const at = coords[middle * 2 + axis] as number;
    const [min, max] = axis === 0 ? [minLng, maxLng] : [minLat, maxLat];
    const other = axis === 0 ? 1 : 0;
    // Said so that of a damaged file's NaN both halves are looked at.
    return (!(min > at) && hasOneIn(left, middle - 1, other)) || (!(max < at) && hasOneIn(middle + 1, right, other));
  };
  return hasOneIn(0, places.length - 1, 0);
}
