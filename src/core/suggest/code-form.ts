/**
 * The form of a typed code, and which countries can have such a code: a test of a few characters that spares a lookup in
 * most countries.
 */

import {
  maxNationalDigits,
  mayHaveNationalDigits,
  SHORT_CODE_COUNTRIES,
  signsOf,
} from '../lookup/national-postcodes.js';
import { findPostcodesStarting, type PostcodeIndex } from '../snapshot/postcode-index.js';
import { compactPostcode, hasLetter, plainPostcodeCharacters } from '../snapshot/postcode-spelling.js';
import type { Country, CountryStructures } from '../snapshot/snapshot.js';

const SEPARATOR = /[ -]/;
/** Countries whose codes are also written behind the letter of a province, which the data lack. */
const PROVINCE_LETTERS: ReadonlySet<string> = new Set(['AR']);
const LAST_DIGIT = 0x39;
/** Countries whose codes begin with a digit, and are also written with letters: see national-postcodes.ts. */
const LETTER_CODES: ReadonlySet<string> = new Set(['AR', 'FR', 'GF', 'GP', 'MQ', 'RE', 'YT', 'SZ']);

/** The form of a code with its separators: 9 for a digit, A for a letter ("99-999"). */
export function formOf(code: string): string {
  return plainPostcodeCharacters(code)
    .replace(/\p{Nd}/gu, '9')
    .replace(/[a-z]/gi, 'A');
}

/** Whether a code has a space or a hyphen. */
export function hasSeparator(code: string): boolean {
  return SEPARATOR.test(code);
}

/** Whether the codes of the data begin with letters: codes ascend, so the first letter is that of the first code. */
export function startWithLetters({ codeText }: PostcodeIndex): boolean {
  return (codeText[0] as number) > LAST_DIGIT;
}

/** Whether a country can have a code: by the number of its digits, or its letters, which can be the country's sign. */
export function mayHaveCode(country: Country, structures: CountryStructures, code: string): boolean {
  if (hasLetter(code)) return mayHaveLetters(country, structures, code);
  return mayHaveNationalDigits(country.entry.code, compactPostcode(code).length);
}

/** Whether a country can have a code that starts so. */
export function mayHaveCodeFrom(country: Country, structures: CountryStructures, start: string): boolean {
  if (hasLetter(start)) return mayHaveLetters(country, structures, start);
  return compactPostcode(start).length <= maxNationalDigits(country.entry.code);
}

/** Whether letters are the start of codes of a country, or of its sign before a code. */
export function startCodes(country: Country, { postcodes }: CountryStructures, letters: string): boolean {
  if (signsOf(country.entry.code).some((sign) => sign.startsWith(letters))) return true;
  if (PROVINCE_LETTERS.has(country.entry.code) && letters.length === 1) return true;
  const { start, end } = findPostcodesStarting(postcodes, letters);
  return start < end;
}

/** Whether the codes of a country have letters, or `code` begins with the country's sign. */
function mayHaveLetters({ entry }: Country, { postcodes }: CountryStructures, code: string): boolean {
  const hasLetters = startWithLetters(postcodes) || SHORT_CODE_COUNTRIES.has(entry.code);
  return hasLetters || LETTER_CODES.has(entry.code) || signsOf(entry.code).some((sign) => code.startsWith(sign));
}
