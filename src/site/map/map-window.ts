/**
 * The window of a place's map: a rectangle around a centre, true to scale in the middle. Longitudes are counted from the
 * centre, so it is right across the antimeridian. Units are those of the drawing, x to the right and y down.
 */

import type { Position } from '../../core/snapshot/sphere.js';
import type { MapSpot } from './country-map.js';
import type { Bounds } from './land.js';

/** Length of a degree of latitude on geokdbush's sphere with a radius of 6371 km. */
const KM_PER_DEGREE = (6371 * Math.PI) / 180;
/** Space around the outermost points, in units: for dots, and for names below the last. */
const MARGIN = 28;
/** Width of the narrowest window: a street corner says nothing, and points have a precision of 10 m. */
const LEAST_KM = 2;
/** A window has no more degrees of longitude than this, nor of latitude than half of it. */
const MOST_DEGREES = 340;
/** Maximum degrees of longitude between points of one map: at the equator a window has 170, and its margins take some. */
const MOST_APART = 140;

export class MapWindow {
  readonly #centre: Position;
  readonly #unitsPerDegree: number;
  readonly #shrink: number;

  constructor(
    /** In units. */
    readonly width: number,
    readonly height: number,
    centre: Position,
    kmPerUnit: number,
  ) {
    this.#centre = centre;
    // Near a pole a degree of longitude is next to nothing.
    this.#shrink = Math.max(0.05, Math.cos((centre.latitude * Math.PI) / 180));
    const most = Math.min(MOST_DEGREES * this.#shrink, MOST_DEGREES / 2);
    this.#unitsPerDegree = Math.max(KM_PER_DEGREE / kmPerUnit, width / most);
  }

  get kmPerUnit(): number {
    return KM_PER_DEGREE / this.#unitsPerDegree;
  }

  get widthKm(): number {
    return this.width * this.kmPerUnit;
  }

  get bounds(): Bounds {
    const halfEast = this.width / 2 / (this.#unitsPerDegree * this.#shrink);
    const halfLat = this.height / 2 / this.#unitsPerDegree;
    const { latitude, longitude } = this.#centre;
    return {
      west: longitude - halfEast,
      east: longitude + halfEast,
      south: latitude - halfLat,
      north: latitude + halfLat,
    };
  }

  /** Where bounds lie on the drawing, of which they are a cell. */
  boxOf({ west, east, south, north }: Bounds): { x: number; y: number; width: number; height: number } {
    const { latitude, longitude } = this.#centre;
    const unitsPerEast = this.#unitsPerDegree * this.#shrink;
    return {
      x: this.width / 2 + (west - longitude) * unitsPerEast,
      y: this.height / 2 - (north - latitude) * this.#unitsPerDegree,
      width: (east - west) * unitsPerEast,
      height: (north - south) * this.#unitsPerDegree,
    };
  }

  /** It may lie outside of the window. */
  locate({ latitude, longitude }: Position): MapSpot {
    const east = turn(longitude - this.#centre.longitude);
    return {
      x: this.width / 2 + east * this.#shrink * this.#unitsPerDegree,
      y: this.height / 2 - (latitude - this.#centre.latitude) * this.#unitsPerDegree,
    };
  }
}

export interface WindowSize {
  /** In units. */
  readonly width: number;
  readonly height: number;
  /** Width of the window where its points lie close together, in km. */
  readonly leastKm?: number | undefined;
}

/** The window around a point that has all of the other points. */
export function windowAround(
  centre: Position,
  points: readonly Position[],
  { width, height, leastKm = LEAST_KM }: WindowSize,
): MapWindow {
  const shrink = Math.cos((centre.latitude * Math.PI) / 180);
  let kmPerUnit = leastKm / width;
  for (const { latitude, longitude } of points) {
    const eastKm = Math.abs(turn(longitude - centre.longitude)) * shrink * KM_PER_DEGREE;
    const northKm = Math.abs(latitude - centre.latitude) * KM_PER_DEGREE;
    const needed = Math.max(eastKm / (width / 2 - MARGIN), northKm / (height / 2 - MARGIN));
    // In a damaged file a coordinate can be no number, which is not greater than any.
    if (needed > kmPerUnit) kmPerUnit = needed;
  }
  return new MapWindow(width, height, centre, kmPerUnit);
}

/** The window that has all points, around the middle of their bounds. There is one point at least. */
export function windowOf(points: readonly Position[], size: WindowSize): MapWindow {
  const [{ longitude: from, latitude }] = points as [Position];
  let [west, east, south, north] = [0, 0, latitude, latitude];
  for (const point of points) {
    const offset = turn(point.longitude - from);
    west = Math.min(west, offset);
    east = Math.max(east, offset);
    south = Math.min(south, point.latitude);
    north = Math.max(north, point.latitude);
  }
  const centre = { latitude: (south + north) / 2, longitude: turn(from + (west + east) / 2) };
  return windowAround(centre, points, size);
}

/**
 * Of points, the most important first, those that one map can show: each that lies within MOST_APART degrees of longitude
 * of all that are kept before it.
 */
export function keepOnOneMap<Point extends Position>(points: readonly Point[]): Point[] {
  const from = points[0]?.longitude ?? 0;
  let [west, east] = [0, 0];
  return points.filter(({ longitude }) => {
    const offset = turn(longitude - from);
    if (Math.max(east, offset) - Math.min(west, offset) > MOST_APART) return false;
    [west, east] = [Math.min(west, offset), Math.max(east, offset)];
    return true;
  });
}

/** Degrees from -180 to 180. */
function turn(degrees: number): number {
  return ((((degrees + 180) % 360) + 360) % 360) - 180;
}
