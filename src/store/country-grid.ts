/** Which countries can have a place near a point (src/format/country-grid.ts): mostly one, and in mid-ocean none. */
import { type CountryGrid, GRID_COLUMNS, gridColumn, gridRow } from '../format/country-grid.js';

const EARTH_RADIUS_KM = 6371;

/** The numbers of the countries with points in the cells that a circle around the point touches. */
export function countriesAround(grid: CountryGrid, lat: number, lng: number, radiusKm: number): Set<number> {
  const angle = radiusKm / EARTH_RADIUS_KM;
  const latitudes = (angle * 180) / Math.PI;
  const [first, last] = [gridRow(Math.max(-90, lat - latitudes)), gridRow(Math.min(90, lat + latitudes))];
  // How far east and west the circle reaches; around a pole, everywhere.
  const reach = Math.sin(angle) / Math.cos((lat * Math.PI) / 180);
  const isAroundPole = Math.abs(lat) + latitudes >= 90;
  const longitudes = isAroundPole ? 180 : (Math.asin(reach) * 180) / Math.PI;
  const firstColumn = gridColumn(lng - longitudes);
  const columnCount = Math.min(GRID_COLUMNS, Math.ceil(2 * longitudes) + 2);
  const found = new Set<number>();
  for (let row = first; row <= last; row++) {
    for (let step = 0; step < columnCount; step++) {
      const cell = row * GRID_COLUMNS + ((firstColumn + step) % GRID_COLUMNS);
      for (let at = grid.starts[cell] as number; at < (grid.starts[cell + 1] as number); at++) {
        found.add(grid.countries[at] as number);
      }
    }
  }
  return found;
}
