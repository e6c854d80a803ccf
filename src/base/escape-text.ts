/** The characters that a kept name, a line for people or a model, and a spreadsheet's cell may not hold or begin with. */

/**
 * Control characters, halves of surrogate pairs, line breaks that are no controls, and what turns the direction of
 * text. A name that is kept may have other invisible characters, which join the parts of an emoji or shape letters.
 */
export const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** All that, and what nobody sees: format characters, zero widths, tags, fillers, selectors of variants. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The text with its unprintable and invisible characters escaped as in JSON, "\u001b": nothing in it can move a
 * terminal's cursor, or tell a model what its reader does not see.
 */
export function escapeUnprintable(text: string): string {
  return text.replace(UNSEEN, escapeUnits);
}

/** A cell of a table whose columns a "|" parts, in one line. */
export function escapeCell(text: string): string {
  return escapeUnprintable(text).replaceAll('|', escapeUnits);
}

/** A character beyond U+FFFF has two units. */
function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** A text that a spreadsheet runs as a formula: https://owasp.org/www-community/attacks/CSV_Injection */
export const STARTS_AS_FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
