/**
 * Romanises names with the system common in their country (letter-tables.ts, korean.ts), word by word, so that "Самара
 * Ems Сц" keeps its Latin words. Many languages use Cyrillic letters: the country decides, and a word with a letter that its
 * language lacks is read in the neighbour's language ("Зеленый" in Ukraine). any-ascii romanises scripts without a
 * table: it has syllables and consonants, but not the vowels that a script omits. Japanese names in Chinese characters
 * stay, since the characters don't determine the reading.
 */

import anyAscii from 'any-ascii';
import { withoutHomoglyphs } from './homoglyphs.js';
import { romaniseKorean } from './korean.js';
import {
  APOSTROPHES,
  BELARUSIAN,
  BULGARIAN,
  CYRILLIC,
  capitalise,
  GEORGIAN,
  GREEK,
  type LetterTable,
  MACEDONIAN,
  RUSSIAN,
  SERBIAN,
  transliterate,
  UKRAINIAN,
} from './letter-tables.js';

/** Letters, stress marks, and apostrophes between letters; syllables of Korean with numbers between. */
const WORD = /\p{Script=Hangul}+(?:\d+(?:[.,·]\d+)*\p{Script=Hangul}*)?|\p{L}[\p{L}\p{M}]*(?:['’ʼ`‘][\p{L}\p{M}]+)*/gu;
/** A letter that is neither Latin nor, as ʻ and ª, of every script. */
const OTHER_LETTER = /[^\P{L}\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;
/** A quick test for names without other letters: up to U+024F all letters are Latin. */
const LATIN_BLOCKS_ONLY = /^[ -\u024f]*$/;
const HANGUL = /\p{Script=Hangul}/u;
const GREEK_LETTER = /\p{Script=Greek}/u;
const GEORGIAN_LETTER = /\p{Script=Georgian}/u;
const CHINESE_CHARACTER = /\p{Script=Han}/u;

const CYRILLIC_TABLES: Readonly<Record<string, LetterTable>> = {
  BG: BULGARIAN,
  MK: MACEDONIAN,
  RS: SERBIAN,
  ME: SERBIAN,
  BA: SERBIAN,
  XK: SERBIAN,
};
const RUSSIAN_LETTER = /[ёъыэ]/iu;
const RUSSIAN_AND_NOT_BELARUSIAN = /[ищъ]/iu;
const UKRAINIAN_OR_BELARUSIAN = /[іўїєґ]/iu;

/** Whether `text` has letters that are not Latin. */
export function needsRomanising(text: string): boolean {
  return !LATIN_BLOCKS_ONLY.test(text) && OTHER_LETTER.test(text);
}

/** Returns the Latin form of a name. */
export type Romanise = (name: string) => string;

/** `columns` are the country's distinct names, which show whether those of Belarus are Russian or Belarusian. */
export function createRomaniser(countryCode: string, columns: readonly (readonly string[])[]): Romanise {
  const cyrillic = chooseCyrillic(countryCode, columns);
  const romaniseWord = (written: string): string => {
    const word = withoutHomoglyphs(written);
    if (!OTHER_LETTER.test(word)) return word;
    if (countryCode === 'JP' && CHINESE_CHARACTER.test(word)) return word;
    const latin = romaniseByTable(word, cyrillic);
    // A word with several scripts.
    return OTHER_LETTER.test(latin) ? anyAscii(latin) : latin;
  };
  return (name) => {
    const latin = name.normalize('NFC').replace(WORD, romaniseWord).replace(/ {2,}/g, ' ').trim();
    return latin === '' ? name : latin;
  };
}

function romaniseByTable(word: string, cyrillic: (word: string) => LetterTable): string {
  if (HANGUL.test(word)) return romaniseKorean(word);
  const plain = word.replace(APOSTROPHES, "'");
  if (CYRILLIC.test(word)) return transliterate(plain, cyrillic(word));
  if (GREEK_LETTER.test(word)) return transliterate(plain, GREEK);
  if (GEORGIAN_LETTER.test(word)) return capitalise(transliterate(plain, GEORGIAN));
  // any-ascii returns a capital for each Chinese character ("DongCheng") and an apostrophe for a glottal stop ("'bw").
  return capitalise(anyAscii(word).toLowerCase().replace(/['`]/g, ''));
}

/** Chooses the table for a word in Cyrillic letters. */
function chooseCyrillic(countryCode: string, columns: readonly (readonly string[])[]): (word: string) => LetterTable {
  if (countryCode === 'UA') return (word) => (RUSSIAN_LETTER.test(word) ? RUSSIAN : UKRAINIAN);
  if (countryCode === 'BY') {
    let [russian, belarusian] = [0, 0];
    for (const name of columns.flat()) {
      if (RUSSIAN_AND_NOT_BELARUSIAN.test(name)) russian++;
      else if (UKRAINIAN_OR_BELARUSIAN.test(name)) belarusian++;
    }
    const usual = belarusian > russian ? BELARUSIAN : RUSSIAN;
    return (word) => {
      if (RUSSIAN_AND_NOT_BELARUSIAN.test(word)) return RUSSIAN;
      return UKRAINIAN_OR_BELARUSIAN.test(word) ? BELARUSIAN : usual;
    };
  }
  const table = CYRILLIC_TABLES[countryCode] ?? RUSSIAN;
  return () => table;
}
