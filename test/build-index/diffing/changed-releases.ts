/** Two releases in which each country has one kind of change; VA has none. */

import { type RowsByCountry, rowOf as row } from '../../fixtures/hand-made-release.js';

export const BEFORE: RowsByCountry = {
  AD: [row('AD100', 'Canillo', 'Canillo')],
  AT: [row('1010', 'Wien', 'Wien'), row('1020', 'Leopoldstadt', 'Wien'), row('5020', 'Salzburg', 'Salzburg')],
  BE: [row('1000', 'Bruxelles', 'Wallonie'), row('1300', 'Wavre', 'Wallonie'), row('9000', 'Gent', 'Vlaanderen')],
  CH: [row('8000', 'Zuerich', 'ZH'), row('8400', 'Winterthur', 'ZH'), row('8400', 'Toess', 'ZH')],
  DK: [row('1050', 'København', 'Sjaelland', 'Byen'), row('4000', 'Roskilde', 'Sjaelland', 'Egnen')],
  EE: [row('10111', 'Tallinn', 'Harju'), row('10112', 'Kesklinn', 'Harju'), row('51003', 'Tartu', 'Tartumaa')],
  LI: [row('9490', 'Vaduz'), row('9495', 'Triesen')],
  SM: [row('47890', 'San Marino'), row('47891', 'Dogana')],
  VA: [row('00120', 'Vatican City')],
};
export const AFTER: RowsByCountry = {
  AD: [
    row('AD100', 'Canillo', 'Canillo'),
    row('AD100', 'Ransol', 'Canillo', 'Vall'),
    row('AD101', 'Soldeu', 'Canillo'),
  ],
  AT: [row('1010', 'Wien', 'Wien'), row('1020', 'Leopoldstadt', 'Wien')],
  BE: [row('1000', 'Bruxelles', 'Brussel'), row('1300', 'Wavre', 'Wallonie'), row('9000', 'Gent', 'Vlaanderen')],
  // 8400 loses two names and gains two: which is which nobody can tell.
  CH: [row('8000', 'Zürich', 'ZH'), row('8400', 'Winti', 'ZH'), row('8400', 'Töss', 'ZH')],
  DK: [row('1050', 'København', 'Sjælland', 'By'), row('4000', 'Roskilde', 'Sjælland', 'Egn')],
  // The two units become one, which is neither of them.
  EE: [row('10111', 'Tallinn', 'Eesti'), row('10112', 'Kesklinn', 'Eesti'), row('51003', 'Tartu', 'Eesti')],
  MC: [row('98000', 'Monaco')],
  SM: [row('47890', 'San Marino'), row('47892', 'Dogana')],
  VA: [row('00120', 'Vatican City')],
};
