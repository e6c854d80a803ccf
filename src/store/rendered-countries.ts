/**
 * Rendered countries (src/format/rendered-countries.ts): the JSON of one country as text, of several countries as a
 * view.
 */
import type { RenderedCountries } from '../format/rendered-countries.js';
import { type ByteString, decodeUtf8 } from './byte-string.js';

/**
 * A view of the JSON objects of the countries from number `start` up to but not including `end`, separated by commas.
 */
export function countryRangeJson(rendered: RenderedCountries, start: number, end: number): Buffer {
  if (end <= start) return rendered.text.subarray(0, 0);
  return rendered.text.subarray(rendered.offsets[start], (rendered.offsets[end] as number) - 1);
}

/**
 * A country's JSON object without its closing brace, and the additional field of its detail: `,"stats":{…}` or empty.
 */
export function countryDetailJson(rendered: RenderedCountries, country: number): [ByteString, ByteString] {
  return [
    rendered.text.toString('latin1', rendered.offsets[country], (rendered.offsets[country + 1] as number) - 2),
    rendered.stats.toString('latin1', rendered.statsOffsets[country], rendered.statsOffsets[country + 1]),
  ];
}

/** `postalCodeFormat` with a JSON string that JSON.parse accepts. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a JSON string with a control character is invalid
const FORMAT = /,"postalCodeFormat":("(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*")/;

/** The format of a country's postal codes; null where it is unknown, or unreadable in a damaged file. */
export function postalCodeFormat(rendered: RenderedCountries, country: number): string | null {
  const [open] = countryDetailJson(rendered, country);
  const json = FORMAT.exec(decodeUtf8(open))?.[1];
  return json === undefined ? null : (JSON.parse(json) as string);
}
