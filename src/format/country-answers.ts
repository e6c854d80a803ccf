/**
 * Each country's JSON object, rendered by the builder, in the order of the manifest's countries. `text` holds the
 * objects with one comma behind each, so the whole list is one slice; `stats` holds what the detail of a country with
 * postcode data has beyond that: `,"stats":{…}`, to be put before the object's closing brace. Empty where it has none.
 *
 *   offsets       u32[c+1]  start of each object in text
 *   text          u8[]      UTF-8
 *   statsOffsets  u32[c+1]  start of each country's part of stats
 *   stats         u8[]
 */
import { type Bundle, bufferOf, checkEnd, checkLength, decodeBundle } from './array-bundle.js';

export const COUNTRY_ANSWERS_SCHEMA = {
  offsets: 'u32',
  text: 'u8',
  statsOffsets: 'u32',
  stats: 'u8',
} as const;

export type CountryAnswers = Omit<Bundle<typeof COUNTRY_ANSWERS_SCHEMA>, 'text' | 'stats'> & {
  readonly text: Buffer;
  readonly stats: Buffer;
};

export interface CountryAnswer {
  readonly code: string;
  readonly alpha3: string;
  readonly name: string;
  readonly slug: string;
  readonly region: string;
  readonly subRegion: string | null;
  readonly currencyCode: string;
  readonly timezone: string;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly postalCodeFormat: string | null;
  readonly hasPostcodes: boolean;
  readonly url: string;
}

export interface CountryStats {
  readonly totalPlaces: number;
  readonly distinctPostcodes: number;
  readonly levels: readonly { readonly level: number; readonly count: number }[];
}

export function decodeCountryAnswers(bytes: Uint8Array, where: string, countryCount: number): CountryAnswers {
  const answers = decodeBundle(COUNTRY_ANSWERS_SCHEMA, bytes, where);
  checkLength(`${where}.offsets`, answers.offsets, countryCount + 1);
  checkLength(`${where}.statsOffsets`, answers.statsOffsets, countryCount + 1);
  checkEnd(`${where}.offsets`, answers.offsets, answers.text.length);
  checkEnd(`${where}.statsOffsets`, answers.statsOffsets, answers.stats.length);
  return { ...answers, text: bufferOf(answers.text), stats: bufferOf(answers.stats) };
}
