/**
 * Countries by the first segment of a path: by slug, by code, or by another name, such as /uk and /deutschland. Other
 * names are those of data/country-names.tsv that only one country has.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { oncePer } from '../../base/once-per.js';
import { packageRoot } from '../../base/package-root.js';
import { slugOf } from '../../core/snapshot/fold-text.js';
import type { Country, Snapshot } from '../../core/snapshot/snapshot.js';

/** Codes that people use although ISO 3166 has another one for the country. */
const CODES_IN_USE: readonly (readonly [string, string])[] = [['uk', 'GB']];

let aliases: ReadonlyMap<string, string> | undefined;

/**
 * A country by its slug, by another name of it, or by its code of two or three letters: the first segment of a path.
 */
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

/** Codes of countries by the slugs of their names; the first call reads the file, in 20 ms. */
export function readCountryAliases(): ReadonlyMap<string, string> {
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
