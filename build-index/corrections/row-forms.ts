/**
 * The forms of a row that an operator may know: as released, and with the names that answers show, which rules correct
 * (naming/corrected-text.ts, data-tables/unit-names.ts). A correction may use either.
 */

import { unitNamesOf } from '../data-tables/unit-names.js';
import { createTextCorrector } from '../naming/corrected-text.js';
import type { Row } from '../reading/postal-row.js';

/** Returns the row, and its other form if that differs. */
export function createRowForms(countryCode: string): (row: Row) => readonly Row[] {
  const correctText = createTextCorrector(countryCode);
  const unitNames = unitNamesOf(countryCode);
  const unitName = (released: string, column: number): string =>
    unitNames.nameOf(column, released) ?? correctText(released).text;
  return (row) => {
    const { placeName, adminNames } = row;
    const shown = {
      ...row,
      placeName: correctText(placeName).text,
      adminNames: [unitName(adminNames[0], 0), unitName(adminNames[1], 1), unitName(adminNames[2], 2)] as const,
    };
    const isSame =
      shown.placeName === placeName && shown.adminNames.every((name, column) => name === adminNames[column]);
    return isSame ? [row] : [row, shown];
  };
}
