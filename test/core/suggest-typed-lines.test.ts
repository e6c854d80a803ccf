/**
 * Lines as they are typed: a town stays while a unit or a code of letters is typed behind it, starts of codes that the
 * data have in another form, Chinese units that are written together, and districts behind other places of a name.
 */

import { beforeAll, expect, test } from '@jest/globals';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { cityOf } from '../fixtures/gazetteer.js';
import type { FixtureRow, RowsByCountry } from '../fixtures/hand-made-release.js';
import { suggestedPaths } from './answer.js';

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
