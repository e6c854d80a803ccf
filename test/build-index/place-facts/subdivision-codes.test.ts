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
import { treeOf } from '../../fixtures/collected-rows.js';
import type { FixtureRow } from '../../fixtures/hand-made-release.js';

/** A row in each of the units, which are names with the release's codes: "Lombardia 09, Toscana 16". */
function treeOfUnits(country: string, units: string): CountryTree {
  const rows = units.split(', ').map((unit, index): FixtureRow => {
    const [, name = '', code = ''] = /^(.*) (\S+)$/.exec(unit) ?? [];
    return [`${10_000 + 100 * index}`, `Place ${index}`, name, '', '', 40 + index / 10, 9 + index / 10, [code, '', '']];
  });
  return treeOf(country, rows);
}

/** The names of all units in their order, with the codes that are found for them. */
function codesOf(country: string, units: string): string[] {
  const tree = treeOfUnits(country, units);
  const codes = matchSubdivisionCodes(tree);
  const names = tree.names.slice(tree.levelStarts[0], tree.levelStarts[1]);
  return names.map((name, unit) => [name, codes.get(unit)].join(' ').trim());
}

test.each([
  ['has that of its own name', 'IT', 'Lombardia 09, Toscana 16', 'Lombardia 25, Toscana 52'],
  ['has that of its English name', 'NL', 'North Brabant 06', 'Noord-Brabant NB'],
  [
    'has that of its name and another kind',
    'CH',
    'Canton de Vaud x, Kanton Zürich y',
    'Canton de Vaud VD, Kanton Zürich ZH',
  ],
  ['has that of its name in another order', 'RU', 'Башкортостан Республика 08', 'Bashkortostan Respublika BA'],
  ['has that of the kind in its name', 'RU', 'Москва 48, Московская Область 47', 'Moskovskaya Oblast MOS, Moskva MOW'],
  [
    'has its own code in a country with the codes of ISO',
    'US',
    'Ohio OH, Texas TX, The Golden State CA, Utah UT',
    'Ohio OH, Texas TX, The Golden State CA, Utah UT',
  ],
  ['has that of the table made by hand', 'CN', 'Inner Mongolia 20', 'Inner Mongolia NM'],
  ['has one newer than the package, not that of a municipality', 'EE', 'Järva maakond 04', 'Järva maakond 52'],
  ['has that of the level that ISO has on top', 'GB', 'England ENG, Scotland SCT', 'England ENG, Scotland SCT'],
  ['has that of France’s regions', 'FR', 'Île-de-France 11', 'Île-de-France IDF'],
  ['has none if two subdivisions have its name: a region and a city', 'BY', 'Minsk 05', 'Minsk'],
  [
    'has none if ISO has no such subdivision',
    'US',
    'Armed Forces Europe AE, Texas TX',
    'Armed Forces Europe, Texas TX',
  ],
  ['has none if the subdivision of its name is only a part of it: Monaco-Ville', 'MC', 'Monaco 01', 'Monaco'],
  ['has none if two units have its name', 'IT', 'Lazio 3, Toscana 1, Tuscany 2', 'Lazio 62, Toscana, Tuscany'],
  ['has none by chance', 'IT', 'Lazio 07, Nowhere 25, Umbria 18, Veneto 20', 'Lazio 62, Nowhere, Umbria 55, Veneto 34'],
  [
    'has none if its name is one subdivision and its code another',
    'US',
    'Hawaii HI, Idaho ID, Iowa IA, Kansas CA, Maine ME, Nevada NV, Ohio OH, Oregon OR, Texas TX, Utah UT',
    'Hawaii HI, Idaho ID, Iowa IA, Kansas, Maine ME, Nevada NV, Ohio OH, Oregon OR, Texas TX, Utah UT',
  ],
  [
    'has none if it is that before a division, and ISO has its name for a part',
    'ID',
    'Maluku 81, Papua 94, Papua Barat 91, Papua Selatan x',
    'Maluku MA, Papua, Papua Barat, Papua Selatan PS',
  ],
  ['has none in a country of whose subdivisions ISO has none', 'GP', 'Guadeloupe GP', 'Guadeloupe'],
])('a unit %s', (_, country, units, codes) => expect(codesOf(country, units).join(', ')).toBe(codes));

test('a unit below the first level has no code', () => {
  const tree = treeOf('IT', [['50100', 'Firenze', '', 'Toscana', '', 43.8, 11.3]]);
  expect(matchSubdivisionCodes(tree).size).toBe(0);
});

test('the tally has what is left on either side, a few of many', () => {
  const tree = treeOfUnits('US', 'Texas TX, Ohio OH, Utah UT, Elsewhere ZZ');
  const tally = tallySubdivisions(tree, matchSubdivisionCodes(tree));
  expect(tally).toMatchObject({ countryCode: 'US', units: 4, unitsWithoutCode: 1, unitNames: ['Elsewhere'] });
  expect(tally).toMatchObject({ codesWithoutUnit: 54, codes: expect.arrayContaining(['US-AK', 'US-AL']) });
  expect(tally.codes).toHaveLength(10);
});

test('people find a unit by the letters of its code of ISO, not by a number or one letter', () => {
  const contextsOf = (country: string, units: string): string => {
    const tree = treeOfUnits(country, units);
    const facts = loadCountryFacts(null).find(({ code }) => code === country);
    if (facts === undefined) throw new Error(country);
    return Buffer.concat(buildPlaceContexts(tree, new Map(), matchSubdivisionCodes(tree), facts)).toString('latin1');
  };
  expect(contextsOf('BR', 'Sao Paulo 27')).toContain('\n=sp\n');
  expect(contextsOf('BR', 'Sao Paulo 27')).not.toContain('=27');
  expect(contextsOf('IT', 'Lombardia 09')).not.toMatch(/=(?:25|09)/);
  expect(contextsOf('IE', 'Leinster L')).not.toContain('=l\n');
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
