/** Suggestions for address lines: postal codes with names, and lines as they are typed. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { autocomplete } from '../../src/core/answers/autocomplete.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { WorkBudget } from '../../src/core/snapshot/work-budget.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { cityOf } from '../fixtures/gazetteer.js';
import type { FixtureRow, RowsByCountry } from '../fixtures/hand-made-release.js';
import { parseAnswer, suggestedPaths } from './answer.js';

/**
 * Postal codes typed with what their places are called or lie in, over codes of many places and names of many codes.
 */
describe('codes with names', () => {
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
});

/**
 * Lines as they are typed: a town stays while a unit or a code of letters is typed behind it, starts of codes that the
 * data have in another form, Chinese units that are written together, and districts behind other places of a name.
 */
describe('typed lines', () => {
  /** More places than a list has, each with a name that starts with `name` and the letter. */
  const crowd = (name: string, letter: string): FixtureRow[] =>
    ['ake', 'andon', 'eston', 'inden', 'odge', 'uton'].map(
      (end, row): FixtureRow => [
        ...([String(35_000 + row), `${name} ${letter}${end}`, 'Alabama', 'Jefferson'] as const),
        ...(['', 33 + row, -86, ['AL', '073', '']] as const),
      ],
    );

  const ROWS: RowsByCountry = {
    AR: [['1001', 'Buenos Aires', 'Buenos Aires', '', '', -34.6, -58.4]],
    AU: [['2000', 'Sydney', 'New South Wales', '', '', -33.87, 151.2, ['NSW', '', '']]],
    BR: [
      ['01000-000', 'São Paulo', 'Sao Paulo', '', '', -23.5, -46.6],
      ['20000-000', 'Rio de Janeiro', 'Rio de Janeiro', '', '', -22.9, -43.2],
    ],
    CN: [
      ['518000', 'Shenzhen', 'Guangdong', '', '', 22.54, 114.06],
      ['210000', 'Nanjing', 'Jiangsu', '', '', 32.06, 118.78],
    ],
    CZ: [['280 02', 'Kolín', 'Stredocesky', '', '', 50.03, 15.2]],
    DE: [
      ['50667', 'Köln', 'Nordrhein-Westfalen', '', '', 50.94, 6.96],
      ['51143', 'Porz am Rhein', 'Nordrhein-Westfalen', '', '', 50.88, 7.06],
    ],
    GB: [
      ['LS1', 'Leeds', 'England', '', '', 53.8, -1.55],
      ['N6', 'Highgate', 'England', 'London', '', 51.57, -0.15],
    ],
    CA: [['N6A', 'London', 'Ontario', '', '', 42.98, -81.25, ['ON', '', '']]],
    LV: [['LV-1010', 'Riga', '', '', '', 56.95, 24.1]],
    MT: [['VLT', 'Valletta', '', '', '', 35.9, 14.51]],
    US: [...crowd('Leeds', 'L'), ...crowd('Leeds', 'U'), ...crowd('Sydney', 'N')],
  };

  const CITIES = [
    cityOf('AU', 'Sydney', -33.87, 151.2, { population: 5_500_000 }),
    cityOf('CA', 'London', 42.98, -81.25, { population: 422_000 }),
    cityOf('CZ', 'Kolín', 50.03, 15.2, { population: 29_000, otherNames: ['Köln an der Elbe'] }),
    cityOf('DE', 'Köln', 50.94, 6.96, { population: 963_000 }),
    cityOf('DE', 'Porz am Rhein', 50.88, 7.06, { population: 113_000, featureCode: 'PPLX', otherNames: ['Köln-Porz'] }),
    cityOf('GB', 'Leeds', 53.8, -1.55, { population: 536_000 }),
    cityOf('JP', 'Osaka', 34.69, 135.5, { population: 2_700_000, otherNames: ['大阪'] }),
  ];

  let snapshot: Snapshot;
  beforeAll(async () => {
    snapshot = await openFixture(ROWS, CITIES);
  });

  test.each([
    ['the start of its code', 'leeds l', 'GB/england/leeds'],
    ['the sign of its country', 'leeds u', 'GB/england/leeds'],
    ['the start of its unit', 'sydney n', 'AU/new-south-wales/sydney'],
    ['its unit and a code that other places of the name have', 'london, ontario n6', 'CA/ontario/london'],
  ])('a town stays among five behind %s: %s', (_, query, path) => {
    expect(suggestedPaths(snapshot, query, undefined, 5)).toContain(path);
  });

  test.each([
    ['of a block', 'BR', ['013', '0131', '01310-', '01310-1'], 'BR/sao-paulo/sao-paulo'],
    ['behind the letter of a province', 'AR', ['C1', 'C10'], 'AR/buenos-aires/buenos-aires'],
    ['that is the sign of the country', 'LV', ['LV', 'lv-'], 'LV/riga'],
    ['of letters', 'MT', ['VL', 'VLT'], 'MT/valletta'],
  ])('the start of a code %s, in %s: %j', (_, country, queries, path) => {
    for (const query of queries) expect(suggestedPaths(snapshot, query, country)).toEqual([path]);
  });

  test.each([
    ['广东省', 'CN/guangdong'],
    ['广东省深', 'CN/guangdong/shenzhen'],
    ['广东省深圳市', 'CN/guangdong/shenzhen'],
    ['江苏省南京市鼓楼区', 'CN/jiangsu/nanjing'],
    ['广东省深圳市 51', 'CN/guangdong/shenzhen'],
  ])('Chinese units that are written together: %s', (query, path) => {
    expect(suggestedPaths(snapshot, query)[0]).toBe(path);
    expect(suggestedPaths(snapshot, query, 'CN')[0]).toBe(path);
    expect(suggestedPaths(snapshot, query, 'DE')).toEqual([]);
  });

  test('a line of units in a country without data finds nothing', () => {
    expect(suggestedPaths(snapshot, '大阪市北区')).toEqual([]);
  });

  test('a district that only has the name of its city comes behind other places of that name', () => {
    expect(suggestedPaths(snapshot, 'köln')).toEqual([
      'DE/nordrhein-westfalen/koln',
      'CZ/stredocesky/kolin',
      'DE/nordrhein-westfalen/porz-am-rhein',
    ]);
  });
});

