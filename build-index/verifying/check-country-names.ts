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
  /** The countries of the current name. */
  const seen = new Set<number>();
  index.bigCityCountries.forEach((number, at) => {
    if (countries[number] === undefined) fail(WHERE, 'big cities of countries', `country number ${number}`);
    if (index.bigCityNames[at] !== index.bigCityNames[at - 1]) seen.clear();
    if (seen.has(number)) fail(WHERE, 'each name of a big city once for a country', `country number ${number}`);
    seen.add(number);
  });
  const named = new Set(index.namedCountries);
  for (const number of named) if (countries[number] === undefined) fail(WHERE, 'names of countries', number);
  if (named.size !== countries.length) fail(WHERE, `names of ${countries.length} countries`, `of ${named.size}`);
  for (const [number, { name }] of countries.entries()) {
    const found = findCountryByName(index, foldText(name));
    if (found !== number) fail(WHERE, `country number ${number} by the name ${name}`, String(found));
  }
}
