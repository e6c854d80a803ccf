/**
 * Names in Latin letters, by the romanisation that people of their country use (tables/, korean.ts), word by word, so
 * that "Самара Ems Сц" keeps what is Latin already. Cyrillic letters belong to many languages: the country tells which,
 * and a word with a letter that the country's language lacks is taken for its neighbour's ("Зеленый" in Ukraine).
 * Scripts without a table are written as any-ascii has them: that names the sounds of syllables and consonants, and no
 * vowels that a script leaves out. Japanese names in Chinese characters stay: their readings can't be told from them.
 */
import anyAscii from 'any-ascii';
import { romaniseKorean } from './korean.js';
import { type LetterTable, transliterate } from './letter-table.js';
import { inOneScript } from './lookalikes.js';
import { BELARUSIAN } from './tables/belarusian.js';
import { BULGARIAN } from './tables/bulgarian.js';
import { GEORGIAN } from './tables/georgian.js';
import { GREEK } from './tables/greek.js';
import { MACEDONIAN } from './tables/macedonian.js';
import { RUSSIAN } from './tables/russian.js';
import { SERBIAN } from './tables/serbian.js';
import { UKRAINIAN } from './tables/ukrainian.js';

/** Letters, stress marks, and apostrophes between letters; syllables of Korean with numbers between. */
const WORD = /\p{Script=Hangul}+(?:\d+(?:[.,·]\d+)*\p{Script=Hangul}*)?|\p{L}[\p{L}\p{M}]*(?:['’ʼ`‘][\p{L}\p{M}]+)*/gu;
/** A letter that is neither Latin nor, as ʻ and ª, of every script. */
const OTHER_LETTER = /[^\P{L}\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;
/** Decides for nearly every name that has none: up to U+024F there are Latin letters only. */
const LATIN_BLOCKS_ONLY = /^[ -\u024f]*$/;
const APOSTROPHES = /[’ʼ`‘]/g;
const HANGUL = /\p{Script=Hangul}/u;
const CYRILLIC = /\p{Script=Cyrillic}/u;
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
export function isInAnotherScript(text: string): boolean {
  return !LATIN_BLOCKS_ONLY.test(text) && OTHER_LETTER.test(text);
}

/** How the names of one country are romanised: takes a name, gives its Latin form. */
export type Romanise = (name: string) => string;

/** `columns` are the country's distinct names: those of Belarus are in Russian or in Belarusian. */
export function createRomaniser(countryCode: string, columns: readonly (readonly string[])[]): Romanise {
  const cyrillic = chooseCyrillic(countryCode, columns);
  const romaniseWord = (written: string): string => {
    const word = inOneScript(written);
    if (!OTHER_LETTER.test(word)) return word;
    if (countryCode === 'JP' && CHINESE_CHARACTER.test(word)) return word;
    const latin = romaniseByTable(word, cyrillic);
    // A word of several scripts.
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
  // "DongCheng", "'bw": any-ascii gives each Chinese character a capital, and a glottal stop an apostrophe.
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

function capitalise(latin: string): string {
  return latin.charAt(0).toUpperCase() + latin.slice(1);
}
