/**
 * A rectangle of the world on a drawing, around a centre and true to scale in its middle (an equirectangular
 * projection): the window of a place's map, and each part of a country's. Longitudes are counted from the centre, so it
 * is right across the antimeridian. Units are those of the drawing, x to the right and y down.
 */

import type { Position } from '../../core/snapshot/sphere.js';
import type { Bounds } from './outlines.js';

/** A place on a drawing, in its units. */
export interface MapSpot {
  readonly x: number;
  readonly y: number;
}

/** Length of a degree of latitude on geokdbush's sphere with a radius of 6371 km. */
const KM_PER_DEGREE = (6371 * Math.PI) / 180;
/** Space around the outermost points, in units: for dots, and for names below the last. */
const MARGIN = 28;
/** Width of the narrowest window: a street corner says nothing, and points have a precision of 10 m. */
const LEAST_KM = 2;
/** Maximum width of a window in degrees of longitude; its maximum height is half of that in degrees of latitude. */
const MOST_DEGREES = 360;

export class MapWindow {
  /** Units for each degree of latitude and of longitude. */
  readonly unitsY: number;
  readonly unitsX: number;
  readonly bounds: Bounds;

  constructor(
    /** In units. */
    readonly width: number,
    readonly height: number,
    readonly centre: Position,
    unitsPerDegree: number,
  ) {
    const shrink = shrinkAt(centre.latitude);
    this.unitsY = Math.max(unitsPerDegree, width / (MOST_DEGREES * shrink), height / (MOST_DEGREES / 2));
    this.unitsX = this.unitsY * shrink;
    const [halfEast, halfLat] = [width / 2 / this.unitsX, height / 2 / this.unitsY];
    const { latitude, longitude } = centre;
    this.bounds = {
      west: longitude - halfEast,
      east: longitude + halfEast,
      south: latitude - halfLat,
      north: latitude + halfLat,
    };
  }

  get kmPerUnit(): number {
    return KM_PER_DEGREE / this.unitsY;
  }

  get widthKm(): number {
    return this.width * this.kmPerUnit;
  }

  /** The spot may lie outside of the window. */
  locate({ latitude, longitude }: Position): MapSpot {
    return {
      x: this.width / 2 + turn(longitude - this.centre.longitude) * this.unitsX,
      y: this.height / 2 - (latitude - this.centre.latitude) * this.unitsY,
    };
  }

  /** Like `locate`; undefined for a point outside of the window, or, in a damaged file, without numbers. */
  find(point: Position): MapSpot | undefined {
    const spot = this.locate(point);
    return spot.x >= 0 && spot.x <= this.width && spot.y >= 0 && spot.y <= this.height ? spot : undefined;
  }
}

/** Length of a degree of longitude as a share of a degree of latitude; near a pole never quite 0. */
export function shrinkAt(latitude: number): number {
  return Math.max(0.05, Math.cos((latitude * Math.PI) / 180));
}

export interface WindowSize {
  /** In units. */
  readonly width: number;
  readonly height: number;
  /** Width of the window where its points lie close together, in km. */
  readonly leastKm?: number | undefined;
  /** Space around the outermost points in units. */
  readonly margin?: number | undefined;
}

/** The window around `centre` that shows all points. */
export function windowAround(
  centre: Position,
  points: readonly Position[],
  { width, height, leastKm = LEAST_KM, margin = MARGIN }: WindowSize,
): MapWindow {
  const shrink = Math.cos((centre.latitude * Math.PI) / 180);
  let kmPerUnit = leastKm / width;
  for (const { latitude, longitude } of points) {
    const eastKm = Math.abs(turn(longitude - centre.longitude)) * shrink * KM_PER_DEGREE;
    const northKm = Math.abs(latitude - centre.latitude) * KM_PER_DEGREE;
    const needed = Math.max(eastKm / (width / 2 - margin), northKm / (height / 2 - margin));
    // In a damaged file a coordinate can be no number, which is not greater than any.
    if (needed > kmPerUnit) kmPerUnit = needed;
  }
  return new MapWindow(width, height, centre, KM_PER_DEGREE / kmPerUnit);
}

/** The window that shows all points, of which there is at least one, around the middle of their bounds. */
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

/** Degrees from -180 to 180. */
export function turn(degrees: number): number {
  return ((((degrees + 180) % 360) + 360) % 360) - 180;
}
