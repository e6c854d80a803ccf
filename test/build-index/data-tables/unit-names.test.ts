/** Units by the names of their own country, regions of which a release has only a code, and English names as others. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { UnitNames, unitNamesOf } from '../../../build-index/data-tables/unit-names.js';
import { listOtherNames } from '../../../build-index/suggesting/other-names-of-units.js';
import { identifyPlaces } from '../../../build-index/tree/place-identities.js';
import { decodePlaceIds } from '../../../src/core/snapshot/place-id.js';
import { openSnapshot, type Snapshot } from '../../../src/core/snapshot/snapshot.js';
import { suggestedPaths } from '../../core/answer.js';
import { collectRows, treeOf } from '../../fixtures/collected-rows.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../../fixtures/fixture-snapshot.js';
import type { FixtureRow } from '../../fixtures/hand-made-release.js';

/** A row in a first-level unit. */
const inRegion = (name: string, code: string, index: number): FixtureRow => {
  return [String(1000 + index), `Place ${index}`, name, '', '', 48 + index / 10, 9, [code, '', '']];
};

describe('data/unit-names.tsv', () => {
  const lines = readFileSync(join(import.meta.dirname, '../../../data/unit-names.tsv'), 'utf8')
    .trimEnd()
    .split('\n');

  test('each line has a country, a level, a released name and another name, and no name twice', () => {
    for (const line of lines) expect(line).toMatch(/^[A-Z]{2}\t[123]\t[^\t]+\t[^\t]+$/);
    const keys = lines.map((line) => line.split('\t').slice(0, 3).join('\t'));
    expect(new Set(keys).size).toBe(keys.length);
    for (const [, , released, name] of lines.map((line) => line.split('\t'))) expect(name).not.toBe(released);
  });

  test('Indonesia has a name for each of its 34 codes, from Aceh to Papua', () => {
    const ofIndonesia = lines.filter((line) => line.startsWith('ID\t1\t='));
    expect(ofIndonesia).toHaveLength(34);
    expect([ofIndonesia[0], ofIndonesia.at(-1)]).toEqual(['ID\t1\t=11\tAceh', 'ID\t1\t=94\tPapua']);
  });
});

describe("the country's own names", () => {
  const names = new UnitNames([
    ['1', 'Mazovia', 'Mazowieckie'],
    ['2', '* Municipality', 'Gemeente *'],
    ['1', '=11', 'Aceh'],
  ]);

  test.each<[number, string, string | undefined]>([
    [0, 'Mazovia', 'Mazowieckie'],
    [1, 'Mazovia', undefined],
    [0, 'mazovia', undefined],
    [0, 'Mazovia East', undefined],
    [1, 'Assen Municipality', 'Gemeente Assen'],
    [1, '$& Municipality', 'Gemeente $&'],
    [1, ' Municipality', undefined],
    [1, 'Assen Municipality East', undefined],
    [0, 'Assen Municipality', undefined],
    [0, '=11', undefined],
  ])('column %i, %s: %s', (column, released, name) => expect(names.nameOf(column, released)).toBe(name));

  test.each<[string, readonly [string, string, string], string]>([
    ['PL', ['Mazovia', 'Radom County', ''], '/mazowieckie/powiat-radomski'],
    ['PL', ['Mazowieckie', 'Radom', ''], '/mazowieckie/radom'],
    ['NL', ['Guelders', 'Buren Municipality', ''], '/gelderland/gemeente-buren'],
    ['CH', ['Canton de Vaud', 'Gros-de-Vaud District', ''], '/canton-de-vaud/district-du-gros-de-vaud'],
    ['DE', ['Bayern', 'Upper Bavaria', 'Nuremberg'], '/bayern/regierungsbezirk-oberbayern/nurnberg'],
    ['FI', ['Lapland', '', ''], '/lappi'],
    ['LT', ['Utena County', '', ''], '/utenos-apskritis'],
    ['US', ['Lapland', 'Assen Municipality', ''], '/lapland/assen-municipality'],
  ])('%s %j', (country, [first, second, third], path) => {
    const tree = treeOf(country, [['1', 'X', first, second, third, 50, 20]]);
    expect(tree.paths.at(-1)).toBe(`${path}/x`);
  });

  test('the released name is another name, and the id is still of the released name', () => {
    const rows: FixtureRow[] = [['1', 'X', 'Mazovia', '', '', 50, 20]];
    const tree = treeOf('PL', rows);
    expect(tree.names).toEqual(['Mazowieckie', 'X']);
    expect(tree.localNames).toEqual(tree.names);
    expect(listOtherNames(tree).get(0)).toEqual(['Mazovia']);
    expect(decodePlaceIds(tree.ids).sort()).toEqual(
      decodePlaceIds(identifyPlaces(collectRows('PL', rows), 'PL')).sort(),
    );
  });

  test('a unit that the release has in both languages is one', () => {
    const both = treeOf('PL', [inRegion('Mazovia', '78', 1), inRegion('Mazowieckie', '', 2)]);
    expect([both.paths[0], both.levelStarts[1]]).toEqual(['/mazowieckie', 1]);
    const two = treeOf('US', [inRegion('Mazovia', '78', 1), inRegion('Mazowieckie', '', 2)]);
    expect(two.levelStarts[1]).toBe(2);
  });
});

