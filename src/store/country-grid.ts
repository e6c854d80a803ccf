/** Which countries can have a place near a point (src/format/country-grid.ts): mostly one, and in mid-ocean none. */
import { type CountryGrid, GRID_COLUMNS, gridColumn, gridRow } from '../format/country-grid.js';

const EARTH_RADIUS_KM = 6371;

/** The numbers of the countries with points in the cells that a circle around the point touches. */
export function countriesAround(grid: CountryGrid, lat: number, lng: number, radiusKm: number): Set<number> {
  // A hair more, so that rounding leaves no cell out.
  const angle = (radiusKm * 1.000001) / EARTH_RADIUS_KM;
  const latitudes = toDegrees(angle);
  const [firstRow, lastRow] = [gridRow(Math.max(-90, lat - latitudes)), gridRow(Math.min(90, lat + latitudes))];
  const columns = columnsAround(lat, lng, angle);
  const found = new Set<number>();
  for (let row = firstRow; row <= lastRow; row++) {
    for (const [first, last] of columns) collect(grid, row * GRID_COLUMNS + first, row * GRID_COLUMNS + last, found);
  }
  return found;
}

/** The columns that a circle reaches, as one stretch or, across the antimeridian, two: first and last of each. */
function columnsAround(lat: number, lng: number, angle: number): [first: number, last: number][] {
  const everywhere: [number, number][] = [[0, GRID_COLUMNS - 1]];
  // The circle holds a pole.
  if (Math.abs(lat) + toDegrees(angle) >= 90) return everywhere;
  const longitudes = toDegrees(Math.asin(Math.sin(angle) / Math.cos((lat * Math.PI) / 180)));
  if (2 * longitudes + 1 >= GRID_COLUMNS) return everywhere;
  const [first, last] = [gridColumn(lng - longitudes), gridColumn(lng + longitudes)];
  return first <= last
    ? [[first, last]]
    : [
        [first, GRID_COLUMNS - 1],
        [0, last],
      ];
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

function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}
