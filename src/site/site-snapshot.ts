/** Countries with data, countries by the first segment of a path, and what is computed before a snapshot is served. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Steps } from '../base/cooperative.js';
import { oncePer } from '../base/once-per.js';
import { packageRoot } from '../base/package-root.js';
import { citiesOf } from '../core/snapshot/cities.js';
import { slugOf } from '../core/snapshot/fold-text.js';
import { codeExtrasOf } from '../core/snapshot/place-codes.js';
import type { Country, CountryStructures, Snapshot } from '../core/snapshot/snapshot.js';
import { countryMapOf } from './map/country-map.js';

/** A country with postal code data. */
export interface CoveredCountry extends Country {
  readonly structures: CountryStructures;
}

export function isCovered(country: Country): country is CoveredCountry {
  return country.structures !== undefined;
}

/*
 * Computes the site's data about a snapshot before the snapshot is served, so that no request waits for it: the other
 * names of countries, and the cities and the map of each country. For the world that takes 0.4 seconds, at most 20 ms
 * for one step. Pages that are made without it compute the same data on first use.
 */

export function* prepareInSteps(snapshot: Snapshot): Steps<void> {
  readCountryAliases();
  yield;
  for (const country of snapshot.countries.filter(isCovered)) {
    codeExtrasOf(country.structures);
    yield;
    citiesOf(country.structures);
    yield;
    countryMapOf(country);
    yield;
  }
}

/*
 * Other names of countries as the first segment of a path, such as /uk and /deutschland: the names of
 * data/country-names.tsv that only one country has.
 */

/** What people write for a code that ISO 3166 gives to another letter pair. */
const CODES_IN_USE: readonly (readonly [string, string])[] = [['uk', 'GB']];

let aliases: ReadonlyMap<string, string> | undefined;

/** A country by its slug, by another name of it, or by its code of two or three letters: the first segment of a path. */
export function findCountryByAlias(snapshot: Snapshot, slug: string): Country | undefined {
  const code = readCountryAliases().get(slug) ?? slug.toUpperCase();
  return (
    countriesBySlug(snapshot).get(slug) ??
    snapshot.countryByCode.get(code) ??
    snapshot.countries.find(({ entry }) => entry.alpha3 === code)
  );
}

const countriesBySlug = oncePer(
  ({ countries }: Snapshot): ReadonlyMap<string, Country> =>
    new Map(countries.map((country) => [country.entry.slug, country])),
);

/** All codes by slug; the first call reads the file, in 20 ms. */
function readCountryAliases(): ReadonlyMap<string, string> {
  aliases ??= readAliases();
  return aliases;
}

function readAliases(): ReadonlyMap<string, string> {
  const found = new Map<string, string | undefined>(CODES_IN_USE);
  for (const line of readFileSync(join(packageRoot(), 'data', 'country-names.tsv'), 'utf8').split('\n')) {
    const [code = '', ...names] = line.split('\t');
    for (const slug of new Set(names.map(slugOf))) found.set(slug, found.has(slug) ? undefined : code);
  }
  return new Map([...found].filter((entry): entry is [string, string] => entry[0] !== '' && entry[1] !== undefined));
}
