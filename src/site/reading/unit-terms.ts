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
 * The areas that people count as the country's first level, then all others: the areas of Russia that its release has
 * beside the federal subjects. A single unit with an article is counted with the first.
 */
export function countAreas({ entry, structures }: CoveredCountry, areas: readonly number[]): CountedAreas[] {
  const typed = areas.map((area) => ({ area, type: readKindField(structures, area) }));
  const highest = UNIT_TYPES.find((unitType) => typed.some(({ type }) => type === unitType));
  const known = typed.map(({ area, type }) => {
    const own = readTerms().get(`${entry.code} ${readNameField(structures, area)}`);
    const isFirst = own === undefined ? type === highest : own.one.startsWith('the ');
    return { area, isFirst, term: own ?? termOf(entry.code, type) };
  });
  return [known.filter(({ isFirst }) => isFirst), known.filter(({ isFirst }) => !isFirst)]
    .filter((group) => group.length > 0)
    .map((group) => ({ areas: group.map(({ area }) => area), text: describeTerms(group.map(({ term }) => term)) }));
}

/** The terms by how often they occur, those with an article last. */
function describeTerms(terms: readonly Term[]): string {
  const counts = new Map<string, { readonly term: Term; count: number }>();
  for (const term of terms) {
    const found = counts.get(term.many);
    counts.set(term.many, { term, count: (found?.count ?? 0) + 1 });
  }
  return [...counts.values()]
    .sort((a, b) => b.count - a.count)
    .map(({ term, count }) => (term.one.startsWith('the ') ? term.one : formatCounted(count, term.one, term.many)))
    .join(' and ');
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
