/**
 * Finds the admin codes of added rows: a correction has names of units but no codes, so the row gets the codes of the
 * release's first row in the same units. A unit that is not in the release has no code.
 */

import type { Row } from '../reading/postal-row.js';
import type { Correction } from './correction.js';

export class UnitCodes {
  /** The first row in each unit, by the names from the root down; null until there is one. */
  private readonly firstRows = new Map<string, Row | null>();

  constructor(added: readonly Correction[]) {
    for (const { adminNames } of added) {
      adminNames.forEach((name, column) => {
        if (name !== '') this.firstRows.set(keyOfUnit(adminNames, column), null);
      });
    }
  }

  /** To be called with each row of the release, in order. */
  learn(row: Row): void {
    if (this.firstRows.size === 0) return;
    row.adminNames.forEach((name, column) => {
      if (name === '') return;
      const key = keyOfUnit(row.adminNames, column);
      if (this.firstRows.get(key) === null) this.firstRows.set(key, row);
    });
  }

  codesOf(adminNames: Correction['adminNames']): Row['adminCodes'] {
    const rowOf = (column: number): Row | null | undefined => this.firstRows.get(keyOfUnit(adminNames, column));
    const [first, second, third] = [rowOf(0), rowOf(1), rowOf(2)];
    return [first?.adminCodes[0] ?? '', second?.adminCodes[1] ?? '', third?.adminCodes[2] ?? ''];
  }
}

/** The key of the unit in admin column `column`, from 0 to 2. */
function keyOfUnit(names: readonly string[], column: number): string {
  return `${column}\t${names.slice(0, column + 1).join('\t')}`;
}
