/**
 * The section `country-answers`: each country's JSON object, rendered by the builder, in the order of the manifest.
 * `text` holds the objects, each followed by a comma, so the list of all countries is one slice. `stats` holds the
 * additional field of the country detail, `,"stats":{…}`, which goes before the object's closing brace. It is empty for
 * a country without postcode data.
 *
 *   offsets       u32[c+1]  start of each object in text
 *   text          u8[]      UTF-8
 *   statsOffsets  u32[c+1]  start of each country's text in stats
 *   stats         u8[]
 */
import { type Bundle, bufferOf, checkEnd, checkLength, decodeBundle } from './array-bundle.js';

export const RENDERED_COUNTRIES_SCHEMA = {
  offsets: 'u32',
  text: 'u8',
  statsOffsets: 'u32',
  stats: 'u8',
} as const;

export type RenderedCountries = Omit<Bundle<typeof RENDERED_COUNTRIES_SCHEMA>, 'text' | 'stats'> & {
  readonly text: Buffer;
  readonly stats: Buffer;
};

/** A country as the API's list of countries returns it. */
export interface CountryResource {
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

/** The additional field of the country detail. */
export interface CountryStats {
  readonly totalPlaces: number;
  readonly distinctPostcodes: number;
  readonly levels: readonly { readonly level: number; readonly count: number }[];
}

export function decodeRenderedCountries(bytes: Uint8Array, where: string, countryCount: number): RenderedCountries {
  const rendered = decodeBundle(RENDERED_COUNTRIES_SCHEMA, bytes, where);
  checkLength(`${where}.offsets`, rendered.offsets, countryCount + 1);
  checkLength(`${where}.statsOffsets`, rendered.statsOffsets, countryCount + 1);
  checkEnd(`${where}.offsets`, rendered.offsets, rendered.text.length);
  checkEnd(`${where}.statsOffsets`, rendered.statsOffsets, rendered.stats.length);
  return { ...rendered, text: bufferOf(rendered.text), stats: bufferOf(rendered.stats) };
}