/** Codes alone: what a hyphen, a space and a missing zero tell about them. */
describe('codes', () => {
  let snapshot: Snapshot;
  beforeAll(async () => {
    snapshot = await openFixture({
      DE: [['01067', 'Dresden', 'Sachsen', '', '', 51.06, 13.74]],
      GB: [
        ['EH1', 'Edinburgh', 'Scotland', '', '', 55.95, -3.19],
        ['EH11', 'Gorgie', 'Scotland', '', '', 55.93, -3.24],
      ],
      IL: [['1000001', 'Ir', '', '', '', 31.8, 35.2]],
      LT: [['00001', 'Palanga', '', '', '', 55.92, 21.07]],
      PL: [['00-001', 'Warszawa', '', '', '', 52.23, 21.01]],
      US: [
        ['01001', 'Agawam', 'Massachusetts', '', '', 42.07, -72.63],
        ['10010', 'New York', 'New York', '', '', 40.74, -73.98],
        ['10011', 'New York', 'New York', '', '', 40.74, -74.0],
      ],
    });
  });

  const codesOf = (query: string, country?: string): string[] =>
    parseAnswer(autocomplete(snapshot, { query, country, limit: 10, kinds: ['postcode'] })).map(
      ({ countryCode, postalCode }: Record<string, string>) => `${countryCode} ${postalCode}`,
    );

  test('a code in the form of one country is of that country, also without data', () => {
    expect(suggestedPaths(snapshot, '00-001')).toEqual(['PL/warszawa']);
    expect([codesOf('00-001'), codesOf('00001')]).toEqual([['PL 00-001'], ['PL 00-001', 'LT 00001']]);
    // Only Japan writes codes so, of which there are no data.
    expect([suggestedPaths(snapshot, '100-0001'), suggestedPaths(snapshot, '1000001')]).toEqual([[], ['IL/ir']]);
    // A country that was asked for counts before a form.
    expect(suggestedPaths(snapshot, '00-001', 'LT')).toEqual(['LT/palanga']);
  });

  test('codes that start so come before one that lost its zeros', () => {
    expect(codesOf('1001', 'US')).toEqual(['US 10010', 'US 10011', 'US 01001']);
    expect(suggestedPaths(snapshot, '1001', 'US').at(-1)).toBe('US/massachusetts/agawam');
    // No code of Germany starts so.
    expect([codesOf('1067', 'DE'), codesOf('1067 dresden', 'DE')]).toEqual([['DE 01067'], ['DE 01067']]);
  });

  test('a space tells where the first part ends', () => {
    expect([codesOf('EH1 1'), codesOf('EH11')]).toEqual([['GB EH1', 'GB EH11'], ['GB EH11']]);
    expect(suggestedPaths(snapshot, 'EH1 1', 'GB')[0]).toBe('GB/scotland/edinburgh');
  });
});
