/**
 * Corrects a released text by rules that need nothing but the text and its country:
 *
 *   mojibake        HÃ¼ls → Hüls                              see mojibake.ts
 *   misread letter  Saint-Franþois → Saint-François           see MISREAD
 *   accent          Citta' di Castello → Città di Castello    IT, where an apostrophe stands for the accent
 *   possessive      Queen'S Road → Queen's Road
 *   small letters   Jerez De La Frontera → Jerez de la Frontera    ES, IT, PT and BR, see ordinary-case.ts
 *
 * Ids use the released text, so these rules change none.
 */

import { decodeMojibake } from './mojibake.js';
import { type CaseRules, caseRulesOf, isInCapitals, lowerSmallWords } from './ordinary-case.js';

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

/**
 * Signs that were read in another code page, where nothing else can be meant: by country, and for all (''). Within a
 * word no question is opened. Of DZ a control character stood for the apostrophe, and was read as a space.
 */
const MISREAD: readonly (readonly [country: string, pattern: RegExp, letter: string])[] = [
  ['', /(?<=\p{L})¿(?=\p{L})/gu, '’'],
  ['', /#&039;/g, "'"],
  ['CA', /þ/g, 'ç'],
  ['DZ', /(?<= [DM]) (?=[A-Z][a-z])/, "'"],
  ['DZ', /č/g, 'è'],
  ['DZ', /ů/g, 'ù'],
  ['PA', /ð/g, 'ñ'],
  ['PE', /(?<=\bN)[§ø](?= ?\d)/g, 'º'],
  ['SE', /^Â(?=lvsjö$|ngelholm$)/, 'Ä'],
  ['SE', /^Â(?=landsbro$)/, 'Å'],
];

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
  ...MISREAD.map(([country, pattern, letter]) => ({
    kind: 'name: misread letter',
    ...(country !== '' && { countries: new Set([country]) }),
    correct: (text: string) => text.replace(pattern, letter),
  })),
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
