/**
 * The postal codes that a text may mean in which letters and digits that look alike were mixed up: "9021O" for 90210,
 * "K1A 0Bl" for K1A 0B1. A text of letters and digits is fitted to each form of codes with its length.
 */

import { hasLetter } from '../snapshot/postcode-spelling.js';

/**
 * The forms of codes without separators: 9 is a digit, A a letter, * either. Source: Universal Postal Union, Postal
 * addressing systems, country sheets.
 */
const FORMS: readonly string[] = [
  ...['999', '9999', '99999', '999999', '9999999', '99999999'],
  // Of the United Kingdom and its islands: the first half, and the whole code.
  ...['A9', 'A99', 'AA9', 'AA99', 'A9A', 'AA9A', 'A99AA', 'A999AA', 'AA99AA', 'AA999AA', 'A9A9AA', 'AA9A9AA'],
  // Of CA, IE, MT, NL and AR.
  ...['A9A9A9', 'A99****', '9999AA', 'AAA9999', 'A9999', 'A9999AAA'],
  // With the country's sign: AD, LU, LV, LT.
  ...['AA999', 'AA9999', 'AA99999'],
];
/** The digits that letters look like, and the letters that digits look like. Codes are in upper case. */
const DIGITS: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1', S: '5', B: '8', Z: '2' };
const LETTERS: Readonly<Record<string, string>> = { 0: 'O', 1: 'IL', 5: 'S', 8: 'B', 2: 'Z' };

/** The cost of a digit that was a letter, compared with a letter that was a digit: letters look odd in a number. */
const TO_LETTER = 2.5;
const DIGIT = /\d/;

/** The codes that a compact code with a letter may mean, the likeliest first: few changes, rather of letters to digits. */
export function listLookAlikeCodes(compact: string): string[] {
  if (!hasLetter(compact)) return [];
  const forms = FORMS.filter(({ length }) => length === compact.length);
  const fitting = new Set(forms.flatMap((form) => fitTo(compact, form)));
  fitting.delete(compact);
  const changes = (code: string): number =>
    [...code].reduce((sum, sign, at) => (sign === compact[at] ? sum : sum + (DIGIT.test(sign) ? 1 : TO_LETTER)), 0);
  return [...fitting].sort((a, b) => changes(a) - changes(b));
}

/** The texts of a form that look like a text of its length; empty if a character looks like none that fits. */
function fitTo(text: string, form: string): string[] {
  let fitted = [''];
  for (const [at, sign] of [...text].entries()) {
    const wanted = form[at] as string;
    const isFitting = wanted === '*' || DIGIT.test(sign) === (wanted === '9');
    const signs = isFitting ? sign : ((wanted === '9' ? DIGITS[sign] : LETTERS[sign]) ?? '');
    fitted = fitted.flatMap((start) => [...signs].map((one) => start + one));
  }
  return fitted;
}
