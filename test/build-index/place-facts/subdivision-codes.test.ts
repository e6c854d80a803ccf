/** The codes of ISO 3166-2 of first-level units: what is matched, and what must not be. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { loadCountryFacts } from '../../../build-index/data-tables/country-facts.js';
import { subdivisionsOf } from '../../../build-index/data-tables/subdivisions.js';
import { matchSubdivisionCodes, tallySubdivisions } from '../../../build-index/place-facts/subdivision-codes.js';
import { buildPlaceContexts } from '../../../build-index/structures/build-place-contexts.js';
import type { CountryTree } from '../../../build-index/tree/country-tree.js';
import { foldText } from '../../../src/core/snapshot/fold-text.js';
import { treeOf } from '../../fixtures/gazetteer.js';
import type { FixtureRow } from '../../fixtures/hand-made-release.js';

/** A row in each of the units, which are names with codes. */
function treeOfUnits(country: string, units: readonly (readonly [name: string, code: string])[]): CountryTree {
  const rows = units.map(([name, code], index): FixtureRow => {
    return [`${10_000 + 100 * index}`, `Place ${index}`, name, '', '', 40 + index / 10, 9 + index / 10, [code, '', '']];
  });
  return treeOf(country, rows);
}

function codesByName(country: string, units: readonly (readonly [string, string])[]): Record<string, string> {
  const tree = treeOfUnits(country, units);
  return Object.fromEntries([...matchSubdivisionCodes(tree)].map(([unit, code]) => [tree.names[unit], code]));
}

describe('a unit has the code of the subdivision', () => {
  test.each<[string, string, readonly [string, string][], Record<string, string>]>([
    [
      'of its own name',
      'IT',
      [
        ['Lombardia', '09'],
        ['Toscana', '16'],
      ],
      { Lombardia: '25', Toscana: '52' },
    ],
    ['of its English name', 'NL', [['North Brabant', '06']], { 'Noord-Brabant': 'NB' }],
    [
      'of its name with another word for the kind',
      'CH',
      [
        ['Kanton Zürich', 'x'],
        ['Canton de Vaud', 'y'],
      ],
      { 'Kanton Zürich': 'ZH', 'Canton de Vaud': 'VD' },
    ],
    ['of its name in another order', 'RU', [['Башкортостан Республика', '08']], { 'Bashkortostan Respublika': 'BA' }],
    [
      'of the kind that its name has',
      'RU',
      [
        ['Москва', '48'],
        ['Московская Область', '47'],
      ],
      { Moskva: 'MOW', 'Moskovskaya Oblast': 'MOS' },
    ],
    [
      'of its code, in a country with the codes of ISO',
      'US',
      [
        ['Texas', 'TX'],
        ['Ohio', 'OH'],
        ['Utah', 'UT'],
        ['The Golden State', 'CA'],
      ],
      { Texas: 'TX', Ohio: 'OH', Utah: 'UT', 'The Golden State': 'CA' },
    ],
    ['in the table made by hand', 'CN', [['Inner Mongolia', '20']], { 'Inner Mongolia': 'NM' }],
    [
      'that is newer than the package, and not of the municipality of its name',
      'EE',
      [['Järva maakond', '04']],
      { 'Järva maakond': '52' },
    ],
    [
      'at the level that ISO has on top',
      'GB',
      [
        ['England', 'ENG'],
        ['Scotland', 'SCT'],
      ],
      { England: 'ENG', Scotland: 'SCT' },
    ],
    ['of France’s regions', 'FR', [['Île-de-France', '11']], { 'Île-de-France': 'IDF' }],
  ])('%s', (_, country, units, codes) => {
    expect(codesByName(country, units)).toEqual(codes);
  });
});

