/**
 * Checks the names in the world's index that lead to a country instead of a place. Of the names of countries only the
 * English ones, which the manifest has, can be told from others.
 */
import { foldText } from '../../src/format/fold-text.js';
import type { CountryEntry } from '../../src/format/manifest.js';
import type { NameIndex } from '../../src/format/name-index.js';
import { findCountryByName } from '../../src/store/country-by-name.js';
import { fail } from './fail.js';

const WHERE = 'world-name-index';

export function checkNamesOfCountries(index: NameIndex, countries: readonly CountryEntry[]): void {
  for (const number of index.absentCountries) {
    const hasData = countries[number]?.slices.length !== 0;
    if (hasData) fail(WHERE, 'absent names of countries without data', `country number ${number}`);
  }
  const named = new Set(index.namedCountries);
  for (const number of named) if (countries[number] === undefined) fail(WHERE, 'names of countries', number);
  if (named.size !== countries.length) fail(WHERE, `names of ${countries.length} countries`, `of ${named.size}`);
  for (const [number, { name }] of countries.entries()) {
    const found = findCountryByName(index, foldText(name));
    if (found !== number) fail(WHERE, `country number ${number} by the name ${name}`, String(found));
  }
}
