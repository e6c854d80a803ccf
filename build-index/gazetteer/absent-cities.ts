/** The names of big cities in countries without data, so that a search for one is not answered with a similar name. */
import { foldText } from '../../src/format/fold-text.js';
import { BIG_CITY } from '../../src/format/name-index.js';
import { HashedNames } from './hashed-names.js';
import { type Gazetteer, listNames } from './read-gazetteer.js';

/** Minimum length of a folded name, in letters: shorter ones are starts of many names. */
const MIN_LETTERS = 4;

/** Each with its country: see absentNames in src/format/name-index.ts. */
export function hashAbsentNames(
  gazetteer: Gazetteer | null,
  countries: readonly { readonly code: string; readonly hasData: boolean }[],
): HashedNames {
  const hashed = new HashedNames();
  countries.forEach(({ code, hasData }, number) => {
    for (const city of hasData ? [] : (gazetteer?.citiesByCountry.get(code) ?? [])) {
      if (city.population < BIG_CITY) continue;
      for (const name of [city.name, city.asciiName, ...listNames(city)]) {
        const folded = foldText(name);
        if (folded.length >= MIN_LETTERS) hashed.add(folded, number, city.population);
      }
    }
  });
  return hashed;
}
