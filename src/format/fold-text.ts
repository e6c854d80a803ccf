/**
 * The one definition of how text is folded for search: every script becomes Latin letters, case and accents go,
 * apostrophes vanish and all other punctuation separates words, as do signs and emoji. Builder and server both call
 * foldText, and its version stands in the manifest: a snapshot folded otherwise is refused, since its names could not be
 * found.
 *
 *   "St. Gallen" → "st gallen"     "Майкоп" → "maykop"     "O’Fallon" → "ofallon"     "Łódź" → "lodz"
 *
 * The result holds only a-z, 0-9 and single spaces between words, so one byte is one character. People also write
 * "Muenchen", "o fallon", "Saint Gall" for "St. Gall" and either half of "Alacant/Alicante" first: the builder indexes
 * such spellings beside the folded name. A person who types "Århus" may mean a name that is written "Aarhus": foldQuery has both.
 *
 * FlexSearch's Encoder was looked at first. It takes accents off what Unicode decomposes and no more: "Łódź" becomes
 * "łodz", "Straße" and "Ærø" stay, "Майкоп" and "서울" keep their script, and it makes one of doubled letters ("falon").
 */
import anyAscii from 'any-ascii';

export const FOLDING_VERSION = 4;

const ALREADY_FOLDED = /^[a-z0-9]+(?: [a-z0-9]+)*$/;
/** What is folded, or only case keeps from being so: most names there are. */
const PLAIN_ASCII = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;
const APOSTROPHES = /['`]+/g;
/** What people write for an apostrophe. Letters that any-ascii writes with one, such as "ь", are none. */
const WRITTEN_APOSTROPHES = /['`´‘’‛ʻʼ′＇]+/g;
/** Signs, emoji and punctuation beyond ASCII, some of which any-ascii spells out: "EUR", "tm", "beach_with_umbrella". */
const SIGNS = /(?!\p{ASCII})[\p{S}\p{P}\p{Cf}\p{Extended_Pictographic}]/gu;
const LETTER_OR_DIGIT = /[a-z0-9]/i;
const SEPARATORS = /[^a-z0-9]+/g;

/** What is written with two letters where a keyboard lacks the one. */
const LETTER_PAIRS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };
const PAIRED_LETTERS = /[äöüøå]/g;
/** "d Alene", "o Fallon": an elided word, whose apostrophe some write as a space. */
const ELIDED_WORDS = /\b([dlos]) (?=[a-z]{2})/g;
const HAS_ELIDED_WORD = /\b[dlos] [a-z]{2}/;
/** "Paris 08", a district that many write "Paris 8". */
const LEADING_ZEROS = /(?<= )0(?=[1-9](?: |$))/g;
/** Words that are written short as often as long. */
const ABBREVIATIONS: readonly (readonly [RegExp, string])[] = [
  [/\bsaint\b/g, 'st'],
  [/\bsainte\b/g, 'ste'],
  [/\bsankt\b/g, 'st'],
  [/\bst\b/g, 'saint'],
  [/\bst\b/g, 'sankt'],
  [/\bste\b/g, 'sainte'],
  [/\bfort\b/g, 'ft'],
  [/\bft\b/g, 'fort'],
  [/\bmount\b/g, 'mt'],
  [/\bmt\b/g, 'mount'],
];
/** Of a name with many such words not every mixture is written. */
const MAX_SPELLINGS = 8;
const MAYBE_ABBREVIATED = /\b(?:sainte?|sankt|ste?|f(?:or)?t|m(?:oun)?t)\b/;

/** Whether foldText leaves the text as it is, because it is folded already and not empty. */
export function isFolded(text: string): boolean {
  return ALREADY_FOLDED.test(text);
}

/** The folded form of `text`; empty when it has neither letters nor digits. */
export function foldText(text: string): string {
  if (PLAIN_ASCII.test(text)) return text.toLowerCase();
  const ascii = anyAscii(text.normalize('NFC').replace(SIGNS, (sign) => (isSpelledOut(sign) ? ' ' : sign)));
  return ascii.toLowerCase().replace(APOSTROPHES, '').replace(SEPARATORS, ' ').trim();
}

/**
 * What to look up for a query, the most exact first: where it has letters that are also written as two, the folded text
 * with those, and then its folded form.
 */
export function foldQuery(text: string): string[] {
  const folded = foldText(text);
  if (PLAIN_ASCII.test(text)) return [folded];
  return [...new Set([foldText(writePairs(text)), folded])];
}

/**
 * A name without case and punctuation, but with its accents, which tell villages apart: two names with one
 * lookalikeName look alike in a list. Leaves of one parent that share it are one suggestion.
 */
export function lookalikeName(name: string): string {
  if (PLAIN_ASCII.test(name)) return name.toLowerCase();
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\p{P}\p{Z}]+/gu, ' ')
    .trim();
}

/** Every folded text by which a name is found: first the folded form, then what else people write. Without repeats. */
export function listSpellings(name: string): string[] {
  const folded = foldText(name);
  if (folded === '') return [];
  const isPlain = PLAIN_ASCII.test(name);
  const isAbbreviated = MAYBE_ABBREVIATED.test(folded);
  const hasElidedWord = HAS_ELIDED_WORD.test(folded);
  // Most names there are have one spelling.
  if (isPlain && !isAbbreviated && !hasElidedWord && !folded.includes(' 0')) return [folded];
  const spellings = new Set([folded]);
  if (!isPlain) {
    spellings.add(foldText(writePairs(name)));
    const spaced = name.replace(WRITTEN_APOSTROPHES, ' ');
    if (spaced !== name) spellings.add(foldText(spaced));
    const parts = name.split('/');
    for (let first = 1; first < parts.length; first++) {
      spellings.add(foldText([...parts.slice(first), ...parts.slice(0, first)].join(' ')));
    }
  }
  if (hasElidedWord) spellings.add(folded.replace(ELIDED_WORDS, '$1'));
  if (folded.includes(' 0')) spellings.add(folded.replace(LEADING_ZEROS, ''));
  if (isAbbreviated) {
    // Each of what there is already too: "Fort Saint John" is also "ft st john".
    for (const [words, others] of ABBREVIATIONS) {
      for (const spelling of [...spellings].slice(0, MAX_SPELLINGS)) spellings.add(spelling.replace(words, others));
    }
  }
  spellings.delete('');
  return [...spellings];
}

/** `text`, in lower case, with two letters for each that is also written so. */
function writePairs(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(PAIRED_LETTERS, (letter) => LETTER_PAIRS[letter] as string);
}

/** Whether any-ascii has letters or digits for a sign. */
function isSpelledOut(sign: string): boolean {
  return LETTER_OR_DIGIT.test(anyAscii(sign));
}
