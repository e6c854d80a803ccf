/**
 * Names of admin units in the country's own language (data/unit-names.tsv), for units that a release has in English or
 * by a code alone. A released name is compared as a whole, so a name that the table lacks stays.
 */

import { groupBy } from '../ordering/grouping.js';
import { readDataTableOnce } from './data-table.js';

/** Stands for any text, in a released name and in the name for it. */
const ANY = '*';
/** Marks a code of first-level units in the column of released names. */
const CODE_MARK = '=';

export class UnitNames {
  /** By column and released name. */
  private readonly names = new Map<string, string>();
  private readonly patterns: { column: number; start: string; end: string; name: string }[] = [];
  private readonly namesByCode = new Map<string, string>();

  /** `lines` are the columns of the country's lines in the table: level, released name, name. */
  constructor(lines: readonly (readonly string[])[]) {
    for (const [level, released, name] of lines as readonly (readonly [string, string, string])[]) {
      const column = Number(level) - 1;
      const [start, end] = released.split(ANY);
      if (end !== undefined) this.patterns.push({ column, start: start as string, end, name });
      else if (released.startsWith(CODE_MARK)) this.namesByCode.set(released.slice(CODE_MARK.length), name);
      else this.names.set(`${column}\t${released}`, name);
    }
  }

  /** The country's name of a unit; undefined if the table lacks the released name. `column` counts from 0. */
  nameOf(column: number, released: string): string | undefined {
    const name = this.names.get(`${column}\t${released}`);
    if (name !== undefined) return name;
    const pattern = this.patterns.find(
      ({ column: ofPattern, start, end }) =>
        ofPattern === column &&
        released.length > start.length + end.length &&
        released.startsWith(start) &&
        released.endsWith(end),
    );
    return pattern?.name.replace(ANY, () =>
      released.slice(pattern.start.length, released.length - pattern.end.length).trim(),
    );
  }

  /** The name of the first-level unit with a code, in a country whose release has no names of them. */
  nameOfCode(code: string): string | undefined {
    return this.namesByCode.get(code);
  }
}

const linesByCountry = readDataTableOnce('unit-names.tsv', (lines) => groupBy(lines, ([code]) => code as string));

export function unitNamesOf(countryCode: string): UnitNames {
  return new UnitNames((linesByCountry().get(countryCode) ?? []).map(([, ...columns]) => columns));
}
