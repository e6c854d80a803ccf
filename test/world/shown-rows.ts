/**
 * Rows with the names that answers show. The rules for names are the builder's own, which have tests of their own; what
 * becomes of rows is checked here.
 */

import { unitNamesOf } from '../../build-index/data-tables/unit-names.js';
import { createTextCorrector } from '../../build-index/naming/corrected-text.js';
import type { ReleaseRow } from './release-rows.js';

const CODE_COLUMN = 4;

/** The row with the region of which the release has only a code. */
export function withRegion(country: string, row: ReleaseRow): ReleaseRow {
  const [admin1, admin2, admin3] = row.admins;
  const region = unitNamesOf(country).nameOfCode(row.line.split('\t')[CODE_COLUMN] as string);
  return admin1 !== '' || region === undefined ? row : { ...row, admins: [region, admin2, admin3] };
}

export function createShownRow(country: string): (row: ReleaseRow) => ReleaseRow {
  const correct = createTextCorrector(country);
  const unitNames = unitNamesOf(country);
  return (row) => ({
    ...row,
    name: correct(country === 'CN' ? townOf(row) : row.name).text,
    admins: row.admins.map((admin, column) => unitNames.nameOf(column, admin) ?? correct(admin).text) as [
      string,
      string,
      string,
    ],
  });
}

/** "Bole" of "Bole, Xinjiang". */
function townOf({ name, admins }: ReleaseRow): string {
  const [town, ...units] = name.split(', ');
  return units.every((unit) => admins.some((admin) => `${admin} `.startsWith(`${unit} `))) ? (town as string) : name;
}
