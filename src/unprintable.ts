/** The characters that neither a name that is kept nor a line for people may hold, and those that a spreadsheet acts on. */

/**
 * Control characters, halves of surrogate pairs, line breaks that are no controls, and what turns the direction of
 * text.
 */
export const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const EACH_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu');

/**
 * The text with its unprintable characters escaped as in JSON, "\u001b": nothing in it can move a terminal's cursor.
 */
export function escapeUnprintable(text: string): string {
  return text.replace(EACH_UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A text that a spreadsheet runs as a formula: https://owasp.org/www-community/attacks/CSV_Injection */
export const STARTS_AS_FORMULA = /^[=+\-@\t\r]/;
