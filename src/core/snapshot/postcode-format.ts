/**
 * Formats of postal codes, as `postalCodeFormat` of a country has them: `#` is a digit, `@` a letter, `|` separates
 * alternative forms, and any other character is itself.
 */

const DIGIT = /\d/;
const LETTER = /[A-Z]/;

/** Whether a code in normal form has one of the forms. */
export function fitsFormat(format: string, code: string): boolean {
  return format.split('|').some((form) => fitsForm(form, code));
}

/** The format of the first parts of codes: each form up to its space; empty if no form has a space. */
export function firstPartFormat(format: string): string {
  const forms = format.split('|').filter((form) => form.includes(' '));
  return forms.map((form) => form.slice(0, form.indexOf(' '))).join('|');
}

/** Whether a code in normal form has a form, one of a format. */
export function fitsForm(form: string, code: string): boolean {
  if (form.length !== code.length) return false;
  for (let at = 0; at < form.length; at++) if (!fitsFormatSign(form.charAt(at), code.charAt(at))) return false;
  return true;
}

/** Whether a character is what a sign of a form stands for. */
export function fitsFormatSign(sign: string, character: string): boolean {
  if (sign === '#') return DIGIT.test(character);
  return sign === '@' ? LETTER.test(character) : sign === character;
}
