/**
 * Finds the countries that can have a place near a point (src/format/country-grid.ts): usually one, in mid-ocean none.
 */
import { lowerBound } from '../format/binary-search.js';
import { type CountryGrid, GRID_COLUMNS, gridColumn, gridRow } from '../format/country-grid.js';
import { boxesAround } from './circle-bounds.js';
import { rangeAt } from './mapped-numbers.js';

/** The numbers of the countries with points in the cells that a circle around the point touches. */
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
    const { start, end } = rangeAt(starts, at, countries.length);
    for (let entry = start; entry < end; entry++) found.add(countries[entry] as number);
  }
}
