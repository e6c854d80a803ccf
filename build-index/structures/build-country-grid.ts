/** Writes the grid of countries (src/core/snapshot/country-grid.ts) from the points of their k-d trees. */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { COUNTRY_GRID_SCHEMA, GRID_COLUMNS, gridColumn, gridRow } from '../../src/core/snapshot/country-grid.js';
import { UNITS_PER_DEGREE } from '../../src/core/snapshot/full-codes.js';
import { POINT_TIERS, type PointIndex } from '../../src/core/snapshot/point-index.js';
import { startsOf } from './part-starts.js';

/** The input for one country; countries are sorted by their number in the manifest. */
interface GridCountry {
  readonly country: number;
  readonly points: PointIndex;
  /** Longitude and latitude of each full code, in their units; none if the country has none. */
  readonly fullPositions: Int32Array;
}

/**
 * The grid of the localities and full codes, without recipients: a search around Munich must not load the US military
 * post's points.
 */
export function buildCountryGrid(parts: readonly GridCountry[]): Uint8Array[] {
  const byCell = new Map<number, number[]>();
  const add = (longitude: number, latitude: number, country: number): void => {
    const cell = gridRow(latitude) * GRID_COLUMNS + gridColumn(longitude);
    const list = byCell.get(cell);
    if (list === undefined) byCell.set(cell, [country]);
    else if (list.at(-1) !== country) list.push(country);
  };
  for (const { country, points, fullPositions } of parts) {
    const { tierStarts, coords } = points;
    const end = tierStarts[POINT_TIERS.indexOf('recipient')] as number;
    for (let point = 0; point < end; point++) {
      add(coords[point * 2] as number, coords[point * 2 + 1] as number, country);
    }
    for (let at = 0; at < fullPositions.length; at += 2) {
      const [longitude, latitude] = [fullPositions[at] as number, fullPositions[at + 1] as number];
      add(longitude / UNITS_PER_DEGREE, latitude / UNITS_PER_DEGREE, country);
    }
  }
  const ordered = [...byCell].sort(([one], [other]) => one - other);
  return encodeBundle(COUNTRY_GRID_SCHEMA, {
    cells: Uint32Array.from(ordered, ([cell]) => cell),
    starts: startsOf(ordered.map(([, list]) => list.length)),
    countries: Uint16Array.from(ordered.flatMap(([, list]) => list)),
  });
}
