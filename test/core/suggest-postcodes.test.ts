/**
 * Postal codes typed with what their places are called or lie in, over codes of many places and names of many codes.
 */

import { beforeAll, expect, test } from '@jest/globals';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { WorkBudget } from '../../src/core/snapshot/work-budget.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import type { FixtureRow } from '../fixtures/hand-made-release.js';
import { suggestedPaths } from './answer.js';

const lettersOf = (number: number): string =>
  [...String(number)].map((digit) => String.fromCharCode(97 + Number(digit))).join('');

let snapshot: Snapshot;
beforeAll(async () => {
  snapshot = await openFixture({
    CZ: [
      // A code of 121 places in Zvon, of which one is called so.
      ...Array.from(
        { length: 120 },
        (_, row): FixtureRow => ['10000', `Ves ${lettersOf(row)}`, 'Zvon', '', '', 50, 15],
      ),
      ['10000', 'Zvon', 'Zvon', '', '', 50, 15],
      // 3,000 places of one name, each with a code and a unit of its own.
      ...Array.from(
        { length: 3_000 },
        (_, row): FixtureRow => [String(20_000 + row), 'Nova Ves', `Kraj ${lettersOf(row)}`, '', '', 49, 16],
      ),
      ['30000', 'Zlata', 'Kraj', '', '', 49, 17],
      ['30000', '40000 Zlata', 'Kraj', '', '', 49, 17],
      ['30000', '10000 Zvon', 'Kraj', '', '', 49, 17],
      ['40000', 'Zlata 30001', 'Kraj', '', '', 49, 17],
    ],
    // Codes of several places, of which one with fewer codes has a name that is often written shorter.
    FR: [
      ['07000', 'Privas', 'Ardèche', '', '', 44.73, 4.6],
      ['07001', 'Privas', 'Ardèche', '', '', 44.73, 4.6],
      ['07000', 'Saint-Priest', 'Ardèche', '', '', 44.72, 4.57],
      ['07000', "L'Houmeau", 'Ardèche', '', '', 44.71, 4.58],
      ['69009', 'Lyon 09', 'Rhône', '', '', 45.78, 4.8],
    ],
    // The same code of the same town in the data of two countries; the second has more of its codes.
    GB: [
      ['JE2', 'St Helier', 'Jersey', '', '', 49.19, -2.1],
      ['JE3', 'St Helier', 'Jersey', '', '', 49.19, -2.1],
    ],
    JE: [['JE2', 'St Helier', '', '', '', 49.19, -2.1]],
    MT: [['MLH', 'Mellieha', '', '', '', 35.96, 14.36]],
    PL: [['12000', 'Borg', '', '', '', 52, 20]],
  });
});

test.each([
  ['the last of a code’s many places', '10000 zvon', ['CZ/kraj/10000-zvon', 'CZ/zvon/zvon', 'CZ/zvon/ves-a']],
  ['likewise, before the code', 'zvon 10000', ['CZ/zvon/zvon', 'CZ/zvon/ves-a']],
  ['by a later word of its name, cut', 'bb 10000', ['CZ/zvon/ves-bb', 'CZ/zvon/ves-bba']],
  ['one of them', 'ves bbj 10000', ['CZ/zvon/ves-bbj']],
  ['one of a name’s many places', 'nova ves 22999', ['CZ/kraj-cjjj/nova-ves']],
  ['likewise, behind the code', '22999 nova ves', ['CZ/kraj-cjjj/nova-ves']],
  ['nothing a letter away from what the code fits', 'zlata 30000', ['CZ/kraj/zlata']],
  ['behind what is called so', '40000 zlata', ['CZ/kraj/40000-zlata', 'CZ/kraj/zlata-30001']],
  ['a name with an abbreviation', '07000 St. Priest', ['FR/ardeche/saint-priest']],
  ['a name without its apostrophe', '07000 L HOUMEAU', ['FR/ardeche/lhoumeau']],
  ['an arrondissement', 'Lyon 9e arrondissement', ['FR/rhone/lyon-09']],
  ['the country that is named', 'Saint Helier JE2 4TN, Jersey', ['JE/st-helier']],
  ['the town of a long line', 'Apteka, ul. Dluga 7 m. 12, Stare Miasto, dzielnica Dolna, Borg 99-999', ['PL/borg']],
  ['the town in the country of the line', 'Pharmacy, Borg Olivier, Mellieha, Malta', ['MT/mellieha']],
  ['the town before the places of a code that is elsewhere', 'zlata 10000', ['CZ/kraj/zlata']],
])('%s: %s', (_, query, expected) => {
  expect(suggestedPaths(snapshot, query).slice(0, Math.max(1, expected.length))).toEqual(expected);
});

test('many names cost a code none of the budget, and many places of a code cost names no more than half', () => {
  for (const query of ['nova ves 22999', '22999 nova ves']) {
    const work = new WorkBudget(1_000);
    expect(suggestedPaths(snapshot, query, 'CZ', 10, work)).toHaveLength(1);
  }
  const work = new WorkBudget(10_000);
  const [first, ...others] = suggestedPaths(snapshot, '10000 zvon', 'CZ', 25, work);
  expect(first).toBe('CZ/kraj/10000-zvon');
  expect(others.length).toBeGreaterThan(5);
  expect(work.isSpent).toBe(false);
});
