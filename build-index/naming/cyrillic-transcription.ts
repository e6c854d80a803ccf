/**
 * How German, French, Spanish and Portuguese texts write Cyrillic names: each language spells the sounds in its own
 * way, so "Вязьма" is Wjasma in German and Viazma in the others, and "Нижний" Nischni, Nijni, Nizhni, Nijni. German
 * follows Duden, French and Spanish their encyclopedias, Portuguese its press. Accents are left out, since names are
 * searched without them.
 */

import { APOSTROPHES, CYRILLIC, type LetterTable, transliterate } from './letter-tables.js';

type CyrillicAlphabet = 'russian' | 'ukrainian' | 'belarusian' | 'bulgarian';

interface Transcription {
  /** The letters of all four alphabets, as in Russian where they differ. */
  readonly letters: LetterTable['letters'];
  /** The letters that the other alphabets read in another way. */
  readonly ukrainian: LetterTable['letters'];
  readonly belarusian: LetterTable['letters'];
  readonly bulgarian: LetterTable['letters'];
  /** The rules of every alphabet. */
  readonly rules: LetterTable['rules'];
  /** The rules of Russian and Belarusian, where е and ё start with a y at the start of a word and after a vowel. */
  readonly softRules: LetterTable['rules'];
}

const VOWELS = 'аеёиоуыэюяіїє';
/** The position of a letter at the start of a word, or after a vowel or a sign. */
const AT_START = `(?<=^|[${VOWELS}йъь'])`;
const atStart = (letter: string): RegExp => new RegExp(AT_START + letter, 'uy');

const DOUBLE_S: LetterTable['rules'] = [[new RegExp(`(?<=[${VOWELS}])с(?=[${VOWELS}])`, 'uy'), 'ss']];
const AFTER_HUSHING: LetterTable['rules'] = [[/(?<=[жчшщ])ё/uy, 'o']];
const SHORT_ENDING: LetterTable['rules'] = [[/ия$/uy, 'ia']];
/** Russian and Belarusian: the end of adjectives in the plural, in French and Portuguese. */
const SHORT_PLURAL: LetterTable['rules'] = [[/(?<=[иы])е$/uy, 'e']];
/** Russian only: the end of adjectives, in all four languages. */
const ADJECTIVES: LetterTable['rules'] = [[/(?<=[иы])й$/uy, '']];
/** Russian and Bulgarian, whose г is a g; not in German, whose g is always hard. */
const HARD_G: LetterTable['rules'] = [[/г(?=[еиы])/uy, 'gu']];

// biome-ignore format: an alphabet is read at one look.
const GERMAN: Transcription = {
  letters: {
    а: 'a', б: 'b', в: 'w', г: 'g', ґ: 'g', д: 'd', е: 'e', є: 'je', ё: 'jo', ж: 'sch', з: 's', и: 'i', і: 'i',
    ї: 'ji', й: 'i', к: 'k', л: 'l', м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ў: 'u', ф: 'f',
    х: 'ch', ц: 'z', ч: 'tsch', ш: 'sch', щ: 'schtsch', ъ: '', ы: 'y', ь: '', э: 'e', ю: 'ju', я: 'ja', "'": '',
  },
  ukrainian: { г: 'h', и: 'y', й: 'j' },
  belarusian: { г: 'h' },
  bulgarian: { щ: 'scht', ъ: 'a', ь: 'j' },
  rules: [...DOUBLE_S, [/^й|й(?=о)/uy, 'j'], [/ь(?=о)/uy, 'j'], [/(?<=[ае])кс(?!к)/uy, 'x']],
  softRules: [[/(?<=ь)и/uy, 'ji'], ...AFTER_HUSHING, [atStart('е'), 'je']],
};

// biome-ignore format: an alphabet is read at one look.
const FRENCH: Transcription = {
  letters: {
    а: 'a', б: 'b', в: 'v', г: 'g', ґ: 'g', д: 'd', е: 'e', є: 'ie', ё: 'io', ж: 'j', з: 'z', и: 'i', і: 'i', ї: 'i',
    й: 'i', к: 'k', л: 'l', м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'ou', ў: 'ou', ф: 'f', х: 'kh',
    ц: 'ts', ч: 'tch', ш: 'ch', щ: 'chtch', ъ: '', ы: 'y', ь: '', э: 'e', ю: 'iou', я: 'ia', "'": '',
  },
  ukrainian: { г: 'h', и: 'y' },
  belarusian: { г: 'h' },
  bulgarian: { щ: 'cht', ъ: 'a', ь: 'i' },
  rules: [...DOUBLE_S, ...SHORT_ENDING, [/(?<=.{2})ин$/uy, 'ine']],
  softRules: [...AFTER_HUSHING, ...SHORT_PLURAL, [atStart('е'), 'ie']],
};

// biome-ignore format: an alphabet is read at one look.
const SPANISH: Transcription = {
  letters: {
    а: 'a', б: 'b', в: 'v', г: 'g', ґ: 'g', д: 'd', е: 'e', є: 'ie', ё: 'io', ж: 'zh', з: 'z', и: 'i', і: 'i', ї: 'i',
    й: 'i', к: 'k', л: 'l', м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ў: 'u', ф: 'f', х: 'j',
    ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ъ: '', ы: 'y', ь: '', э: 'e', ю: 'iu', я: 'ia', "'": '',
  },
  ukrainian: { г: 'h', и: 'y' },
  belarusian: { г: 'h' },
  bulgarian: { щ: 'sht', ъ: 'a', ь: 'i' },
  rules: [...SHORT_ENDING, [atStart('є'), 'ye'], [atStart('ю'), 'yu'], [atStart('я'), 'ya'], [/й(?=о)/uy, 'y']],
  softRules: [...AFTER_HUSHING, [atStart('е'), 'ye'], [atStart('ё'), 'yo']],
};

const PORTUGUESE: Transcription = {
  ...FRENCH,
  letters: { ...FRENCH.letters, у: 'u', ў: 'u', ю: 'iu' },
  rules: [...DOUBLE_S, ...SHORT_ENDING],
};

/** The tables of the four languages for names in one alphabet. */
const TRANSCRIPTIONS: Readonly<Record<CyrillicAlphabet, readonly LetterTable[]>> = {
  russian: tablesOf((language) => ({
    letters: language.letters,
    rules: [...ADJECTIVES, ...hardG(language), ...language.softRules, ...language.rules],
  })),
  ukrainian: tablesOf(({ letters, ukrainian, rules }) => ({ letters: { ...letters, ...ukrainian }, rules })),
  belarusian: tablesOf(({ letters, belarusian, softRules, rules }) => ({
    letters: { ...letters, ...belarusian },
    rules: [...softRules, ...rules],
  })),
  bulgarian: tablesOf((language) => ({
    letters: { ...language.letters, ...language.bulgarian },
    rules: [...SHORT_ENDING, ...hardG(language), ...language.rules],
  })),
};

function tablesOf(tableOf: (language: Transcription) => LetterTable): readonly LetterTable[] {
  return [GERMAN, FRENCH, SPANISH, PORTUGUESE].map(tableOf);
}

function hardG(language: Transcription): LetterTable['rules'] {
  return language === GERMAN ? [] : HARD_G;
}

const CYRILLIC_WORD = /\p{Script=Cyrillic}+(?:['’ʼ`‘]\p{Script=Cyrillic}+)*/gu;
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
