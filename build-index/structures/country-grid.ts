/** Writes which countries have points where (src/format/country-grid.ts), from their k-d trees. */
import { encodeBundle } from '../../src/format/array-bundle.js';
import { COUNTRY_GRID_SCHEMA, GRID_COLUMNS, gridColumn, gridRow } from '../../src/format/country-grid.js';
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
export function gridOf(parts: readonly { readonly country: number; readonly coords: Float64Array }[]) {
  const byCell = new Map<number, number[]>();
  for (const { country, coords } of parts) {
    for (let at = 0; at < coords.length; at += 2) {
      const cell = gridRow(coords[at + 1] as number) * GRID_COLUMNS + gridColumn(coords[at] as number);
      const list = byCell.get(cell);
      if (list === undefined) byCell.set(cell, [country]);
      else if (list.at(-1) !== country) list.push(country);
    }
  }
  const ordered = [...byCell].sort(([one], [other]) => one - other);
  const starts = new Uint32Array(ordered.length + 1);
  ordered.forEach(([, list], at) => {
    starts[at + 1] = (starts[at] as number) + list.length;
  });
  return {
    cells: Uint32Array.from(ordered, ([cell]) => cell),
    starts,
    countries: Uint16Array.from(ordered.flatMap(([, list]) => list)),
  };
}
