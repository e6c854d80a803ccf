/** What text can be searched for: its length, and that it has something to find. */

import { foldQuery } from '../snapshot/fold-text.js';

/** Minimum and maximum number of characters of a text to search for. */
export const MIN_SEARCH_LENGTH = 2;
export const MAX_SEARCH_LENGTH = 100;

const ASCII_LETTER_OR_DIGIT = /[a-z0-9]/i;

/** Whether a text has a letter or a digit, of any script, in each of its foldings. */
export function isSearchable(text: string): boolean {
  // Folding keeps every letter and digit of ASCII, and is done once more for the search.
  return ASCII_LETTER_OR_DIGIT.test(text) || !foldQuery(text).includes('');
}
