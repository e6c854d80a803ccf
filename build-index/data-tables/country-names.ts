/** Further names of countries (data/country-names.tsv): in English, in the languages of the country, and common ones. */

import { listSpellings } from '../../src/core/snapshot/spellings.js';
import type { CountryFacts } from './country-facts.js';
import { readDataTableOnce } from './data-table.js';

/** The article of a country's name, which searches omit. */
const ARTICLE = /^the /;

/** The folded names of a country: English, in its own languages, and common ones. */
export function listCountryNames({ code, name }: Pick<CountryFacts, 'code' | 'name'>): string[] {
  const names = [name, ...countryNames(code)].flatMap(listSpellings);
  return [...names, ...names.map((one) => one.replace(ARTICLE, ''))];
}

const namesByCode = readDataTableOnce(
  'country-names.tsv',
  (lines) => new Map(lines.map(([code, ...names]) => [code as string, names])),
);

/** The names of the country with this code; none if the table lacks the country. */
export function countryNames(code: string): readonly string[] {
  return namesByCode().get(code) ?? [];
}
