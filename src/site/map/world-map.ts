/**
 * The map of the world as a file: all postal codes of a snapshot as light, in Equal Earth, a projection that keeps areas
 * as they are, so that light is as dense as codes are (Šavrič, Patterson and Jenny, 2018). It is cut in the Bering
 * Strait, which parts no country but small islands, and in the south behind the last land with codes.
 */

import type { Steps } from '../../base/cooperative.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import type { Position } from '../../core/snapshot/sphere.js';
import { isCovered } from '../reading/covered-country.js';
import { closedPath } from './clipped-paths.js';
import { GLOW, LAND, LightGrid, lightsOf, SEA } from './lights.js';
import { type MapSpot, turn } from './map-window.js';
import { packagedOutlines, type Ring } from './outlines.js';

/** Coefficients of the projection's polynomial. */
const [A1, A2, A3, A4] = [1.340264, -0.081106, 0.000893, 0.003796];
const HALF_ROOT_3 = Math.sqrt(3) / 2;
/** Longitude in the middle of the map, in degrees. */
const MIDDLE = 11;
const [SOUTH, NORTH] = [-56, 84];

/** Width of the drawing and side of a cell, in units: cells of 80 km, about two pixels on a wide screen. */
const WIDTH = 1000;
const CELL = 2;
const UNITS = WIDTH / (2 * project(Math.PI, 0).x);
const TOP = project(0, radians(NORTH)).y;

export const WORLD_SIZE = { width: WIDTH, height: Math.ceil((TOP - project(0, radians(SOUTH)).y) * UNITS) };

/** The position on a globe with a radius of 1, from the middle of the map. */
function project(east: number, north: number): MapSpot {
  const angle = Math.asin(HALF_ROOT_3 * Math.sin(north));
  const square = angle * angle;
  const sixth = square ** 3;
  const slope = A1 + 3 * A2 * square + sixth * (7 * A3 + 9 * A4 * square);
  return {
    x: (east * Math.cos(angle)) / (HALF_ROOT_3 * slope),
    y: angle * (A1 + A2 * square + sixth * (A3 + A4 * square)),
  };
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function locate({ longitude, latitude }: Position): MapSpot {
  const { x, y } = project(radians(longitude - MIDDLE), radians(latitude));
  return { x: WIDTH / 2 + x * UNITS, y: (TOP - y) * UNITS };
}

/** Any longitude, on the side of the cut where it lies. */
export function locateInWorld({ longitude, latitude }: Position): MapSpot {
  return locate({ longitude: MIDDLE + turn(longitude - MIDDLE), latitude });
}

/** The path of all land. A ring lies in one piece, on the side of its middle. */
function* drawLand(): Steps<string> {
  const outlines = packagedOutlines();
  let path = '';
  for (const code of outlines.codes) {
    path += outlines.ringsOf(code).map(ringPath).join('');
    yield;
  }
  return path;
}

function ringPath({ coords, west, east }: Ring): string {
  const middle = (west + east) / 2;
  const turns = MIDDLE + turn(middle - MIDDLE) - middle;
  const points = new Float64Array(coords.length);
  for (let at = 0; at < coords.length; at += 2) {
    const { x, y } = locate({ longitude: (coords[at] as number) + turns, latitude: coords[at + 1] as number });
    points[at] = x;
    points[at + 1] = y;
  }
  return closedPath(points);
}

const drawn = new WeakMap<Snapshot, string>();

/** The map of a snapshot, which is kept: 0.2 seconds for 1.2 million points, in steps of at most 10 ms for one country. */
export function* drawWorldMap(snapshot: Snapshot): Steps<string> {
  const known = drawn.get(snapshot);
  if (known !== undefined) return known;
  const { width, height } = WORLD_SIZE;
  const grid = new LightGrid(width, height, CELL);
  for (const country of snapshot.countries) {
    if (isCovered(country)) grid.add(lightsOf(country), locateInWorld);
    yield;
  }
  const land = yield* drawLand();
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${GLOW}` +
    `<path fill="${SEA}" d="M0 0h${width}v${height}H0z"/>` +
    `<path fill="${LAND}" fill-rule="evenodd" d="${land}"/>${grid.draw()}</svg>`;
  drawn.set(snapshot, svg);
  return svg;
}
