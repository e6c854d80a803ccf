/**
 * The map of a country: its own points as dots on a grid, one dot for each cell that has a point, and nothing else: no
 * tiles, and no borders, about which states differ. The dots are one grey that is seen on light and on dark pages, so
 * the drawing is an image of its own that browsers keep for all pages of a country: 1 to 10 kB before compression. What
 * a page adds, its place and what lies in it, is a second drawing of the same size on top.
 */
import type { PointTier } from '../../format/point-index.js';
import { type Html, html } from '../html/html.js';
import { fitProjections, type Projection } from './projection.js';

export interface CountryMap extends Projection {
  /** In cells. */
  readonly dotWidth: number;
  /** The dots as a file. */
  readonly svg: string;
}

export interface MapPoint {
  readonly latitude: number;
  readonly longitude: number;
}

/** Parts of a cell that the place itself is rounded to. */
const STEPS = 4;
/** Width of a dot in cells, by the number of points: a few points must be large to be visible. */
const DOT_WIDTHS: readonly (readonly [number, number])[] = [
  [60, 1.8],
  [300, 1.2],
  [Infinity, 0.72],
];

/** The points that lie together, and all points; one and the same map where nothing lies far out. */
export interface CountryMaps {
  readonly main: CountryMap;
  readonly whole: CountryMap;
}

export function drawCountryMaps({ coords }: Pick<PointTier, 'coords'>): CountryMaps {
  const projections = fitProjections(coords);
  const main = drawMap(coords, projections.main);
  return { main, whole: projections.whole === projections.main ? main : drawMap(coords, projections.whole) };
}

/** Whether a point lies on the map. */
export function isOn({ width, height, x, y }: Projection, { latitude, longitude }: MapPoint): boolean {
  const [column, row] = [x(longitude), y(latitude)];
  return column >= 0 && column <= width && row >= 0 && row <= height;
}

function drawMap(coords: Float64Array, projection: Projection): CountryMap {
  const { width, height } = projection;
  const filled = new Uint8Array(width * height);
  for (let at = 0; at < coords.length; at += 2)
    fill(filled, projection, coords[at + 1] as number, coords[at] as number);
  const dotCount = filled.reduce((sum, one) => sum + one, 0);
  const [, dotWidth] = DOT_WIDTHS.find(([most]) => dotCount <= most) ?? [];
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">` +
    '<path fill="none" stroke="#8b93a1" stroke-linecap="round" ' +
    `stroke-width="${dotWidth}" d="${dotsPath(filled, width)}"/></svg>`;
  return { ...projection, dotWidth: dotWidth ?? 1, svg };
}

/** In a damaged file a point can lie anywhere: outside of the map it fills nothing. */
function fill(filled: Uint8Array, { width, height, x, y }: Projection, latitude: number, longitude: number): void {
  const [column, row] = [Math.floor(x(longitude)), Math.floor(y(latitude))];
  if (column >= 0 && column < width && row >= 0 && row < height) filled[row * width + column] = 1;
}

/** A line of no length for each filled cell, which its round ends make a dot; moves are relative, and so short. */
function dotsPath(filled: Uint8Array, width: number): string {
  let path = '';
  let [column, row] = [0, -1];
  for (let cell = 0; cell < filled.length; cell++) {
    if (filled[cell] === 0) continue;
    const [nextColumn, nextRow] = [cell % width, Math.floor(cell / width)];
    path += nextRow === row ? `m${nextColumn - column} 0h0` : `M${nextColumn + 0.5} ${nextRow + 0.5}h0`;
    [column, row] = [nextColumn, nextRow];
  }
  return path;
}

/** A page's own part of the map: the dots of `around` in another colour, and a larger one for `centre`. */
export function drawOnTop(map: CountryMap, centre: MapPoint, around: readonly MapPoint[]): Html {
  const dots = around.length === 0 ? '' : pointsPath(map, around);
  const here = `M${rounded(map.x(centre.longitude))} ${rounded(map.y(centre.latitude))}h0`;
  return html`<svg viewBox="0 0 ${map.width} ${map.height}" aria-hidden="true">${
    dots !== '' && html`<path class="within" stroke-width="${map.dotWidth}" d="${dots}"/>`
  }<path class="halo" d="${here}"/><path class="here" d="${here}"/></svg>`;
}

function pointsPath(map: CountryMap, points: readonly MapPoint[]): string {
  const filled = new Uint8Array(map.width * map.height);
  for (const { latitude, longitude } of points) fill(filled, map, latitude, longitude);
  return dotsPath(filled, map.width);
}

function rounded(value: number): number {
  return Math.round(value * STEPS) / STEPS;
}
