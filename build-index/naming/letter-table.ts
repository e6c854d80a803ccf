/**
 * Transliterates one word with a table of letters, and keeps the case: "Щёлково" → "Shchyolkovo". Only this file reads
 * such tables. any-ascii transliterates letters that a table lacks.
 */
import anyAscii from 'any-ascii';

export interface LetterTable {
  /** The transliteration of each letter in lower case; empty for a letter that is omitted. */
  readonly letters: Readonly<Record<string, string>>;
  /**
   * Transliterations that depend on the neighbouring letters; the first match wins. Each pattern is sticky (flags "uy")
   * and runs on the whole word in lower case, so that it may look behind.
   */
  readonly rules: readonly (readonly [RegExp, string])[];
}

const LONE_MARK = /^\p{M}$/u;

/** `word` in Latin letters. `word` must be in Unicode's NFC and contain letters and apostrophes only. */
export function transliterate(word: string, { letters, rules }: LetterTable): string {
  const lower = word.toLowerCase();
  // A few letters, such as İ, have more units in lower case: then positions in the two texts would differ.
  if (lower.length !== word.length) return anyAscii(word);
  let latin = '';
  for (let at = 0; at < word.length; ) {
    const [length, text] = matchRule(lower, at, rules) ?? matchLetter(lower, word, at, letters);
    latin += withCaseOf(word, at, length, text);
    at += length;
  }
  return latin.normalize('NFC');
}

/** The number of UTF-16 units that are replaced, and their transliteration. */
type Match = readonly [number, string];

function matchRule(lower: string, at: number, rules: LetterTable['rules']): Match | undefined {
  for (const [pattern, latin] of rules) {
    pattern.lastIndex = at;
    const [found] = pattern.exec(lower) ?? [];
    if (found !== undefined) return [found.length, latin];
  }
  return undefined;
}

function matchLetter(lower: string, word: string, at: number, letters: LetterTable['letters']): Match {
  const known = letters[lower[at] as string];
  if (known !== undefined) return [1, known];
  const letter = String.fromCodePoint(word.codePointAt(at) as number);
  // A lone mark is a stress mark of a dictionary, which Latin omits.
  return [letter.length, LONE_MARK.test(letter) ? '' : anyAscii(letter).toLowerCase()];
}

/**
 * A capital makes a capital, and capitals only where a neighbour is one too: "Щука" → "Shchuka", "ЩУКА" → "SHCHUKA".
 */
function withCaseOf(word: string, at: number, length: number, latin: string): string {
  if (!isCapital(word[at])) return latin;
  const [before, behind] = [word[at - 1], word[at + length]];
  const isAmongCapitals = isCapital(behind) || (behind === undefined && isCapital(before));
  return isAmongCapitals ? latin.toUpperCase() : latin.charAt(0).toUpperCase() + latin.slice(1);
}

function isCapital(letter: string | undefined): boolean {
  return letter !== undefined && letter !== letter.toLowerCase();
}
