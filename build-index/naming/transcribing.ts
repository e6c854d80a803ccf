/** How texts in German, French, Spanish and Portuguese write a Cyrillic name (tables/transcriptions.ts), word by word. */
import { transliterate } from './letter-table.js';
import { type CyrillicAlphabet, TRANSCRIPTIONS } from './tables/transcriptions.js';

const CYRILLIC = /\p{Script=Cyrillic}/u;
const CYRILLIC_WORD = /\p{Script=Cyrillic}+(?:['’ʼ`‘]\p{Script=Cyrillic}+)*/gu;
const APOSTROPHES = /[’ʼ`‘]/g;
const LATIN = /\p{Script=Latin}/u;
const OTHER_THAN_RUSSIAN = /[^\P{Script=Cyrillic}а-яё]/iu;
const OTHER_THAN_UKRAINIAN = /[^\P{Script=Cyrillic}а-яіїєґ]|[ёъыэ]/iu;
const OTHER_THAN_BELARUSIAN = /[^\P{Script=Cyrillic}а-яёіў]|[ищъ]/iu;

/** A name in each of the four languages; none if it is not in an alphabet of the country. */
export function transcribe(countryCode: string, name: string): readonly string[] {
  const alphabet = CYRILLIC.test(name) && !LATIN.test(name) ? alphabetOf(countryCode, name) : undefined;
  if (alphabet === undefined) return [];
  const plain = name.normalize('NFC').replace(APOSTROPHES, "'");
  return TRANSCRIPTIONS[alphabet].map((table) => plain.replace(CYRILLIC_WORD, (word) => transliterate(word, table)));
}

function alphabetOf(countryCode: string, name: string): CyrillicAlphabet | undefined {
  if (countryCode === 'UA' && !OTHER_THAN_UKRAINIAN.test(name)) return 'ukrainian';
  if (countryCode === 'BY' && /[іў]/iu.test(name)) return OTHER_THAN_BELARUSIAN.test(name) ? undefined : 'belarusian';
  if (OTHER_THAN_RUSSIAN.test(name)) return undefined;
  return countryCode === 'BG' ? 'bulgarian' : 'russian';
}
