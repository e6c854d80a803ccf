/**
 * Further names of countries (data/country-names.tsv): in English, in the languages of the country, and common ones.
 * The table is read once.
 */

import { readColumns } from './data-table.js';

let namesByCode: ReadonlyMap<string, readonly string[]> | undefined;

/** The names of the country with this code; none if the table lacks the country. */
export function countryNames(code: string): readonly string[] {
  namesByCode ??= readNames();
  return namesByCode.get(code) ?? [];
}

function readNames(): Map<string, readonly string[]> {
  return new Map(readColumns('country-names.tsv').map(([code, ...names]) => [code as string, names]));
}
