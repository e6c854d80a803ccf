/**
 * The names of big cities with the countries of these cities. In a country without data, such a name leads to the country,
 * so that a search for the city is not answered with a similar name.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { hashText } from '../../src/core/snapshot/hash-table.js';
import { BIG_CITY } from '../../src/core/snapshot/name-index.js';
import { type Gazetteer, type HashedNameArrays, listNames, NO_HASHED_NAMES } from './read-gazetteer.js';

/** Minimum length of a folded name, in letters: shorter ones are starts of many names. */
const MIN_LETTERS = 4;

/** A name of a big city: the country's number, and the people of the country's largest city with the name. */
interface BigCityName {
  readonly hash: number;
  readonly country: number;
  readonly people: number;
}

/**
 * See bigCityNames in src/core/snapshot/name-index.ts. `countryCodes` are those of the manifest: with and without data, so that
 * the names of a snapshot of some countries are those of a snapshot of all.
 */
export function hashBigCityNames(gazetteer: Gazetteer | null, countryCodes: readonly string[]): HashedNameArrays {
  if (gazetteer === null) return NO_HASHED_NAMES;
  const names = countryCodes.flatMap((code, country) => {
    const peopleByHash = new Map<number, number>();
    // The largest city comes first.
    for (const city of gazetteer.citiesByCountry.get(code) ?? []) {
      if (city.population < BIG_CITY) break;
      for (const name of [city.name, city.asciiName, ...listNames(city)]) {
        const folded = foldText(name);
        const hash = hashText(folded);
        if (folded.length >= MIN_LETTERS && !peopleByHash.has(hash)) peopleByHash.set(hash, city.population);
      }
    }
    return [...peopleByHash].map(([hash, people]): BigCityName => ({ hash, country, people }));
  });
  names.sort((one, other) => one.hash - other.hash || other.people - one.people || one.country - other.country);
  return {
    hashes: Uint32Array.from(names, ({ hash }) => hash),
    countries: Uint16Array.from(names, ({ country }) => country),
  };
}
