/**
 * Folding: the normal form of text in the search index. Every script is transliterated to Latin letters, case and
 * accents are removed, apostrophes are dropped, and all other punctuation, signs and emoji separate words. Builder and
 * server both call foldText. The manifest holds its version, and the server refuses a snapshot of another version,
 * because its names could not be found.
 *
 *   "St. Gallen" → "st gallen"     "Майкоп" → "maykop"     "O’Fallon" → "ofallon"     "Łódź" → "lodz"
 *
 * The result holds only a-z, 0-9 and single spaces between words, so one byte is one character. People also write
 * "Muenchen", "o fallon", "Saint Gall" for "St. Gall" and either half of "Alacant/Alicante" first: the builder indexes
 * these spellings in addition to the folded name (listSpellings). The query "Århus" may mean the name "Aarhus", so
 * foldQuery returns both forms.
 *
 * Why not FlexSearch's Encoder: it removes only the accents that Unicode decomposes ("Łódź" becomes "łodz", "Straße"
 * and "Ærø" stay), keeps scripts ("Майкоп", "서울") and merges doubled letters ("falon").
 */

import anyAscii from 'any-ascii';

export const FOLDING_VERSION = 5;

/** Text whose folded form is its lower case. Most names match. */
export const PLAIN_ASCII = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;
const APOSTROPHES = /['`]+/g;
/** Signs, emoji and punctuation beyond ASCII. any-ascii spells some of them out: "EUR", "tm", "beach_with_umbrella". */
const SIGNS = /(?!\p{ASCII})[\p{S}\p{P}\p{Cf}\p{Extended_Pictographic}]/gu;
const LETTER_OR_DIGIT = /[a-z0-9]/i;
const SEPARATORS = /[^a-z0-9]+/g;

/** Letters that people replace by two letters when their keyboard lacks the letter. */
const LETTER_PAIRS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };
const PAIRED_LETTERS = /[äöüøå]/g;
/** The folded form of `text`; empty if it has neither letters nor digits. */
export function foldText(text: string): string {
  if (PLAIN_ASCII.test(text)) return text.toLowerCase();
  const ascii = anyAscii(text.normalize('NFC').replace(SIGNS, (sign) => (isSpelledOut(sign) ? ' ' : sign)));
  return ascii.toLowerCase().replace(APOSTROPHES, '').replace(SEPARATORS, ' ').trim();
}

/**
 * The folded forms of a query to look up, the most exact first: with each letter of LETTER_PAIRS written as two
 * letters, then as foldText folds it. One form if both are the same.
 */
export function foldQuery(text: string): string[] {
  const folded = foldText(text);
  if (PLAIN_ASCII.test(text)) return [folded];
  return [...new Set([foldText(foldLetterPairs(text)), folded])];
}

/**
 * A name without case and punctuation, but with its accents, which distinguish villages. Two names with the same key
 * count as the same name: leaves of one parent with the same key become one suggestion.
 */
export function foldNameKeepingAccents(name: string): string {
  if (PLAIN_ASCII.test(name)) return name.toLowerCase();
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\p{P}\p{Z}]+/gu, ' ')
    .trim();
}

/** `text` in lower case, with each letter of LETTER_PAIRS written as two letters. */
export function foldLetterPairs(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(PAIRED_LETTERS, (letter) => LETTER_PAIRS[letter] as string);
}

/** Whether any-ascii turns a sign into letters or digits. */
function isSpelledOut(sign: string): boolean {
  return LETTER_OR_DIGIT.test(anyAscii(sign));
}
