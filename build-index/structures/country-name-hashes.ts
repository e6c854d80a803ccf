/** The names of all countries: see countryNames in src/format/name-index.ts. */

import { HashedNames } from '../gazetteer/hashed-names.js';
import type { CountryFacts } from '../reading/country-facts.js';
import { listCountryNames } from './place-contexts.js';

export function hashCountryNames(facts: readonly CountryFacts[]): HashedNames {
  const hashed = new HashedNames();
  facts.forEach((country, number) => {
    for (const name of listCountryNames(country)) hashed.add(name, number, country.population);
  });
  return hashed;
}
