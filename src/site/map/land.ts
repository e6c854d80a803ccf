/**
 * Draws outlines into a rectangle: each ring is clipped (Sutherland and Hodgman), its points rounded to whole units, and
 * left out where they are as good as on the point before. Rings that a map shows as a speck are left out. A path costs
 * time by the points of the country, at most 3 ms.
 */
import type { Ring } from './outlines.js';

/** Where the drawing lies, in degrees. `east` may exceed 180, and `west` may be below -180. */
export interface Bounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Least distance of two points of a ring, and least extent of a ring, in units of the drawing. */
const LEAST_STEP = 1.5;
const LEAST_EXTENT = 5;

/** The corner of two bounds of a drawing, and units per degree. */
interface Scale {
  readonly west: number;
  readonly north: number;
  readonly unitsX: number;
  readonly unitsY: number;
}

/** The path of what lies within the bounds, which are drawn `width` by `height` units large from (0, 0). */
export function landPath(rings: readonly Ring[], bounds: Bounds, width: number, height: number): string {
  const { west, east, south, north } = bounds;
  const scale = { west, north, unitsX: width / (east - west), unitsY: height / (north - south) };
  let path = '';
  for (const ring of rings) {
    const shift = shiftInto(ring, bounds);
    if (!overlaps(ring, bounds, shift)) continue;
    const points = project(ring, shift, scale);
    const isInside =
      ring.west + shift >= west && ring.east + shift <= east && ring.south >= south && ring.north <= north;
    path += ringPath(isInside ? points : clip(points, width, height));
  }
  return path;
}

/** Whether a part of the rings may lie within the bounds. */
export function hasLand(rings: readonly Ring[], bounds: Bounds): boolean {
  return rings.some((ring) => overlaps(ring, bounds, shiftInto(ring, bounds)));
}

/** The turns of 360° that bring a ring nearest to the middle of the bounds. */
function shiftInto({ west, east }: Ring, bounds: Bounds): number {
  return 360 * Math.round((bounds.west + bounds.east - west - east) / 720);
}

function overlaps({ west, east, south, north }: Ring, bounds: Bounds, shift: number): boolean {
  const isBeside = west + shift >= bounds.east || east + shift <= bounds.west;
  return !isBeside && south < bounds.north && north > bounds.south;
}

function project({ coords }: Ring, shift: number, { west, north, unitsX, unitsY }: Scale): number[] {
  const points = new Array<number>(coords.length);
  for (let at = 0; at < coords.length; at += 2) {
    points[at] = ((coords[at] as number) + shift - west) * unitsX;
    points[at + 1] = (north - (coords[at + 1] as number)) * unitsY;
  }
  return points;
}

function clip(points: readonly number[], width: number, height: number): readonly number[] {
  let left = points;
  for (const [axis, limit, side] of [
    [0, 0, 1],
    [0, width, -1],
    [1, 0, 1],
    [1, height, -1],
  ] as const)
    left = clipSide(left, axis, limit, side);
  return left;
}

/** What lies on one side of a line: above `limit` on the axis for a `side` of 1, below it for -1. */
function clipSide(points: readonly number[], axis: 0 | 1, limit: number, side: 1 | -1): number[] {
  const inside: number[] = [];
  let before = points.length - 2;
  for (let at = 0; at < points.length; at += 2) {
    const [from, to] = [points[before + axis] as number, points[at + axis] as number];
    const [isFromInside, isToInside] = [(from - limit) * side >= 0, (to - limit) * side >= 0];
    if (isFromInside !== isToInside) {
      const share = (limit - from) / (to - from);
      for (const one of [0, 1])
        inside.push((points[before + one] as number) * (1 - share) + (points[at + one] as number) * share);
    }
    if (isToInside) inside.push(points[at] as number, points[at + 1] as number);
    before = at;
  }
  return inside;
}

/** Moves are relative, and so short; a ring that is too small has no path. */
function ringPath(points: readonly number[]): string {
  let [x, y] = [Math.round(points[0] ?? 0), Math.round(points[1] ?? 0)];
  let [least, most] = [x + y, x + y];
  let [leastAcross, mostAcross] = [x - y, x - y];
  let path = `M${x} ${y}l`;
  let count = 1;
  for (let at = 2; at < points.length; at += 2) {
    const [nextX, nextY] = [Math.round(points[at] as number), Math.round(points[at + 1] as number)];
    if (Math.abs(nextX - x) < LEAST_STEP && Math.abs(nextY - y) < LEAST_STEP) continue;
    const separator = count === 1 ? '' : nextX < x ? '' : ' ';
    path += `${separator}${nextX - x}${nextY < y ? '' : ' '}${nextY - y}`;
    [x, y] = [nextX, nextY];
    least = Math.min(least, x + y);
    most = Math.max(most, x + y);
    leastAcross = Math.min(leastAcross, x - y);
    mostAcross = Math.max(mostAcross, x - y);
    count++;
  }
  return count < 3 || Math.max(most - least, mostAcross - leastAcross) < LEAST_EXTENT ? '' : `${path}z`;
}
