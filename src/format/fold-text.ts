/**
 * The one definition of how text is folded for search: every script becomes Latin letters, case and accents go,
 * apostrophes vanish and all other punctuation separates words. Builder and server both call it, and its version
 * stands in the manifest: a snapshot folded otherwise is refused, since its names could not be found.
 *
 *   "St. Gallen" → "st gallen"     "Майкоп" → "maykop"     "O’Fallon" → "ofallon"     "Łódź" → "lodz"
 *
 * The result holds only a-z, 0-9 and single spaces between words, so one byte is one character.
 */
import anyAscii from 'any-ascii';

export const FOLDING_VERSION = 1;

const ALREADY_FOLDED = /^[a-z0-9]+(?: [a-z0-9]+)*$/;
/** What only case keeps from being folded: most names there are. */
const PLAIN_ASCII = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;
const APOSTROPHES = /['`]+/g;
const SEPARATORS = /[^a-z0-9]+/g;

/** Whether foldText leaves the text as it is, because it is folded already and not empty. */
export function isFolded(text: string): boolean {
  return ALREADY_FOLDED.test(text);
}

/** The folded form of `text`; empty when it has neither letters nor digits. */
export function foldText(text: string): string {
  if (isFolded(text)) return text;
  if (PLAIN_ASCII.test(text)) return text.toLowerCase();
  return anyAscii(text).toLowerCase().replace(APOSTROPHES, '').replace(SEPARATORS, ' ').trim();
}
