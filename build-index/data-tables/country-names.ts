/**
 * Further names of countries (data/country-names.tsv): in English, in the languages of the country, and common ones.
 * The table is read once.
 */

import { listSpellings } from '../../src/core/snapshot/fold-text.js';
import type { CountryFacts } from './country-facts.js';
import { readColumns } from './data-table.js';

/** The article of a country's name, which searches omit. */
const ARTICLE = /^the /;

/** The folded names of a country: English, in its own languages, and common ones. */
export function listCountryNames({ code, name }: Pick<CountryFacts, 'code' | 'name'>): string[] {
  const names = [name, ...countryNames(code)].flatMap(listSpellings);
  return [...names, ...names.map((one) => one.replace(ARTICLE, ''))];
}

let namesByCode: ReadonlyMap<string, readonly string[]> | undefined;

/** The names of the country with this code; none if the table lacks the country. */
export function countryNames(code: string): readonly string[] {
  namesByCode ??= readNames();
  return namesByCode.get(code) ?? [];
}

function readNames(): Map<string, readonly string[]> {
  return new Map(readColumns('country-names.tsv').map(([code, ...names]) => [code as string, names]));
}
