/** Writes the grid of countries (src/format/country-grid.ts) from the points of their k-d trees. */
import { encodeBundle } from '../../src/format/array-bundle.js';
import { COUNTRY_GRID_SCHEMA, GRID_COLUMNS, gridColumn, gridRow } from '../../src/format/country-grid.js';
import { POINT_TIERS, type PointIndex } from '../../src/format/point-index.js';

/** The input for one country; countries are sorted by their number in the manifest. */
interface GridCountry {
  readonly country: number;
  readonly points: PointIndex;
}

export function buildCountryGrid(countries: readonly GridCountry[]): Uint8Array[] {
  return encodeBundle(COUNTRY_GRID_SCHEMA, gridOf(countries));
}

/**
 * The grid of the localities, without recipients: a search around Munich must not load the US military post's points.
 */
export function gridOf(parts: readonly GridCountry[]) {
  const byCell = new Map<number, number[]>();
  for (const { country, points } of parts) {
    const { tierStarts, coords } = points;
    const end = tierStarts[POINT_TIERS.indexOf('recipient')] as number;
    for (let point = 0; point < end; point++) {
      const cell = gridRow(coords[point * 2 + 1] as number) * GRID_COLUMNS + gridColumn(coords[point * 2] as number);
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
