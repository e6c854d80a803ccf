/**
 * What a country calls its units in English (data/unit-terms.tsv): a region of Germany is a state. Where the table has
 * no term, the type itself is the term.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../base/package-root.js';
import { readKindField } from '../../core/snapshot/place-fields.js';
import type { CoveredCountry } from './covered-country.js';

export interface Term {
  readonly one: string;
  readonly many: string;
}

/** The columns of the table, in their order. */
const UNIT_TYPES = ['region', 'district', 'municipality'] as const;
const PLURALS: Readonly<Record<string, string>> = { municipality: 'municipalities' };
const AREA: Term = { one: 'area', many: 'areas' };

let table: ReadonlyMap<string, Term> | undefined;

/** The term for a unit's type in a country. */
export function termOf(countryCode: string, type: string): Term {
  table ??= readTable();
  return table.get(`${countryCode} ${type}`) ?? { one: type, many: PLURALS[type] ?? `${type}s` };
}

/** The term for several units: "areas" where they are of several types. */
export function termOfAll({ entry, structures }: CoveredCountry, units: readonly number[]): Term {
  const [type, ...more] = new Set(units.map((unit) => readKindField(structures, unit)));
  return type === undefined || more.length > 0 ? AREA : termOf(entry.code, type);
}

function readTable(): Map<string, Term> {
  const terms = new Map<string, Term>();
  for (const line of readFileSync(join(packageRoot(), 'data', 'unit-terms.tsv'), 'utf8').split('\n')) {
    const [code, ...columns] = line.split('\t');
    columns.forEach((column, at) => {
      const [one = '', many = `${one}s`] = column.split('/');
      if (one !== '') terms.set(`${code} ${UNIT_TYPES[at]}`, { one, many });
    });
  }
  return terms;
}
