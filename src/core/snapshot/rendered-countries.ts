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

import { type Bundle, bufferOfArray, checkBundledLength, checkBundledOffsets, decodeBundle } from './array-bundle.js';
import { BufferSink, type ByteString, decodeUtf8 } from './byte-string.js';
import { type BoundNames, findOtherName } from './names-by-language.js';

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
  checkBundledLength(`${where}.offsets`, rendered.offsets, countryCount + 1);
  checkBundledLength(`${where}.statsOffsets`, rendered.statsOffsets, countryCount + 1);
  checkBundledOffsets(`${where}.offsets`, rendered.offsets, rendered.text.length);
  checkBundledOffsets(`${where}.statsOffsets`, rendered.statsOffsets, rendered.stats.length);
  return { ...rendered, text: bufferOfArray(rendered.text), stats: bufferOfArray(rendered.stats) };
}

/**
 * A view of the JSON objects of the countries from number `start` up to but not including `end`, separated by commas.
 */
export function renderedCountriesJson(rendered: RenderedCountries, start: number, end: number): Buffer {
  if (end <= start) return rendered.text.subarray(0, 0);
  return rendered.text.subarray(rendered.offsets[start], (rendered.offsets[end] as number) - 1);
}

/**
 * A country's JSON object without its closing brace, and the additional field of its detail: `,"stats":{…}` or empty.
 */
export function renderedCountryDetail(rendered: RenderedCountries, country: number): [ByteString, ByteString] {
  return [
    rendered.text.toString('latin1', rendered.offsets[country], (rendered.offsets[country + 1] as number) - 2),
    rendered.stats.toString('latin1', rendered.statsOffsets[country], rendered.statsOffsets[country + 1]),
  ];
}

/** The position of the value of `name` in an object, and the text after the value. */
const NAME_START = '{"code":"XX","alpha3":"XXX","name":'.length;
const SLUG_KEY = ',"slug":';
/** Maximum length of an object in bytes: several times the longest. */
const MAX_COUNTRY_BYTES = 4_096;

/** The same objects with other names: a copy. */
export function nameCountries(rendered: RenderedCountries, otherNames: BoundNames | undefined): RenderedCountries {
  if (otherNames === undefined) return rendered;
  const { text } = rendered;
  const offsets = new Uint32Array(rendered.offsets.length);
  const out = new BufferSink(2 * text.length);
  for (let country = 0; country < offsets.length - 1; country++) {
    const [start, end] = [rendered.offsets[country] as number, rendered.offsets[country + 1] as number];
    const name = findOtherName(otherNames, country);
    const nameEnd = text.indexOf(SLUG_KEY, start);
    if (name === undefined || nameEnd === -1) {
      out.addBytes(text, start, end, MAX_COUNTRY_BYTES);
    } else {
      out.addBytes(text, start, start + NAME_START, NAME_START);
      out.add(name);
      out.addBytes(text, nameEnd, end, MAX_COUNTRY_BYTES);
    }
    offsets[country + 1] = out.length;
  }
  return { ...rendered, offsets, text: out.bytes };
}

/** `postalCodeFormat` with a JSON string that JSON.parse accepts. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a JSON string with a control character is invalid
const FORMAT = /,"postalCodeFormat":("(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*")/;

/** The format of a country's postal codes; null where it is unknown, or unreadable in a damaged file. */
export function renderedPostalCodeFormat(rendered: RenderedCountries, country: number): string | null {
  const [open] = renderedCountryDetail(rendered, country);
  const json = FORMAT.exec(decodeUtf8(open))?.[1];
  return json === undefined ? null : (JSON.parse(json) as string);
}
