/**
 * Other names of countries as the first segment of a path, such as /uk and /deutschland: the names of
 * data/country-names.tsv that only one country has. The codes of countries are aliases too (SiteSnapshot).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { slugOf } from '../../format/slug.js';
import { packageRoot } from '../../platform/package-root.js';

/** What people write for a code that ISO 3166 gives to another letter pair. */
const CODES_IN_USE: readonly (readonly [string, string])[] = [['uk', 'GB']];

let codes: ReadonlyMap<string, string> | undefined;

/** The two-letter code of the country with this name as a slug. */
export function countryCodeOfAlias(slug: string): string | undefined {
  return readCountryAliases().get(slug);
}

/** All codes by slug; the first call reads the file, in 20 ms. */
export function readCountryAliases(): ReadonlyMap<string, string> {
  codes ??= readAliases();
  return codes;
}

function readAliases(): ReadonlyMap<string, string> {
  const found = new Map<string, string | undefined>(CODES_IN_USE);
  for (const line of readFileSync(join(packageRoot(), 'data', 'country-names.tsv'), 'utf8').split('\n')) {
    const [code = '', ...names] = line.split('\t');
    for (const slug of new Set(names.map(slugOf))) found.set(slug, found.has(slug) ? undefined : code);
  }
  return new Map([...found].filter((entry): entry is [string, string] => entry[0] !== '' && entry[1] !== undefined));
}
