/**
 * The hashed names that lead to a country instead of a place (src/core/snapshot/name-index.ts): those of countries, and
 * those of big cities. In a country without data, the name of a big city leads to the country, so that a search for the
 * city is not answered with a similar name. Of several countries with a name, the one with the most people has it.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { hashText } from '../../src/core/snapshot/hash-table.js';
import { BIG_CITY } from '../../src/core/snapshot/name-index.js';
import type { CountryFacts } from '../data-tables/country-facts.js';
import { listCountryNames } from '../data-tables/country-names.js';
import { type Gazetteer, listNames } from '../gazetteer/read-gazetteer.js';

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

export class HashedNames {
  readonly #countries = new Map<number, { readonly country: number; readonly weight: number }>();

  add(folded: string, country: number, weight: number): void {
    const hash = hashText(folded);
    const known = this.#countries.get(hash);
    if (known === undefined || known.weight < weight) this.#countries.set(hash, { country, weight });
  }

  /** The hashes ascending, and the country of each. */
  encode(): HashedNameArrays {
    const hashes = Uint32Array.from(this.#countries.keys()).sort();
    const countries = Uint16Array.from(hashes, (hash) => this.#countries.get(hash)?.country as number);
    return { hashes, countries };
  }
}

export interface HashedNameArrays {
  readonly hashes: Uint32Array;
  readonly countries: Uint16Array;
}

export const NO_HASHED_NAMES: HashedNameArrays = { hashes: new Uint32Array(0), countries: new Uint16Array(0) };

/** The names that lead to a country instead of a place: see bigCityNames and countryNames in src/core/snapshot/name-index.ts. */
export interface NamesOfCountries {
  readonly bigCityNames: HashedNameArrays;
  readonly countryNames: HashedNameArrays;
}

export function hashCountryNames(facts: readonly CountryFacts[]): HashedNames {
  const hashed = new HashedNames();
  facts.forEach((country, number) => {
    for (const name of listCountryNames(country)) hashed.add(name, number, country.population);
  });
  return hashed;
}
