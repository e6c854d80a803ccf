/**
 * How a piece of the world lies on a map: an equirectangular projection, true to scale at its middle latitude. East is
 * right across the antimeridian too: longitudes are counted eastwards from `west`, so Fiji and Russia are in one piece.
 * Coordinates of a map are units, x to the right and y down.
 */
import type { Bounds } from './land.js';

export interface Projection {
  /** In units. */
  readonly width: number;
  readonly height: number;
  readonly bounds: Bounds;
  readonly unitsPerDegree: { readonly x: number; readonly y: number };
  readonly x: (longitude: number) => number;
  readonly y: (latitude: number) => number;
}

/** Height of the map of a single point, in degrees of latitude. */
const LEAST_SPAN = 0.05;

export interface Room {
  /** Of the longer side, in units. */
  readonly longest: number;
  /** Around the bounds, in units. */
  readonly margin: number;
}

/** A map of these bounds; its shorter side is half of the longer one at least. */
export function project({ west, east, south, north }: Bounds, { longest, margin }: Room): Projection {
  // Near a pole a degree of longitude is next to nothing.
  const shrink = Math.max(0.05, Math.cos((((south + north) / 2) * Math.PI) / 180));
  const [spanX, spanY] = [(east - west) * shrink, north - south];
  const scale = (longest - 2 * margin) / Math.max(spanX, spanY, LEAST_SPAN);
  const [centreEast, centreLat] = [(west + east) / 2, (south + north) / 2];
  const sideOf = (span: number): number => Math.round(Math.max(longest / 2, Math.ceil(span * scale + 2 * margin)));
  const [width, height] = [sideOf(spanX), sideOf(spanY)];
  const [halfEast, halfLat] = [width / 2 / (shrink * scale), height / 2 / scale];
  const start = centreEast - 180;
  return {
    width,
    height,
    bounds: {
      west: centreEast - halfEast,
      east: centreEast + halfEast,
      south: centreLat - halfLat,
      north: centreLat + halfLat,
    },
    unitsPerDegree: { x: shrink * scale, y: scale },
    x: (longitude) => width / 2 + (start + eastOf(longitude, start) - centreEast) * shrink * scale,
    y: (latitude) => height / 2 - (latitude - centreLat) * scale,
  };
}

/** Degrees eastwards from `west`, below 360. */
export function eastOf(longitude: number, west: number): number {
  return (((longitude - west) % 360) + 360) % 360;
}
