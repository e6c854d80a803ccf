/**
 * The hashed names that lead to a country instead of a place (src/core/snapshot/name-index.ts): those of countries, and
 * those of big cities. In a country without data, the name of a big city leads to the country, so that a search for the
 * city is not answered with a similar name.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { hashText } from '../../src/core/snapshot/hash-table.js';
import { BIG_CITY, FAR_BIGGER } from '../../src/core/snapshot/name-index.js';
import type { CountryFacts } from '../data-tables/country-facts.js';
import { listCountryNames } from '../data-tables/country-names.js';
import { readDataTable } from '../data-tables/data-table.js';
import { type Gazetteer, listGazetteerNames } from '../gazetteer/read-gazetteer.js';
import { groupBy } from '../ordering/grouping.js';

/** Minimum length of a folded name, in letters: shorter ones are starts of many names. */
const MIN_LETTERS = 4;
/** A name with the country that it leads to, and the people that it stands for. */
interface HashedName {
  readonly hash: number;
  readonly country: number;
  readonly people: number;
}

export interface HashedNameArrays {
  readonly hashes: Uint32Array;
  readonly countries: Uint16Array;
}

export const NO_HASHED_NAMES = encodeNames([]);

/** See bigCityNames and countryNames in src/core/snapshot/name-index.ts. */
export interface NamesOfCountries {
  readonly bigCityNames: HashedNameArrays;
  readonly countryNames: HashedNameArrays;
}

/**
 * `countryCodes` are those of the manifest: with and without data, so that the names of a snapshot of some countries are
 * those of a snapshot of all.
 */
export function hashBigCityNames(gazetteer: Gazetteer | null, countryCodes: readonly string[]): HashedNameArrays {
  if (gazetteer === null) return NO_HASHED_NAMES;
  const names = countryCodes.flatMap((code, country) => {
    const peopleByHash = new Map<number, number>();
    // The largest city comes first.
    for (const city of gazetteer.citiesByCountry.get(code) ?? []) {
      if (city.population < BIG_CITY) break;
      const mainNames = [city.name, city.asciiName];
      for (const name of [...mainNames, ...listGazetteerNames(city)]) {
        const folded = foldText(name);
        const hash = hashText(folded);
        // As in a search for names: Salem is in India, and not Jerusalem.
        const people = mainNames.includes(name) ? city.population : city.population / FAR_BIGGER;
        if (folded.length >= MIN_LETTERS && people > (peopleByHash.get(hash) ?? 0)) peopleByHash.set(hash, people);
      }
    }
    return [...peopleByHash].map(([hash, people]): HashedName => ({ hash, country, people }));
  });
  return encodeNames(names);
}

/** The names of the big cities of the package's gazetteer, as `hashBigCityNames` gives them: hash, then its countries. */
const BIG_CITY_NAMES = 'big-city-names.tsv';

/** The lines of the table. */
export function formatBigCityNames({ hashes, countries }: HashedNameArrays, countryCodes: readonly string[]): string {
  const codesOf = groupBy(hashes.keys(), (name) => hashes[name] as number);
  const lines = [...codesOf].map(([hash, names]) => {
    const codes = names.map((name) => countryCodes[countries[name] as number]);
    return [hash.toString(16), ...codes].join('\t');
  });
  return `${lines.join('\n')}\n`;
}

/** For a release with cities by country, of which not all are read. */
export function readBigCityNames(countryCodes: readonly string[]): HashedNameArrays {
  const numbers = new Map(countryCodes.map((code, number) => [code, number]));
  const [hashes, countries]: [number[], number[]] = [[], []];
  for (const [hash, ...codes] of readDataTable(BIG_CITY_NAMES)) {
    for (const code of codes) {
      hashes.push(Number.parseInt(hash as string, 16));
      countries.push(numbers.get(code) as number);
    }
  }
  return { hashes: Uint32Array.from(hashes), countries: Uint16Array.from(countries) };
}

/** Of several countries with a name, the one with the most people has it. */
export function hashCountryNames(facts: readonly CountryFacts[]): HashedNameArrays {
  const names = facts.flatMap((facts, country) =>
    listCountryNames(facts).map((name): HashedName => ({ hash: hashText(name), country, people: facts.population })),
  );
  const { hashes, countries } = encodeNames(names);
  const isFirst = (_: number, at: number): boolean => hashes[at] !== hashes[at - 1];
  return { hashes: hashes.filter(isFirst), countries: countries.filter(isFirst) };
}

/** Ascending by hash, of one hash the name with the most people first. */
function encodeNames(names: readonly HashedName[]): HashedNameArrays {
  const sorted = names.toSorted((a, b) => a.hash - b.hash || b.people - a.people || a.country - b.country);
  return {
    hashes: Uint32Array.from(sorted, ({ hash }) => hash),
    countries: Uint16Array.from(sorted, ({ country }) => country),
  };
}
