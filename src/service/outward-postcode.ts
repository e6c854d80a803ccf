/**
 * Full postal codes of countries of which the data hold only the first part, the one that names a post town or district:
 * "SW1A 1AA" is looked for as SW1A. The forms are those of the countries' postal services. Codes of other countries are
 * never cut: where the data have the whole code, half of it is another place.
 */
import { compactPostcode } from '../format/postcode.js';

const BRITISH = /^([A-Z]{1,2}\d[A-Z\d]?)\d[A-Z]{2}$/;

/** Of a full code, without spaces and hyphens, the first group is the part that is kept. */
const FULL_CODES: Readonly<Record<string, RegExp>> = {
  CA: /^([A-Z]\d[A-Z])\d[A-Z]\d$/,
  GB: BRITISH,
  GG: BRITISH,
  IE: /^([A-Z]\d[\dW])[A-Z\d]{4}$/,
  IM: BRITISH,
  JE: BRITISH,
  MT: /^([A-Z]{3})\d{4}$/,
  NL: /^(\d{4})[A-Z]{2}$/,
};

/** The first part of a full code in normal form; undefined where it is none, or none of a country whose codes are cut. */
export function outwardPostcode(country: string, postcode: string): string | undefined {
  return FULL_CODES[country]?.exec(compactPostcode(postcode))?.[1];
}
