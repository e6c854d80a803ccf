/**
 * Everyday short names of big cities (data/city-short-names.tsv), which the gazetteer lacks or has among codes of
 * airports: NYC, LA, Kbh.
 */

import type { City } from '../gazetteer/city-row.js';
import { readDataTableOnce } from './data-table.js';

const namesByCity = readDataTableOnce(
  'city-short-names.tsv',
  (lines) => new Map(lines.map(([id, country, , ...names]) => [`${id} ${country}`, names])),
);

/** The short names of a city, by its geonameid and country. */
export function shortNames({ geonameId, countryCode }: Pick<City, 'geonameId' | 'countryCode'>): readonly string[] {
  return namesByCity().get(`${geonameId} ${countryCode}`) ?? [];
}
