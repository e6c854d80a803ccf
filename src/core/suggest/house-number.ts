/** Tells the number of a house, a box or the like from a postal code, by the words around it. */

import { foldText } from '../snapshot/fold-text.js';
import { PART_SEPARATORS } from './address-line.js';
import { FIRST_WORDS, isStreet, LAST_WORDS, STREET_ENDINGS } from './street-words.js';

/** Of any script. */
const DIGIT = /\p{N}/u;

/** Whether a number of a line is that of a house, a box or the like instead of a postal code. */
export function isHouseNumber(line: string, number: string): boolean {
  return line.split(PART_SEPARATORS).some((part) => {
    const words = part.split(/\s+/).map(foldText);
    const at = words.indexOf(number);
    if (at === -1) return false;
    const [before, after] = [words.slice(0, at), words.slice(at + 1).filter((word) => word !== '')];
    // "12345 Main St", "1010 Stephansplatz", "2000 Broadway"; in "63101 St Louis" the word is first of several.
    if (after.length === 1 && LAST_WORDS.has(after[0] as string)) return true;
    if (after.some((word, index) => (index > 0 && LAST_WORDS.has(word)) || (index === 0 && STREET_ENDINGS.test(word))))
      return true;
    if (after.length > 0 || before.some((word) => DIGIT.test(word))) return false;
    return before.some((word) => FIRST_WORDS.has(word)) || isStreet(before);
  });
}
