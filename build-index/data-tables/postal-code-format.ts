/**
 * Chooses the value of `postalCodeFormat` for a country (src/core/snapshot/postcode-format.ts). A table's format is used only
 * if the country's codes fit it. In this order:
 *
 *   a format that all codes fit, in whole or (GB, whose data have the first part only) up to its space
 *   the one form of all codes                                                                         RS: #####
 *   a format that some codes fit, if the codes have several forms                                     FR: #####
 *   none
 */

import { firstPartFormat, fitsFormat, fitsFormatSign } from '../../src/core/snapshot/postcode-format.js';

/** `formats` are in the order of preference; `codes` are the country's codes in normal form. */
export function choosePostalCodeFormat(formats: readonly string[], codes: Iterable<string>): string | null {
  const distinct = [...new Set(codes)];
  if (distinct.length === 0) return formats[0] ?? null;
  const whole = formats.find((format) => distinct.every((code) => fitsFormat(format, code)));
  if (whole !== undefined) return whole;
  const isInParts = distinct.every((code) => !code.includes(' '));
  const started = formats.find((format) => isInParts && distinct.every((code) => fitsFirstPart(format, code)));
  return (
    started ??
    commonForm(distinct) ??
    formats.find((format) => distinct.some((code) => fitsFormat(format, code))) ??
    null
  );
}

function fitsFirstPart(format: string, code: string): boolean {
  return fitsFormat(firstPartFormat(format), code);
}

/** The common form of all codes; undefined if they differ in more than digits and letters. */
function commonForm([first = '', ...others]: readonly string[]): string | undefined {
  let form = first;
  for (const code of others) {
    if (code.length !== form.length) return undefined;
    const signs = Array.from(form, (sign, at) => joinSign(sign, code.charAt(at)));
    if (signs.includes(undefined)) return undefined;
    form = signs.join('');
  }
  // A country with one code: its digits may differ in future codes.
  return form.replace(/\d/g, '#');
}

function joinSign(sign: string, character: string): string | undefined {
  if (sign === character || fitsFormatSign(sign, character)) return sign;
  if ((sign === '#' || fitsFormatSign('#', sign)) && fitsFormatSign('#', character)) return '#';
  return (sign === '@' || fitsFormatSign('@', sign)) && fitsFormatSign('@', character) ? '@' : undefined;
}
