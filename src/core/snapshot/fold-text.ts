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
import { addAbbreviated, mayBeAbbreviated } from './abbreviations.js';

export const FOLDING_VERSION = 5;

/** Text whose folded form is its lower case. Most names match. */
const PLAIN_ASCII = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;
const APOSTROPHES = /['`]+/g;
/**
 * The characters that people type as an apostrophe. Letters that any-ascii turns into one, such as "ь", are not among
 * them.
 */
const WRITTEN_APOSTROPHES = /['`´‘’‛ʻʼ′＇]+/g;
/** Signs, emoji and punctuation beyond ASCII. any-ascii spells some of them out: "EUR", "tm", "beach_with_umbrella". */
const SIGNS = /(?!\p{ASCII})[\p{S}\p{P}\p{Cf}\p{Extended_Pictographic}]/gu;
const LETTER_OR_DIGIT = /[a-z0-9]/i;
const SEPARATORS = /[^a-z0-9]+/g;

/** Letters that people replace by two letters when their keyboard lacks the letter. */
const LETTER_PAIRS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };
const PAIRED_LETTERS = /[äöüøå]/g;
/** "d Alene", "o Fallon": an elided word with a space in place of its apostrophe. */
const ELIDED_WORDS = /\b([dlos]) (?=[a-z]{2})/g;
const HAS_ELIDED_WORD = /\b[dlos] [a-z]{2}/;
/** "Paris 08", a district that is also written "Paris 8". */
const LEADING_ZEROS = /(?<= )0(?=[1-9](?: |$))/g;
const NO_SPELLINGS = { own: [], abbreviated: [] };

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
  return [...new Set([foldText(writePairs(text)), folded])];
}

/**
 * A name without case and punctuation, but with its accents, which distinguish villages. Two names with the same key
 * count as the same name: leaves of one parent with the same key become one suggestion.
 */
export function sameNameKey(name: string): string {
  if (PLAIN_ASCII.test(name)) return name.toLowerCase();
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\p{P}\p{Z}]+/gu, ' ')
    .trim();
}

/** The distinct folded texts under which a name is indexed. */
export interface Spellings {
  /** Those that count as the name itself, first its folded form; none for a name without letters and digits. */
  readonly own: readonly string[];
  /** Those with abbreviations, which count as other names of the place. */
  readonly abbreviated: readonly string[];
}

/** All spellings of a name: first its folded form, then the other spellings in use. */
export function listSpellings(name: string): readonly string[] {
  const { own, abbreviated } = spellName(name);
  return abbreviated.length === 0 ? own : [...own, ...abbreviated];
}

export function spellName(name: string): Spellings {
  const folded = foldText(name);
  if (folded === '') return NO_SPELLINGS;
  const isPlain = PLAIN_ASCII.test(name);
  const isAbbreviated = mayBeAbbreviated(folded);
  const hasElidedWord = HAS_ELIDED_WORD.test(folded);
  // Most names have one spelling.
  if (isPlain && !isAbbreviated && !hasElidedWord && !folded.includes(' 0')) return { own: [folded], abbreviated: [] };
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
  spellings.delete('');
  if (!isAbbreviated) return { own: [...spellings], abbreviated: [] };
  const ownCount = addAbbreviated(spellings);
  const all = [...spellings];
  return { own: all.slice(0, ownCount), abbreviated: all.slice(ownCount) };
}

/** `text` in lower case, with each letter of LETTER_PAIRS written as two letters. */
function writePairs(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(PAIRED_LETTERS, (letter) => LETTER_PAIRS[letter] as string);
}

/** Whether any-ascii turns a sign into letters or digits. */
function isSpelledOut(sign: string): boolean {
  return LETTER_OR_DIGIT.test(anyAscii(sign));
}

/*
 * Slugs: the segments of a place's path, made of a-z, 0-9 and single inner hyphens. slugOf is idempotent, so the path
 * of a web page and a path typed by hand ("/Île-de-France/Paris") lead to the same place. Slugs are truncated so that
 * the longest path of four slugs, with the suffixes that distinguish siblings, stays below MAX_PATH_LENGTH.
 */

/** Maximum length of a path in characters: no place has a longer one, and the API refuses longer ones. */
export const MAX_PATH_LENGTH = 1000;
/** Maximum length of the slug of a name, in characters. */
const MAX_SLUG_LENGTH = 180;
/** Maximum length of a suffix that distinguishes siblings with the same slug, in characters. */
const MAX_DISTINCTION_LENGTH = 40;
const ALREADY_SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The slug of a name; empty if the name has neither letters nor digits. */
export function slugOf(name: string): string {
  if (name.length <= MAX_SLUG_LENGTH && ALREADY_SLUG.test(name)) return name;
  return cutSlug(foldText(name).replaceAll(' ', '-'), MAX_SLUG_LENGTH);
}

/**
 * The slug of a text that distinguishes a place from siblings with the same slug. Short, because it follows that slug.
 */
export function distinctionSlugOf(text: string): string {
  return cutSlug(slugOf(text), MAX_DISTINCTION_LENGTH);
}

function cutSlug(slug: string, length: number): string {
  return slug.length <= length ? slug : slug.slice(0, length).replace(/-$/, '');
}