test('a town of China is not called by its units', () => {
  const nameOf = (text: string, country = 'CN'): string | undefined =>
    treeOf(country, [['1', text, 'Sichuan', 'Deyang Shi', '', 31, 104]]).names.at(-1);
  expect(nameOf('Mianzhu, Deyang, Sichuan')).toBe('Mianzhu');
  expect(nameOf('Mianzhu, Sichuan')).toBe('Mianzhu');
  expect(nameOf('Jinping Miao, Yao and Dai')).toBe('Jinping Miao, Yao and Dai');
  expect(nameOf('Mianzhu, Deyan')).toBe('Mianzhu, Deyan');
  expect(nameOf('Mianzhu, Sichuan', 'TW')).toBe('Mianzhu, Sichuan');
});

describe('regions of which the release has only a code', () => {
  const row = (code: string, name: string, region: string, lat = -6): FixtureRow => {
    return [code, name, '', '', '', lat, 107, [region, '', '']];
  };
  // Two leaves of one code and name, which only their region and position distinguish, and two at one point.
  const rows = [
    row('40111', 'Bandung', '32'),
    row('40111', 'Bandung', '33', -7),
    row('40111', 'Bandung', '35', -7),
    row('50111', 'Semarang', '33'),
    row('99999', 'Nowhere', '99'),
  ];

  test('have a name, and a place with an unknown code has no region', () => {
    const { paths } = treeOf('ID', rows);
    expect(paths).toContain('/jawa-barat/bandung');
    expect(paths).toContain('/jawa-tengah/semarang');
    expect(paths).toContain('/nowhere');
    expect(treeOf('US', rows).paths).toContain('/semarang');
  });

  test('change no id of what the release had without them', () => {
    const idsOf = (unitNames: UnitNames): string[] =>
      decodePlaceIds(identifyPlaces(collectRows('ID', rows, { unitNames }), 'ID'));
    const [before, after] = [idsOf(new UnitNames([])), idsOf(unitNamesOf('ID'))];
    expect(new Set(after).size).toBe(after.length);
    expect(after).toEqual(expect.arrayContaining(before));
    // Four names of regions, and the leaf that was taken for its neighbour.
    expect(after.length - before.length).toBe(3 + 1);
  });

  test('their ids are of their codes, and a region that the release names is another one', () => {
    const [byCode] = decodePlaceIds(identifyPlaces(collectRows('ID', [row('1', 'X', '32')]), 'ID'));
    const named: FixtureRow = ['2', 'Y', 'Jawa Barat', '', '', -6, 107, ['32', '', '']];
    const [byName] = decodePlaceIds(identifyPlaces(collectRows('ID', [named]), 'ID'));
    expect(byCode).not.toBe(byName);
    const both = collectRows('ID', [row('1', 'X', '32'), named]);
    expect(decodePlaceIds(identifyPlaces(both, 'ID'))).toEqual(expect.arrayContaining([byCode, byName]));
    // They become one.
    expect(treeOf('ID', [row('1', 'X', '32'), named]).paths).toEqual(['/jawa-barat', '/jawa-barat/x', '/jawa-barat/y']);
  });
});

