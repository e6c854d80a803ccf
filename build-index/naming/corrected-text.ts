/**
 * Corrects a released text by rules that need nothing but the text and its country:
 *
 *   mojibake        HÃ¼ls → Hüls                              see below
 *   accent          Citta' di Castello → Città di Castello    IT, where an apostrophe stands for the accent
 *   possessive      Queen'S Road → Queen's Road
 *   small letters   Jerez De La Frontera → Jerez de la Frontera    ES, IT, PT and BR, see ordinary-case.ts
 *
 * Ids use the released text, so these rules change none.
 */

import { type CaseRules, caseRulesOf, isInCapitals, lowerSmallWords } from './ordinary-case.js';

/*
 * Decodes mojibake, text in UTF-8 that was read as Windows-1252 or Latin-1: "HÃ¼ls" → "Hüls". A text is decoded only if
 * all of it is valid UTF-8 in that reading, and if the letters that this gives are Latin, or all of one other script: the
 * first two letters of the Czech "Úžice" are valid too, but give an Arabic one.
 */

/** The characters of Windows-1252 for the bytes from 0x80 to 0x9f; a dot for a byte without a character. */
const WINDOWS_1252 = '€.‚ƒ„…†‡ˆ‰Š‹Œ.Ž..‘’“”•–—˜™š›œ.žŸ';
const BYTES = new Map(
  Array.from(WINDOWS_1252, (character, index) => [character, 0x80 + index] as const).filter(([one]) => one !== '.'),
);
/** A quick test: the first byte of a character in UTF-8, and a byte after it. */
const MAYBE_MOJIBAKE = /[\u00c2-\u00f4][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/;
const UTF8 = new TextDecoder('utf-8', { fatal: true });
const BEYOND_ASCII = /[^\p{ASCII}]+/gu;
const LATIN_OR_PUNCTUATION = /^[\p{Script=Latin}\p{P}]+$/u;
const ONE_SCRIPT =
  /^(?:\p{Script=Cyrillic}+|\p{Script=Greek}+|\p{Script=Georgian}+|\p{Script=Hangul}+|\p{Script=Han}+)$/u;
const ASCII_LETTER = /[A-Za-z]/;

/** `text` decoded, or `text` itself if it is not mojibake. */
export function decodeMojibake(text: string): string {
  if (!MAYBE_MOJIBAKE.test(text)) return text;
  const bytes = Array.from(text, (character) => BYTES.get(character) ?? (character.codePointAt(0) as number));
  if (bytes.some((byte) => byte > 0xff)) return text;
  let decoded: string;
  try {
    decoded = UTF8.decode(Uint8Array.from(bytes));
  } catch {
    return text;
  }
  const letters = decoded.match(BEYOND_ASCII)?.join('') ?? '';
  const isPlausible = LATIN_OR_PUNCTUATION.test(letters) || (ONE_SCRIPT.test(letters) && !ASCII_LETTER.test(decoded));
  return isPlausible ? decoded : text;
}

/** Countries whose releases give each word of many names a capital. */
const CAPITAL_FOR_EACH_WORD: ReadonlySet<string> = new Set(['BR', 'ES', 'IT', 'PT']);
const POSSESSIVE = /(?<=\p{Ll}['’ʼ`´‘])S(?![\p{L}\p{M}])/gu;
const LAST_VOWEL = /(?<![\p{L}\p{M}])([\p{L}\p{M}]*)([aeiouAEIOU])['’`´](?![\p{L}\p{M}\d])/gu;
/** A word in quotation marks: its last apostrophe is no accent. */
const QUOTATION = /(?:^|[^\p{L}\p{M}])['’`´‘]\p{L}/u;
const GRAVE: Readonly<Record<string, string>> = { a: 'à', e: 'è', i: 'ì', o: 'ò', u: 'ù' };
/** Words that are cut short: Ca' (casa), de' (dei), ne' (nei), Fra' (frate), and the town of Vo'. */
const CUT_SHORT: ReadonlySet<string> = new Set('ca co de di fra mo ne po to vo'.split(' '));
/** Words with an acute accent: French ones of the Aosta Valley, and a town. */
const ACUTE: ReadonlySet<string> = new Set('pre andre trinite fiave'.split(' '));

type Rule = (text: string, rules: CaseRules) => string;

interface NamedRule {
  /** The kind of change in the tally of cleaning. */
  readonly kind: string;
  /** Undefined for all countries. */
  readonly countries?: ReadonlySet<string>;
  readonly correct: Rule;
}

const RULES: readonly NamedRule[] = [
  { kind: 'name: mojibake', correct: decodeMojibake },
  { kind: 'name: accent for an apostrophe', countries: new Set(['IT']), correct: accentLastVowels },
  { kind: 'name: small s after an apostrophe', correct: (text) => text.replace(POSSESSIVE, 's') },
  {
    kind: 'name: small letters inside',
    countries: CAPITAL_FOR_EACH_WORD,
    correct: (text, rules) => (isInCapitals(text) ? text : lowerSmallWords(text, rules)),
  },
];

/** A corrected text, and the kinds of the corrections. */
export interface CorrectedText {
  readonly text: string;
  readonly kinds: readonly string[];
}

/** Returns the corrector of a country's texts. */
export function createTextCorrector(countryCode: string): (text: string) => CorrectedText {
  const caseRules = caseRulesOf(countryCode);
  const rules = RULES.filter(({ countries }) => countries?.has(countryCode) ?? true);
  return (released) => {
    let text = released;
    const kinds: string[] = [];
    for (const { kind, correct } of rules) {
      const corrected = correct(text, caseRules);
      if (corrected !== text) kinds.push(kind);
      text = corrected;
    }
    return { text, kinds };
  };
}

function accentLastVowels(text: string): string {
  if (QUOTATION.test(text)) return text;
  return text.replace(LAST_VOWEL, (word, start: string, vowel: string) => {
    const plain = (start + vowel).toLowerCase();
    if (start === '' || CUT_SHORT.has(plain)) return word;
    const accented = ACUTE.has(plain) ? 'é' : (GRAVE[vowel.toLowerCase()] as string);
    return start + (vowel === vowel.toLowerCase() ? accented : accented.toUpperCase());
  });
}

/*
 * Corrects homoglyphs, letters of another script that look the same: "Уcть-Ордынский" with a Latin c, "Оknianskyi" with
 * a Cyrillic О. In a word of two scripts, the letters of the rarer script become those of the other.
 */

/** Groups of homoglyphs: the Latin, the Cyrillic and the Greek letter; a dot if a script has none. */
const ALIKE =
  'aа. cс. eе. iіι jј. oоο pрρ sѕ. xхχ yу. AАΑ BВΒ CС. EЕΕ HНΗ IІΙ JЈ. KКΚ MМΜ N.Ν OОΟ PРΡ SЅ. TТΤ XХΧ YУΥ Z.Ζ v.ν'.split(
    ' ',
  );
const SCRIPTS = [/\p{Script=Latin}/gu, /\p{Script=Cyrillic}/gu, /\p{Script=Greek}/gu];
const LETTER = /\p{L}/u;
const SEVERAL_LETTERS = /\p{L}{2}/u;

/** `word` in one script, if every letter of the rarer script has a homoglyph; otherwise unchanged. */
export function inOneScript(word: string): string {
  if (!SEVERAL_LETTERS.test(word)) return word;
  const counts = SCRIPTS.map((script) => word.match(script)?.length ?? 0);
  if (counts.filter((count) => count > 0).length !== 2) return word;
  const most = counts.indexOf(Math.max(...counts));
  const letters = Array.from(word, (letter) => {
    if (!LETTER.test(letter) || letter.search(SCRIPTS[most] as RegExp) !== -1) return letter;
    const alike = ALIKE.find((line) => line.includes(letter))?.[most];
    return alike === '.' ? undefined : alike;
  });
  return letters.includes(undefined) ? word : letters.join('');
}
