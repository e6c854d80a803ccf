/** Which countries can have a place near a point (src/format/country-grid.ts): mostly one, and in mid-ocean none. */
import { type CountryGrid, GRID_COLUMNS, gridColumn, gridRow } from '../format/country-grid.js';
import { boxesAround } from './circle-bounds.js';

/** The numbers of the countries with points in the cells that a circle around the point touches. */
export function countriesAround(grid: CountryGrid, lat: number, lng: number, radiusKm: number): Set<number> {
  const found = new Set<number>();
  for (const { minLat, maxLat, minLng, maxLng } of boxesAround(lat, lng, radiusKm)) {
    // The antimeridian's own cell is the first one, at which the other box begins.
    const lastColumn = maxLng === 180 ? GRID_COLUMNS - 1 : gridColumn(maxLng);
    for (let row = gridRow(minLat); row <= gridRow(maxLat); row++) {
      collect(grid, row * GRID_COLUMNS + gridColumn(minLng), row * GRID_COLUMNS + lastColumn, found);
    }
  }
  return found;
}

/** Adds the countries of the cells from `first` to `last`. */
function collect({ cells, starts, countries }: CountryGrid, first: number, last: number, found: Set<number>): void {
  let low = 0;
  let high = cells.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((cells[middle] as number) < first) low = middle + 1;
    else high = middle;
  }
  for (let at = low; at < cells.length && (cells[at] as number) <= last; at++) {
    // A damaged file could have the list end behind all lists.
    const end = Math.min(starts[at + 1] as number, countries.length);
    for (let entry = starts[at] as number; entry < end; entry++) {
      found.add(countries[entry] as number);
    }
  }
}
