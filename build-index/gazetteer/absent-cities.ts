/** The names of big cities in countries without data, so that a search for one is not answered with a similar name. */
import { foldText } from '../../src/format/fold-text.js';
import { hashText } from '../../src/format/hash.js';
import { BIG_CITY } from '../../src/format/name-index.js';
import { type Gazetteer, listNames } from './read-gazetteer.js';

/** Minimum length of a folded name, in letters: shorter ones are starts of many names. */
const MIN_LETTERS = 4;

/** The hashes of their folded names, ascending, each once: see absentNames in src/format/name-index.ts. */
export function hashAbsentNames(gazetteer: Gazetteer | null, countriesWithData: ReadonlySet<string>): Uint32Array {
  const hashes = new Set<number>();
  for (const [country, cities] of gazetteer?.citiesByCountry ?? []) {
    if (countriesWithData.has(country)) continue;
    for (const city of cities) {
      if (city.population < BIG_CITY) continue;
      for (const name of [city.name, city.asciiName, ...listNames(city)]) {
        const folded = foldText(name);
        if (folded.length >= MIN_LETTERS) hashes.add(hashText(folded));
      }
    }
  }
  return Uint32Array.from(hashes).sort();
}