describe('a unit has no code', () => {
  test.each<[string, string, readonly [string, string][], readonly string[]]>([
    ['if two subdivisions have its name: a region and a city', 'BY', [['Minsk', '05']], ['Minsk']],
    [
      'if ISO has no such subdivision: forces abroad',
      'US',
      [
        ['Texas', 'TX'],
        ['Armed Forces Europe', 'AE'],
      ],
      ['Armed Forces Europe'],
    ],
    ['if the subdivision of its name is only a part of it: Monaco-Ville', 'MC', [['Monaco', '01']], ['Monaco']],
    [
      'if two units have the name of the subdivision',
      'IT',
      [
        ['Toscana', '1'],
        ['Tuscany', '2'],
        ['Lazio', '3'],
      ],
      ['Toscana', 'Tuscany'],
    ],
    [
      'if its code is that of ISO by chance',
      'IT',
      [
        ['Lazio', '07'],
        ['Veneto', '20'],
        ['Umbria', '18'],
        ['Nowhere', '25'],
      ],
      ['Nowhere'],
    ],
    [
      'if its name is one subdivision and its code another',
      'US',
      [
        ['Texas', 'TX'],
        ['Iowa', 'IA'],
        ['Ohio', 'OH'],
        ['Utah', 'UT'],
        ['Maine', 'ME'],
        ['Idaho', 'ID'],
        ['Hawaii', 'HI'],
        ['Nevada', 'NV'],
        ['Oregon', 'OR'],
        ['Kansas', 'CA'],
      ],
      ['Kansas'],
    ],
    [
      'if it is that before a division, and ISO has its name for a part',
      'ID',
      [
        ['Papua', '94'],
        ['Papua Barat', '91'],
        ['Papua Selatan', 'x'],
        ['Maluku', '81'],
      ],
      ['Papua', 'Papua Barat'],
    ],
    ['in a country of whose subdivisions ISO has none', 'GP', [['Guadeloupe', 'GP']], ['Guadeloupe']],
  ])('%s', (_, country, units, names) => {
    const codes = codesByName(country, units);
    const tree = treeOfUnits(country, units);
    const without = units.map((__, unit) => tree.names[unit] as string).filter((name) => codes[name] === undefined);
    expect(without.sort()).toEqual([...names].sort());
  });

  test('and neither has a unit below the first level', () => {
    const tree = treeOf('IT', [['50100', 'Firenze', '', 'Toscana', '', 43.8, 11.3]]);
    expect(matchSubdivisionCodes(tree).size).toBe(0);
  });
});

test('the tally has what is left on either side, a few of many', () => {
  const units: readonly [string, string][] = [
    ['Texas', 'TX'],
    ['Ohio', 'OH'],
    ['Utah', 'UT'],
    ['Elsewhere', 'ZZ'],
  ];
  const tree = treeOfUnits('US', units);
  const tally = tallySubdivisions(tree, matchSubdivisionCodes(tree));
  expect(tally).toMatchObject({ countryCode: 'US', units: 4, unitsWithoutCode: 1, unitNames: ['Elsewhere'] });
  expect(tally).toMatchObject({ codesWithoutUnit: 54, codes: expect.arrayContaining(['US-AK', 'US-AL']) });
  expect(tally.codes).toHaveLength(10);
});

test('people find a unit by the letters of its code of ISO, not by a number or one letter', () => {
  const contextsOf = (country: string, units: readonly [string, string][]): string => {
    const tree = treeOfUnits(country, units);
    const facts = loadCountryFacts(null).find(({ code }) => code === country);
    if (facts === undefined) throw new Error(country);
    return Buffer.concat(buildPlaceContexts(tree, new Map(), matchSubdivisionCodes(tree), facts)).toString('latin1');
  };
  expect(contextsOf('BR', [['Sao Paulo', '27']])).toContain('\n=sp\n');
  expect(contextsOf('BR', [['Sao Paulo', '27']])).not.toContain('=27');
  expect(contextsOf('IT', [['Lombardia', '09']])).not.toMatch(/=(?:25|09)/);
  expect(contextsOf('IE', [['Leinster', 'L']])).not.toContain('=l\n');
});

describe('the tables', () => {
  const rowsOf = (file: string): string[][] =>
    readFileSync(join(import.meta.dirname, '../../../data', file), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));

  test('no code stands twice, and each has a name', () => {
    const rows = rowsOf('subdivision-names.tsv');
    expect(new Set(rows.map(([code]) => code)).size).toBe(rows.length);
    for (const [code, ...names] of rows) {
      expect(code).toMatch(/^[A-Z]{2}-[A-Z0-9]{1,3}$/);
      expect(names.filter((name) => name !== '')).not.toHaveLength(0);
    }
  });

  test('of the units made by hand each has one code that ISO has, or none, in order', () => {
    const rows = rowsOf('subdivision-codes.tsv');
    for (const [code = '', name = '', ...more] of rows) {
      expect(['', ...subdivisionsOf(code.slice(0, 2)).map((one) => one.code)]).toContain(code.slice(3));
      expect([foldText(name) === '', more]).toEqual([false, []]);
    }
    const codes = rows.map(([code]) => code as string);
    expect(codes).toEqual([...codes].sort());
    const known = codes.filter((code) => !code.endsWith('-'));
    expect(new Set(known).size).toBe(known.length);
    expect(new Set(rows.map(([code, name]) => `${code?.slice(0, 2)} ${foldText(name as string)}`)).size).toBe(
      rows.length,
    );
  });
});