describe('English names', () => {
  const englishOf = (country: string, ...units: readonly (readonly [name: string, code: string])[]) => {
    const tree = treeOf(
      country,
      units.map(([name, code], index) => inRegion(name, code, index)),
    );
    const other = listOtherNames(tree);
    return Object.fromEntries([...other].map(([unit, names]) => [tree.names[unit], names]));
  };

  test('by name, with other codes than those of ISO', () => {
    expect(englishOf('IT', ['Toscana', '16'], ['Sicilia', '15'], ['Umbria', '18'])).toEqual({
      Toscana: ['Tuscany'],
      Sicilia: ['Sicily'],
    });
    expect(englishOf('ES', ['Andalucia', 'AN'])).toEqual({ Andalucia: ['Andalusia'] });
    expect(englishOf('ID', ['Jawa Barat', '30'])).toEqual({ 'Jawa Barat': ['West Java'] });
  });

  test('beside the names of merged and renamed units', () => {
    expect(englishOf('PL', ['Podlasie', '81'])).toEqual({ Podlaskie: ['Podlasie', 'Podlachia'] });
    expect(englishOf('PL', ['Mazovia', '78'])).toEqual({ Mazowieckie: ['Mazovia'] });
  });

  test('by code, where the release has the codes of ISO', () => {
    expect(englishOf('BE', ['Vlaanderen', 'VLG'], ['Wallonie', 'WAL'])).toEqual({
      Vlaanderen: ['Flanders'],
      Wallonie: ['Wallonia'],
    });
    const known = [
      ['Andalucia', 'AN'],
      ['Aragon', 'AR'],
      ['Galicia', 'GA'],
    ] as const;
    expect(englishOf('ES', ...known, ['Cataluna', 'CT'])).toMatchObject({ Cataluna: ['Catalonia'] });
  });

  test('not by code, where codes are numbers or mean something else', () => {
    // Guatemala has numbers of its own: 07 is Sololá in ISO 3166-2.
    expect(englishOf('GT', ['Depto de Guatemala', '07'], ['Depto del Quiche', '14'])).toEqual({});
    expect(englishOf('BE', ['Vlaanderen', 'VLG'], ['Elsewhere', '7'])).toEqual({});
    const contradicting = [
      ['Andalucia', 'X1'],
      ['Aragon', 'X2'],
      ['Galicia', 'X3'],
    ] as const;
    expect(englishOf('ES', ...contradicting, ['Cataluna', 'CT'])).toEqual({ Andalucia: ['Andalusia'] });
  });

  test('not for a name of several subdivisions, nor below the first level', () => {
    expect(englishOf('ID', ['Maluku', '28'])).toEqual({});
    const tree = treeOf('IT', [['1', 'X', '', 'Toscana', '', 43, 11]]);
    expect(listOtherNames(tree).size).toBe(0);
  });
});

describe('what people type', () => {
  let fixture: FixtureSnapshot;
  let snapshot: Snapshot;
  beforeAll(async () => {
    fixture = await buildFixtureSnapshot({
      ID: [['40111', 'Bandung', '', '', '', -6.9, 107.6, ['32', '', '']]],
      IT: [
        ['50121', 'Firenze', 'Toscana', 'Firenze', '', 43.8, 11.2],
        ['06012', "Citta' Di Castello", 'Umbria', 'Perugia', '', 43.5, 12.2],
      ],
      PL: [
        ['00-001', 'Warszawa', 'Mazovia', '', '', 52.2, 21],
        ['00-002', '=HYPERLINK("http://x")', 'Mazovia', '', '', 52.2, 21],
      ],
    });
    snapshot = openSnapshot(fixture.path);
  });
  afterAll(() => fixture.cleanup());

  test.each([
    ['tuscany', '/toscana'],
    ['toscana', '/toscana'],
    ['firenze tuscany', '/toscana/firenze'],
    ['firenze, tusc', '/toscana/firenze'],
    ['mazovia', '/mazowieckie'],
    ['warszawa mazovia', '/mazowieckie/warszawa'],
    ['west java', '/jawa-barat'],
    ['bandung west java', '/jawa-barat/bandung'],
    ['citta di castello', '/umbria/perugia/citta-di-castello'],
  ])('%s: %s', (q, path) => {
    expect(suggestedPaths(snapshot, q)[0]?.slice(2)).toBe(path);
  });

  test('the report counts what was corrected, with examples', () => {
    const { cleaning } = fixture.report;
    expect(cleaning.get('name: accent for an apostrophe')?.examples).toEqual([
      "IT Citta' Di Castello → Città di Castello",
    ]);
    expect(cleaning.get("unit: the country's own name")?.examples).toEqual(['PL Mazovia → Mazowieckie']);
    const formulas = cleaning.get('name: begins as a formula of a spreadsheet, unchanged');
    expect(formulas?.countByCountry).toEqual(new Map([['PL', 1]]));
    expect(formulas?.examples).toEqual(['PL =HYPERLINK("http://x")']);
  });
});
