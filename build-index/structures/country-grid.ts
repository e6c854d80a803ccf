/** Writes which countries have points where (src/format/country-grid.ts), from their k-d trees. */
import { encodeBundle } from '../../src/format/array-bundle.js';
import { COUNTRY_GRID_SCHEMA, GRID_CELLS, GRID_COLUMNS, gridColumn, gridRow } from '../../src/format/country-grid.js';
import { decodePointIndex } from '../../src/format/point-index.js';
import { joinChunks } from './join-chunks.js';

export interface CountryPoints {
  /** The country's number in the manifest; countries ascend by it. */
  readonly country: number;
  /** The encoded point index of the country. */
  readonly chunks: readonly Uint8Array[];
}

export function buildCountryGrid(countries: readonly CountryPoints[]): Uint8Array[] {
  return encodeBundle(
    COUNTRY_GRID_SCHEMA,
    gridOf(
      countries.map(({ country, chunks }) => ({
        country,
        coords: decodePointIndex(joinChunks(chunks), `point-index of country ${country}`).coords,
      })),
    ),
  );
}

/** The grid of these points: longitude and latitude in turn. */
export function gridOf(countries: readonly { readonly country: number; readonly coords: Float64Array }[]) {
  const byCell: number[][] = Array.from({ length: GRID_CELLS }, () => []);
  for (const { country, coords } of countries) {
    for (let at = 0; at < coords.length; at += 2) {
      const cell = gridRow(coords[at + 1] as number) * GRID_COLUMNS + gridColumn(coords[at] as number);
      const list = byCell[cell] as number[];
      if (list.at(-1) !== country) list.push(country);
    }
  }
  const starts = new Uint32Array(GRID_CELLS + 1);
  byCell.forEach((list, cell) => {
    starts[cell + 1] = (starts[cell] as number) + list.length;
  });
  return { starts, countries: Uint16Array.from(byCell.flat()) };
}
