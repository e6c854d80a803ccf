/**
 * Everyday short names of big cities (data/city-short-names.tsv), which the gazetteer lacks or has among codes of
 * airports: NYC, LA, Kbh. The table is read once.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/platform/package-root.js';
import type { City } from './city-row.js';

let namesByCity: ReadonlyMap<string, readonly string[]> | undefined;

/** The short names of a city, by its geonameid and country. */
export function shortNames({ geonameId, countryCode }: Pick<City, 'geonameId' | 'countryCode'>): readonly string[] {
  namesByCity ??= readTable();
  return namesByCity.get(`${geonameId} ${countryCode}`) ?? [];
}

function readTable(): Map<string, readonly string[]> {
  const text = readFileSync(join(packageRoot(), 'data', 'city-short-names.tsv'), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [geonameId, countryCode, , ...names] = line.split('\t');
      return [`${geonameId} ${countryCode}`, names];
    }),
  );
}
