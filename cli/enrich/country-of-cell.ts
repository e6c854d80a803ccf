/** The country that a cell means: its ISO codes of two or three letters, or its name in several languages. */

import { findCountryByText } from '../../src/core/lookup/countries.js';
import type { Country, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { RecentCache } from './recent-cache.js';

/** Maximum number of cells in the cache: far more than countries have names that a table uses. */
const CACHED_CELLS = 4_000;

/** Undefined for a cell that means no country. */
type CountryOfCell = (cell: string) => Country | undefined;

export function createCountryOfCell(snapshot: Snapshot): CountryOfCell {
  const known = new RecentCache<{ readonly country: Country | undefined }>(CACHED_CELLS);
  return (cell) => {
    const earlier = known.get(cell);
    if (earlier !== undefined) return earlier.country;
    const country = findCountryByText(snapshot, cell);
    known.set(cell, { country });
    return country;
  };
}
