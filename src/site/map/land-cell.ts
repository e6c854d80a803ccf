/**
 * The outline of a country behind the map of a place, as a file of its own: the world is divided into square cells at
 * each of LEVEL_COUNT levels, each level's half as wide as the level's before, beginning every half cell. So each window
 * lies within a cell that is at most four times as wide: a map loads one file, and browsers keep it for the maps around.
 * A file has at most 28 kB.
 */
import { type Bounds, hasLand, landPath } from './land.js';
import type { Ring } from './outlines.js';

/** Cells of the last level are 1.4 degrees wide, for windows of 0.7 degrees and less. */
const LEVEL_COUNT = 9;
/** Of a file, in units: a window has a quarter of them at least. */
const UNITS = 800;
/** Seen on light and on dark pages. */
export const GREY = '#8b93a1';
/** Faint on light and on dark pages. The holes of a country, such as Lesotho in South Africa, are rings as well. */
export const LAND_STYLE = `fill="${GREY}" fill-opacity=".22" fill-rule="evenodd"`;

export interface LandCell {
  /** As part of an address: level, column and row. */
  readonly name: string;
  readonly bounds: Bounds;
}

/** The smallest cell that contains the window; undefined for a window wider than any, or if nothing is drawn in it. */
export function findLandCell(window: Bounds, rings: readonly Ring[]): LandCell | undefined {
  const extent = Math.max(window.east - window.west, window.north - window.south);
  const level = Math.min(LEVEL_COUNT - 1, Math.floor(Math.log2(180 / extent)));
  if (!(level >= 0) || !hasLand(rings, window)) return undefined;
  const step = stepOf(level);
  const columns = 360 / step;
  const column = Math.floor((window.west + 180) / step);
  const cell = cellAt(level, ((column % columns) + columns) % columns, Math.floor((90 - window.north) / step));
  const turns = 360 * Math.round((window.west - cell.bounds.west) / 360);
  const { west, east, south, north } = cell.bounds;
  return { name: cell.name, bounds: { west: west + turns, east: east + turns, south, north } };
}

/** The cell of this name; undefined if there is none. */
export function parseLandCell(name: string): LandCell | undefined {
  const [, level, column, row] = (/^(\d)-(\d{1,4})-(\d{1,4})$/.exec(name) ?? []).map(Number);
  if (level === undefined || column === undefined || row === undefined || level >= LEVEL_COUNT) return undefined;
  const step = stepOf(level);
  return column < 360 / step && row < 180 / step ? cellAt(level, column, row) : undefined;
}

export function drawLandCell({ bounds }: LandCell, rings: readonly Ring[]): string {
  const path = landPath(rings, bounds, UNITS, UNITS);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${UNITS} ${UNITS}" preserveAspectRatio="none"><path ${LAND_STYLE} d="${path}"/></svg>`;
}

/** Half of the width of a cell, in degrees. */
function stepOf(level: number): number {
  return 180 / 2 ** level;
}

function cellAt(level: number, column: number, row: number): LandCell {
  const step = stepOf(level);
  const [west, north] = [column * step - 180, 90 - row * step];
  return { name: `${level}-${column}-${row}`, bounds: { west, east: west + 2 * step, south: north - 2 * step, north } };
}
