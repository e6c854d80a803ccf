/**
 * Loads the facts of each country that its rows lack: from the project's own table (data/countries.tsv: every country
 * of ISO 3166-1 and XK), overridden by a release's countryInfo.txt. A code that is not in the table, such as a
 * withdrawn one, is not a country, even if countryInfo.txt has it.
 */

import type { CountryResource } from '../../src/core/snapshot/rendered-countries.js';
import { slugOf } from '../../src/core/snapshot/slug.js';
import { ReleaseError } from '../reading/release-error.js';
import { readDataTable } from './data-table.js';

/** A country's answer without the fields that depend on the release's rows and on the website. */
export interface CountryFacts extends Omit<CountryResource, 'hasPostcodes' | 'url' | 'postalCodeFormat'> {
  /** The formats of the release and of the table, if any: see postal-code-format.ts. */
  readonly postalCodeFormats: readonly string[];
  readonly population: number;
}

const POPULATION_COLUMN = 7;
const POSTAL_FORMAT_COLUMN = 13;

/** Every country, sorted by code. `countryInfo` is the text of countryInfo.txt, null if the release has none. */
export function loadCountryFacts(countryInfo: string | null): CountryFacts[] {
  const inRelease = new Map(parseCountryInfo(countryInfo ?? '').map((columns) => [columns[0], columns]));
  if (inRelease.size > 0 && ![...inRelease.values()].some((columns) => columns.length > POSTAL_FORMAT_COLUMN)) {
    throw new ReleaseError('countryInfo.txt: not one line of it describes a country');
  }
  return readDataTable('countries.tsv')
    .slice(1)
    .map((columns) => {
      const [code, alpha3, name, region, subRegion, currencyCode, timezone, latitude, longitude, format, population] =
        columns as string[] & { length: 11 };
      const info = inRelease.get(code as string);
      const given = (column: number, form: RegExp, fallback: string): string => {
        const value = info?.[column] ?? '';
        return form.test(value) ? value : fallback;
      };
      const countryName = given(4, /^.{1,100}$/, name as string);
      return {
        code: code as string,
        alpha3: given(1, /^[A-Z]{3}$/, alpha3 as string),
        name: countryName,
        slug: slugOf(countryName) || (code as string).toLowerCase(),
        region: given(8, /^[A-Z]{2}$/, region as string),
        subRegion: subRegion || null,
        currencyCode: given(10, /^[A-Z]{3}$/, currencyCode as string),
        timezone: timezone as string,
        latitude: parseCentre(latitude as string),
        longitude: parseCentre(longitude as string),
        postalCodeFormats: [...new Set([given(POSTAL_FORMAT_COLUMN, /^.{1,100}$/, ''), format as string])].filter(
          (one) => one !== '',
        ),
        population: Number(given(POPULATION_COLUMN, /^(?:[1-9]\d{0,8}|[1-3]\d{9})$/, population as string)),
      };
    })
    .sort((a, b) => (a.code < b.code ? -1 : 1));
}

/** The lines that are neither blank nor comments, split at tabs. */
function parseCountryInfo(text: string): string[][] {
  return text
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t').map((column) => column.trim()));
}

function parseCentre(text: string): number | null {
  if (text === '') return null;
  const degrees = Number(text);
  if (!Number.isFinite(degrees)) throw new Error(`data/countries.tsv: ${text} is no coordinate`);
  return degrees;
}
