/**
 * Counts the places with a name that a spreadsheet would run as a formula. The names stay, but whoever exports them
 * should know.
 */

import { STARTS_AS_FORMULA } from '../../src/base/escape-text.js';
import type { CountryTree } from '../tree/country-tree.js';
import { type CleaningTally, noteCleaning } from './cleaning-tally.js';

const KIND = 'name: begins as a formula of a spreadsheet, unchanged';

export function noteFormulas({ countryCode, names, localNames }: CountryTree, tally: CleaningTally): void {
  names.forEach((name, place) => {
    const formula = [name, localNames[place] as string].find((text) => STARTS_AS_FORMULA.test(text));
    if (formula !== undefined) noteCleaning(tally, KIND, countryCode, () => `${countryCode} ${formula}`);
  });
}
