/** The country that a cell means: its ISO codes of two or three letters, or its name in several languages. */
import { foldText } from '../../src/format/fold-text.js';
import { findMeantCountry } from '../../src/service/meant-country.js';
import { findCountryByName } from '../../src/store/country-by-name.js';
import type { Country, Snapshot } from '../../src/store/snapshot.js';
import { RecentCache } from './recent-cache.js';

/** Maximum number of cells in each generation of the cache: far more than countries have names that a table uses. */
const CACHED_CELLS = 2_000;
/** Maximum length of a cell in characters: the longest name of a country has 44. */
const MAX_LENGTH = 60;

/** Undefined for a cell that means no country. */
export type CountryOfCell = (cell: string) => Country | undefined;

export function createCountryOfCell(snapshot: Snapshot): CountryOfCell {
  const known = new RecentCache<{ readonly country: Country | undefined }>(CACHED_CELLS);
  return (cell) => {
    const earlier = known.get(cell);
    if (earlier !== undefined) return earlier.country;
    const country = findCountry(snapshot, cell);
    known.set(cell, { country });
    return country;
  };
}

function findCountry(snapshot: Snapshot, cell: string): Country | undefined {
  const typed = cell.trim();
  if (typed === '' || typed.length > MAX_LENGTH) return undefined;
  const code = snapshot.countryByCode.has(typed.toUpperCase())
    ? typed.toUpperCase()
    : findMeantCountry(snapshot, typed);
  if (code !== undefined) return snapshot.countryByCode.get(code);
  const number = findCountryByName(snapshot.worldNames, foldText(typed));
  return number === undefined ? undefined : snapshot.countries[number];
}
