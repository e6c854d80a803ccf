/**
 * Everyday short names of big cities (data/city-short-names.tsv), which the gazetteer lacks or has among codes of
 * airports: NYC, LA, Kbh. The table is read once.
 */

import type { City } from '../gazetteer/city-row.js';
import { readColumns } from './data-table.js';

let namesByCity: ReadonlyMap<string, readonly string[]> | undefined;

/** The short names of a city, by its geonameid and country. */
export function shortNames({ geonameId, countryCode }: Pick<City, 'geonameId' | 'countryCode'>): readonly string[] {
  namesByCity ??= new Map(
    readColumns('city-short-names.tsv').map(([id, country, , ...names]) => [`${id} ${country}`, names]),
  );
  return namesByCity.get(`${geonameId} ${countryCode}`) ?? [];
}
