/**
 * Rings and lines as the path of an SVG element, cut to a window, so that a map has only what it shows of a continent. A
 * ring is cut by the four edges one after the other (Sutherland and Hodgman's algorithm), which leaves lines along the
 * edges, outside of the map. Coordinates are whole steps of the drawing, and moves are relative, so paths are short.
 */

import { type MapWindow, turn } from './map-window.js';
import type { Ring } from './outlines.js';

/** Steps in a unit: a map is drawn twice as finely as its units. */
export const STEPS = 2;
/** Distance of the cut from the edges of the map, in steps: strokes along it must not show. */
const BLEED = 8;
/** Least distance of two points of a path along one axis, in steps. */
const LEAST_STEP = 2;

/** The path of rings, each closed. `leastStep` is the least distance of two points along one axis, in steps. */
export function clippedRings(rings: readonly Ring[], window: MapWindow, leastStep = LEAST_STEP): string {
  return rings
    .map((ring) => (isInView(ring, window) ? closedPath(cutRing(stepsOf(ring, window, leastStep), window)) : ''))
    .join('');
}

/** The path of lines, of which the parts outside of the map are left out. */
export function clippedLines(lines: readonly Ring[], window: MapWindow): string {
  return lines
    .map((line) => (isInView(line, window) ? cutLine(stepsOf(line, window, LEAST_STEP), window) : ''))
    .join('');
}

/** Whether the bounds of a ring overlap the window, which may lie a turn away. */
export function isInView({ west, east, south, north }: Ring, { bounds }: MapWindow): boolean {
  if (south > bounds.north || north < bounds.south) return false;
  const apart = Math.abs(turn((west + east) / 2 - (bounds.west + bounds.east) / 2));
  return apart <= (east - west + bounds.east - bounds.west) / 2;
}

/**
 * x and y of points in steps, without those that are too close to the one before: cutting them takes most of the time of
 * a map of a continent. A ring lies in one piece, on the side of its middle.
 */
function stepsOf({ coords, west, east }: Ring, window: MapWindow, leastStep: number): number[] {
  const { centre, width, height, unitsX, unitsY } = window;
  const middle = (west + east) / 2;
  const left = centre.longitude - width / 2 / unitsX - (turn(middle - centre.longitude) + centre.longitude - middle);
  const top = centre.latitude + height / 2 / unitsY;
  const steps: number[] = [];
  let [lastX, lastY] = [Infinity, Infinity];
  for (let at = 0; at < coords.length; at += 2) {
    const x = ((coords[at] as number) - left) * unitsX * STEPS;
    const y = (top - (coords[at + 1] as number)) * unitsY * STEPS;
    if (Math.abs(x - lastX) < leastStep && Math.abs(y - lastY) < leastStep) continue;
    steps.push(x, y);
    [lastX, lastY] = [x, y];
  }
  return steps;
}

/** Cut by the edges x = low, x = high, y = low and y = high. */
function cutRing(points: ArrayLike<number>, { width, height }: MapWindow): ArrayLike<number> {
  let cut = points;
  for (const axis of [0, 1]) {
    const high = (axis === 0 ? width : height) * STEPS + BLEED;
    cut = cutRingAt(cut, axis, -BLEED, 1);
    cut = cutRingAt(cut, axis, high, -1);
  }
  return cut;
}

/** Keeps what lies above `limit` on an axis, with `side` -1 below it. */
function cutRingAt(points: ArrayLike<number>, axis: number, limit: number, side: number): ArrayLike<number> {
  const kept: number[] = [];
  for (let at = 0; at < points.length; at += 2) {
    const from = at === 0 ? points.length - 2 : at - 2;
    const before = ((points[from + axis] as number) - limit) * side;
    const after = ((points[at + axis] as number) - limit) * side;
    if (before >= 0 !== after >= 0) {
      const share = before / (before - after);
      const [x, y] = [points[from] as number, points[from + 1] as number];
      kept.push(x + ((points[at] as number) - x) * share, y + ((points[at + 1] as number) - y) * share);
    }
    if (after >= 0) kept.push(points[at] as number, points[at + 1] as number);
  }
  return kept;
}

function cutLine(points: ArrayLike<number>, { width, height }: MapWindow): string {
  const [right, bottom] = [width * STEPS + BLEED, height * STEPS + BLEED];
  let [path, piece] = ['', [] as number[]];
  for (let at = 2; at < points.length; at += 2) {
    const [x1, y1, x2, y2] = [points[at - 2], points[at - 1], points[at], points[at + 1]] as number[] as Segment;
    const isOut =
      Math.max(x1, x2) < -BLEED || Math.min(x1, x2) > right || Math.max(y1, y2) < -BLEED || Math.min(y1, y2) > bottom;
    if (isOut) {
      path += pathOf(piece);
      piece = [];
    } else if (piece.length === 0) piece.push(x1, y1, x2, y2);
    else piece.push(x2, y2);
  }
  return path + pathOf(piece);
}

type Segment = [number, number, number, number];

/** A path with relative moves; points that hardly differ from the one before are left out. */
export function pathOf(points: ArrayLike<number>): string {
  let [path, count, x, y] = ['', 0, 0, 0];
  for (let at = 0; at < points.length; at += 2) {
    const [nextX, nextY] = [Math.round(points[at] as number), Math.round(points[at + 1] as number)];
    const [across, down] = [nextX - x, nextY - y];
    if (count === 0) path = `M${nextX} ${nextY}`;
    else if (Math.abs(across) < LEAST_STEP && Math.abs(down) < LEAST_STEP) continue;
    else path += `${count === 1 ? 'l' : across < 0 ? '' : ' '}${across}${down < 0 ? '' : ' '}${down}`;
    [x, y] = [nextX, nextY];
    count++;
  }
  return count < 2 ? '' : path;
}

/** A ring that is a speck has no path. */
export function closedPath(points: ArrayLike<number>): string {
  const path = points.length < 6 ? '' : pathOf(points);
  return path && `${path}z`;
}
