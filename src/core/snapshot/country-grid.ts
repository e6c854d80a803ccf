/**
 * The countries that have leaves in each grid cell of one degree, so that a search for the nearest place in all
 * countries only searches the one or two countries nearby. Post offices of the United States' forces abroad are left
 * out.
 *
 *   cells      u32[c]    the cells that contain leaves, ascending: row × 360 + column, rows from the south pole
 *                        northwards, columns from -180 eastwards
 *   starts     u32[c+1]  start of each cell's countries
 *   countries  u16[]     numbers of countries in the manifest, ascending within a cell
 *
 * Worked example: 47.5 N, 9.2 E lies in row 137, column 189: cell 137 × 360 + 189 = 49509.
 */

import { arrayRangeAt, type Bundle, checkBundledLength, checkBundledOffsets, decodeBundle } from './array-bundle.js';
import { lowerBound } from './binary-search.js';
import { boxesAround } from './sphere.js';

export const COUNTRY_GRID_SCHEMA = { cells: 'u32', starts: 'u32', countries: 'u16' } as const;

export const GRID_COLUMNS = 360;
const GRID_ROWS = 180;

export type CountryGrid = Bundle<typeof COUNTRY_GRID_SCHEMA>;

export function decodeCountryGrid(bytes: Uint8Array, where: string): CountryGrid {
  const grid = decodeBundle(COUNTRY_GRID_SCHEMA, bytes, where);
  checkBundledLength(`${where}.starts`, grid.starts, grid.cells.length + 1);
  checkBundledOffsets(`${where}.starts`, grid.starts, grid.countries.length);
  return grid;
}

/** The row of a latitude; the north pole belongs to the last row. */
export function gridRow(latitude: number): number {
  return Math.min(GRID_ROWS - 1, Math.floor(latitude + 90));
}

/** The column of a longitude; longitudes outside of -180 to 180 wrap around. */
export function gridColumn(longitude: number): number {
  const column = Math.floor(longitude + 180) % GRID_COLUMNS;
  return column < 0 ? column + GRID_COLUMNS : column;
}

/** The numbers of the countries with points in the cells that a circle touches: usually one, in mid-ocean none. */
export function countriesAround(grid: CountryGrid, lat: number, lng: number, radiusKm: number): Set<number> {
  const found = new Set<number>();
  for (const { minLat, maxLat, minLng, maxLng } of boxesAround(lat, lng, radiusKm)) {
    // gridColumn(180) is the first column, which belongs to the second box.
    const lastColumn = maxLng === 180 ? GRID_COLUMNS - 1 : gridColumn(maxLng);
    for (let row = gridRow(minLat); row <= gridRow(maxLat); row++) {
      collect(grid, row * GRID_COLUMNS + gridColumn(minLng), row * GRID_COLUMNS + lastColumn, found);
    }
  }
  return found;
}

/** Adds the countries of the cells from `first` to `last`. */
function collect({ cells, starts, countries }: CountryGrid, first: number, last: number, found: Set<number>): void {
  const firstCell = lowerBound(0, cells.length, (at) => (cells[at] as number) < first);
  for (let at = firstCell; at < cells.length && (cells[at] as number) <= last; at++) {
    const { start, end } = arrayRangeAt(starts, at, countries.length);
    for (let entry = start; entry < end; entry++) found.add(countries[entry] as number);
  }
}
