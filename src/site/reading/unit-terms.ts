/**
 * What a country calls its units in English (data/unit-terms.tsv): a region of Germany is a state. Where the table has
 * no term, the type itself is the term. Some units have terms of their own, so that they are counted as people count
 * them: 50 states and the District of Columbia.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../base/package-root.js';
import { readKindField, readNameField } from '../../core/snapshot/place-fields.js';
import { formatCounted } from '../html/formats.js';
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
  return readTerms().get(`${countryCode} ${type}`) ?? { one: type, many: PLURALS[type] ?? `${type}s` };
}

/** The term for the numbered parts of cities, such as Paris 01; undefined where the country has none. */
export function termOfNumbered({ entry }: CoveredCountry): Term | undefined {
  return readTerms().get(`${entry.code} #`);
}

/** The term for several units: "areas" where they are of several types. */
export function termOfAll({ entry, structures }: CoveredCountry, units: readonly number[]): Term {
  const [type, ...more] = new Set(units.map((unit) => readKindField(structures, unit)));
  return type === undefined || more.length > 0 ? AREA : termOf(entry.code, type);
}

/** Some first-level areas of a country, and their number: "50 states and the District of Columbia". */
export interface CountedAreas {
  readonly areas: readonly number[];
  readonly text: string;
}

/**
 * The areas that people count as the country's first level, then all others: Russia's release has districts beside the
 * federal subjects. A unit whose own term has an article is counted with the first.
 */
export function countAreas({ entry, structures }: CoveredCountry, areas: readonly number[]): CountedAreas[] {
  const typeOf = (area: number): string => readKindField(structures, area);
  const highest = UNIT_TYPES.find((type) => areas.some((area) => typeOf(area) === type));
  const ownTermOf = (area: number): Term | undefined =>
    readTerms().get(`${entry.code} ${readNameField(structures, area)}`);
  const isFirst = (area: number): boolean => ownTermOf(area)?.one.startsWith('the ') ?? typeOf(area) === highest;
  return [areas.filter(isFirst), areas.filter((area) => !isFirst(area))].flatMap((group) => {
    if (group.length === 0) return [];
    const terms = group.map((area) => ownTermOf(area) ?? termOf(entry.code, typeOf(area)));
    const named = terms.filter(({ one }) => one.startsWith('the '));
    const [term] = terms.filter((other) => !named.includes(other));
    const counted = term && formatCounted(group.length - named.length, term.one, term.many);
    const text = [counted, ...named.map(({ one }) => one)].filter(Boolean).join(' and ');
    return [{ areas: group, text }];
  });
}

function readTerms(): ReadonlyMap<string, Term> {
  table ??= readTable();
  return table;
}

/** By country with type, and by country with name. */
function readTable(): Map<string, Term> {
  const terms = new Map<string, Term>();
  const add = (unit: string, text: string): void => {
    const [one = '', many = `${one}s`] = text.split('/');
    if (one !== '') terms.set(unit, { one, many });
  };
  for (const line of readFileSync(join(packageRoot(), 'data', 'unit-terms.tsv'), 'utf8').split('\n')) {
    const [code, ...columns] = line.split('\t');
    UNIT_TYPES.forEach((type, at) => {
      add(`${code} ${type}`, columns[at] ?? '');
    });
    for (const own of columns.slice(UNIT_TYPES.length)) {
      const [names = '', text = ''] = own.split('=');
      for (const name of names.split('|')) add(`${code} ${name}`, text);
    }
  }
  return terms;
}
