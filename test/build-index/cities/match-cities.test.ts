/** Matching cities to places: one case for each step, and places of the same name that must not match. */

import { describe, expect, test } from '@jest/globals';
import { cityCoreKey } from '../../../build-index/cities/city-keys.js';
import { matchCities } from '../../../build-index/cities/match-cities.js';
import type { NamedCity } from '../../../build-index/gazetteer/read-gazetteer.js';
import type { CountryTree } from '../../../build-index/tree/country-tree.js';
import { treeOf } from '../../fixtures/collected-rows.js';
import { cityOf } from '../../fixtures/gazetteer.js';
import { type FixtureRow, rowsOf } from '../../fixtures/hand-made-release.js';

/** What cities, by population, were matched with: kind and paths, and `wider` where the first place is. */
function match(tree: CountryTree, ...cities: NamedCity[]) {
  const pathsOf = (places: readonly number[]) => places.map((place) => tree.paths[place] as string);
  return matchCities(tree, cities).map(({ kind, places, parts, isWider }) => ({
    kind,
    places: pathsOf(places),
    ...(parts.length === 0 ? {} : { parts: pathsOf(parts) }),
    ...(isWider ? { isWider } : {}),
  }));
}

/** Villages of units, so that the country's admin codes are known: six of each unit, around its first position. */
function villagesOf(units: Readonly<Record<string, readonly [number, number, string]>>): {
  rows: FixtureRow[];
  cities: NamedCity[];
} {
  const all = Object.entries(units).flatMap(([unit, [lat, lng, code]]) =>
    Array.from({ length: 6 }, (_, index) => ({
      unit,
      code,
      name: `${unit}dorf ${index}x`,
      lat: lat + index / 50,
      lng,
    })),
  );
  return {
    rows: all.map(({ unit, code, name, lat, lng }, index) => [
      String(60_000 + index),
      name,
      unit,
      '',
      '',
      lat,
      lng,
      [code, '', ''],
    ]),
    cities: all.map(({ code, name, lat, lng }) => cityOf('DE', name, lat, lng, { adminCodes: [code, ''] })),
  };
}

describe('a place of the name', () => {
  const rows: FixtureRow[] = [
    ['80331', 'München', 'Bayern', 'Oberbayern', 'München', 48.135, 11.571],
    ['80333', 'München', 'Bayern', 'Oberbayern', 'München', 48.14, 11.57],
    ['80999', 'Allach', 'Bayern', 'Oberbayern', 'München', 48.19, 11.46],
    ['83022', 'Rosenheim', 'Bayern', 'Oberbayern', 'Rosenheim', 47.85, 12.12],
    ['15377', 'München', 'Brandenburg', '', '', 52.5, 14.1],
  ];
  const tree = treeOf('DE', rows);
  const munich = cityOf('DE', 'Munich', 48.137, 11.575, {
    otherNames: ['MUC', 'München', 'Monaco'],
    population: 1_500_000,
  });

  test('the unit that the city fills comes first, then the places of its name below it, and no place elsewhere', () => {
    expect(match(tree, munich)).toEqual([
      {
        kind: 'other name',
        places: [
          '/bayern/oberbayern/munchen',
          '/bayern/oberbayern/munchen/munchen-80333',
          '/bayern/oberbayern/munchen/munchen',
        ],
      },
    ]);
  });

  test('other names are those that the first place does not bear, and no codes', () => {
    expect(matchCities(tree, [munich])[0]?.otherNames).toEqual(['Munich', 'Monaco']);
  });

  test('a far place of the same name is another place', () => {
    expect(match(tree, cityOf('DE', 'Rosenheim', 49, 12.12))).toEqual([{ kind: 'none', places: [] }]);
    expect(match(tree, cityOf('DE', 'Rosenheim', 47.87, 12.12))).toMatchObject([{ kind: 'name' }]);
  });

  test('two cities of one name have the place that is nearer to each', () => {
    const [near, far] = [cityOf('DE', 'Rosenheim', 47.86, 12.12), cityOf('DE', 'Rosenheim', 47.9, 12.12)];
    const [unit, leaf] = ['/bayern/oberbayern/rosenheim', '/bayern/oberbayern/rosenheim/rosenheim'];
    expect(match(tree, far, near)).toEqual([
      { kind: 'shared place', places: [unit] },
      { kind: 'name', places: [unit, leaf] },
    ]);
  });

  test('the main name of one city is no other name of another city', () => {
    const suburb = cityOf('DE', 'Kolbermoor', 47.85, 12.12, { otherNames: ['Rosenheim'], population: 90_000 });
    const kinds = match(tree, suburb, cityOf('DE', 'Rosenheim', 47.86, 12.13)).map(({ kind }) => kind);
    expect(kinds[1]).toBe('name');
    expect(kinds[0]).not.toBe('other name');
  });

  test('a code is no name', () => {
    const munCity = treeOf('DE', [['1', 'Muc', '', '', '', 48.13, 11.57]]);
    expect(match(munCity, munich)).toMatchObject([{ kind: 'none' }]);
  });
});

describe('which place is meant', () => {
  test('a county that is wider than the city stands behind the city', () => {
    const outside = rowsOf(20, (n) => [
      `91${n + 10}`,
      `Town ${n}x`,
      'California',
      'Los Angeles',
      '',
      34.7 + n / 50,
      -118.1,
    ]);
    const tree = treeOf('US', [
      ['90002', 'Los Angeles', 'California', 'Los Angeles', '', 33.95, -118.25],
      ['90001', 'Los Angeles', 'California', 'Los Angeles', '', 33.97, -118.25],
      ...outside,
    ]);
    const [found] = match(tree, cityOf('US', 'Los Angeles', 34.05, -118.24, { population: 3_800_000 }));
    // The leaf of the lowest code has the plain slug.
    expect(found?.places).toEqual([
      '/california/los-angeles/los-angeles',
      '/california/los-angeles',
      '/california/los-angeles/los-angeles-90002',
    ]);
  });

  test('an office that is named after the city is not, where a unit bears its very name', () => {
    const nairobi = (office: string) =>
      match(
        treeOf('KE', [
          ['00100', office, 'Nairobi', '', '', -1.28, 36.82],
          ['00200', 'Embakasi', 'Nairobi', '', '', -1.6, 37.2],
        ]),
        cityOf('KE', 'Nairobi', -1.2833, 36.8167),
      );
    expect(nairobi('Nairobi Gpo')).toMatchObject([{ places: ['/nairobi', '/nairobi/nairobi-gpo'], isWider: true }]);
    expect(nairobi('Nairobi City')).toMatchObject([{ places: ['/nairobi/nairobi-city', '/nairobi'] }]);
  });

  test('a city whose own name has the word of an office is found in the unit of its name', () => {
    const tree = treeOf('GH', [
      ['10000', 'Adaklu', 'Ho', '', '', 6.6, 0.9],
      ['10001', 'Kpando', 'Ho', '', '', 7, 0.3],
    ]);
    expect(match(tree, cityOf('GH', 'Ho', 6.6, 0.47))).toMatchObject([{ places: ['/ho'], isWider: true }]);
  });

  test('of leaves without a unit the one that is there, not the one of the lowest code', () => {
    const tree = treeOf('ID', [
      ['10000', 'Serang', '', '', '', -6.5, 106.15, ['36', '3604', '']],
      ['42116', 'Serang', '', '', '', -6.12, 106.15, ['36', '3604', '']],
    ]);
    expect(match(tree, cityOf('ID', 'Serang', -6.12, 106.15))[0]?.places[0]).toBe('/banten/serang-42116');
  });

  test('of a unit and leaves beside it, as near and of the same name, the unit', () => {
    // Siblings of one name are ordered by id: one of ten leaves comes before the unit.
    const beside = rowsOf(10, (index) => [`0707${index}`, 'Palma de Mallorca', 'Baleares', '', '', 39.57, 2.65]);
    const tree = treeOf('ES', [
      ['07001', 'Palma de Mallorca', 'Baleares', 'Palma de Mallorca', '', 39.57, 2.65],
      ...beside,
    ]);
    const palma = cityOf('ES', 'Palma', 39.57, 2.65, { otherNames: ['Palma de Mallorca'], population: 400_000 });
    expect(match(tree, palma)[0]?.places[0]).toBe('/baleares/palma-de-mallorca');
  });

  test('where only a wide unit bears the name it is that unit, and said to be wider', () => {
    const tree = treeOf(
      'TH',
      rowsOf(8, (index) => [`4500${index}`, `Amphoe ${index}x`, 'Roi Et', '', '', 15.5 + index / 10, 103.6]),
    );
    expect(match(tree, cityOf('TH', 'Roi Et', 16.05, 103.65))).toEqual([
      { kind: 'name', places: ['/roi-et'], isWider: true },
    ]);
  });
});

describe('admin units', () => {
  const { rows, cities } = villagesOf({ Nord: [54, 9, '10'], Sud: [48, 9, '20'] });

  test('a place 40 km off is the city where they agree, unless there are two', () => {
    const city = cityOf('DE', 'Heide', 54.4, 9, { adminCodes: ['10', ''] });
    const heide: FixtureRow = ['25746', 'Heide', 'Nord', '', '', 54.05, 9, ['10', '', '']];
    const another: FixtureRow = ['25747', 'Heide', 'Nord', '', '', 54, 9.6, ['10', '', '']];
    expect(match(treeOf('DE', [...rows, heide]), ...cities, city).at(-1)).toMatchObject({ kind: 'name' });
    expect(match(treeOf('DE', [...rows, heide, another]), ...cities, city).at(-1)).toMatchObject({ kind: 'none' });
  });

  test('a second village is no rival of many places at one spot, nor a part of the city', () => {
    const city = cityOf('DE', 'Heide', 54.4, 9, { adminCodes: ['10', ''] });
    const heide = rowsOf(5, (n) => [`${25_740 + n}`, 'Heide', 'Nord', 'Kreis', '', 54 + n / 100, 9.6, ['10', '', '']]);
    const another: FixtureRow = ['25747', 'Heide', 'Nord', '', '', 54.05, 8.4, ['10', '', '']];
    const { kind, places } = match(treeOf('DE', [...rows, ...heide, another]), ...cities, city).at(-1) ?? {};
    expect([kind, places?.length]).toEqual(['name', 5]);
    expect(places?.every((path) => path.startsWith('/nord/kreis/'))).toBe(true);
  });

  test('a region of one leaf is at home among those of others', () => {
    const villages = rowsOf(12, (n) => [`${9_000 + n}`, `Dorf ${n}`, `Gemeinde ${n}`, '', '', 47.1 + n / 100, 9.5]);
    const tree = treeOf('LI', [...villages, ['9490', 'Vaduz', 'Vaduz', '', '', 47.14, 9.52]]);
    const vaduz = cityOf('LI', 'Vaduz', 47.1415, 9.5215, { featureCode: 'PPLC', population: 5_197 });
    expect(match(tree, vaduz)).toMatchObject([{ kind: 'name', places: ['/vaduz', '/vaduz/vaduz'] }]);
  });

  test('a place of another unit is not, unless it lies at the border', () => {
    const city = cityOf('DE', 'Heide', 54.4, 9, { adminCodes: ['20', ''] });
    const heide: FixtureRow = ['25746', 'Heide', 'Nord', '', '', 54.35, 9, ['10', '', '']];
    expect(match(treeOf('DE', [...rows, heide]), ...cities, city).at(-1)).toMatchObject({ kind: 'none' });
    const nearer: FixtureRow = ['25746', 'Heide', 'Nord', '', '', 54.38, 9, ['10', '', '']];
    expect(match(treeOf('DE', [...rows, nearer]), ...cities, city).at(-1)).toMatchObject({ kind: 'name' });
  });

  test('a place among those of another unit has the position of a place of the same name', () => {
    const city = cityOf('DE', 'Kirov', 54.05, 9);
    const kirov: FixtureRow = ['249440', 'Kirov', 'Sud', '', '', 54.05, 9, ['20', '', '']];
    expect(match(treeOf('DE', [...rows, kirov]), ...cities, city).at(-1)).toMatchObject({ kind: 'none' });
  });

  test('a far place without units is the city only where both codes agree', () => {
    const city = cityOf('DE', 'Heide', 54.4, 9, { adminCodes: ['10', '1001'] });
    const heideOf = (code2: string): FixtureRow => ['25746', 'Heide', '', '', '', 54.05, 9, ['10', code2, '']];
    const known = cities.map((one) => ({ ...one, adminCodes: [one.adminCodes[0], `${one.adminCodes[0]}01`] as const }));
    const unitless = rows.map((row): FixtureRow => {
      const [code, name, , , , lat, lng, codes] = row;
      return [code, name, '', '', '', lat, lng, [codes?.[0] ?? '', `${codes?.[0]}01`, '']];
    });
    const kindOf = (code2: string) => match(treeOf('DE', [...unitless, heideOf(code2)]), ...known, city).at(-1)?.kind;
    expect([kindOf('1001'), kindOf('')]).toEqual(['name', 'none']);
  });

  test('outside: the only place of its name in the unit, with a position far from the unit', () => {
    const city = cityOf('DE', 'Heide', 54.05, 9.05, { adminCodes: ['10', ''] });
    const heide: FixtureRow = ['25746', 'Heide', 'Nord', '', '', 48, 90, ['10', '', '']];
    expect(match(treeOf('DE', [...rows, heide]), ...cities, city).at(-1)).toMatchObject({
      kind: 'outside',
      places: ['/nord/heide'],
    });
  });
});

describe('a city without a place of its own', () => {
  test('parts that are named after it', () => {
    const tree = treeOf('IE', [
      ['D01', 'Dublin 1', 'Leinster', '', '', 53.35, -6.26],
      ['D24', 'Dublin 24', 'Leinster', '', '', 53.28, -6.37],
      ['A94', 'Blackrock', 'Leinster', '', '', 53.3, -6.18],
      ['T12', 'Dublin Hill', 'Munster', '', '', 51.92, -8.46],
    ]);
    expect(match(tree, cityOf('IE', 'Dublin', 53.33, -6.25, { population: 1_000_000 }))).toEqual([
      { kind: 'parts by name', places: [], parts: ['/leinster/dublin-1', '/leinster/dublin-24'] },
    ]);
  });

  test('what lies around it, each leaf in the city that it lies further inside, where it is large', () => {
    const tree = treeOf('ID', [
      ...['Ancol', 'Bungur', 'Kalibaru'].map(
        (name, index): FixtureRow => [`1000${index}`, name, '', '', '', -6.15, 106.8 + index / 100],
      ),
      ...['Margahayu', 'Bekasi Jaya', 'Aren Jaya'].map(
        (name, index): FixtureRow => [`1700${index}`, name, '', '', '', -6.23, 107 + index / 100],
      ),
    ]);
    const jakarta = cityOf('ID', 'Jakarta', -6.2, 106.8, { population: 8_500_000, featureCode: 'PPLC' });
    const depok = cityOf('ID', 'Depok', -6.4, 106.8, { population: 40_000 });
    const found = match(tree, jakarta, cityOf('ID', 'Bekasi Kota', -6.23, 107, { population: 2_500_000 }), depok);
    const sorted = found.map(({ kind, parts }) => ({ kind, parts: parts?.toSorted() }));
    expect(sorted).toEqual([
      { kind: 'parts around', parts: ['/ancol', '/bungur', '/kalibaru'] },
      { kind: 'parts around', parts: ['/aren-jaya', '/bekasi-jaya', '/margahayu'] },
      { kind: 'none', parts: undefined },
    ]);
  });

  test('a section of a city, and a city in a larger one, are not counted as not found', () => {
    const tree = treeOf('ES', [['28001', 'Madrid', 'Madrid', 'Madrid', 'Madrid', 40.42, -3.69]]);
    const madrid = cityOf('ES', 'Madrid', 40.42, -3.7, { population: 3_200_000 });
    const inner = cityOf('ES', 'Chamartín', 40.46, -3.68, { population: 140_000 });
    const section = cityOf('ES', 'Barrio', 41, -3, { featureCode: 'PPLX' });
    const away = cityOf('ES', 'Ávila', 40.66, -4.7, { population: 59_000 });
    expect(match(tree, madrid, inner, away, section).map(({ kind }) => kind)).toEqual([
      'name',
      'in larger city',
      'none',
      'in larger city',
    ]);
  });
});

describe('a city of which the release has the place under another name', () => {
  const rows: FixtureRow[] = [
    ['11700', 'Gelugor', 'Pulau Pinang', '', '', 5.37, 100.3],
    ['11900', 'Bayan Lepas', 'Pulau Pinang', '', '', 5.29, 100.26],
    ['05000', 'Alor Setar', 'Kedah', '', '', 6.12, 100.36],
  ];
  const tree = treeOf('MY', rows);
  const kindsOf = (...cities: NamedCity[]) => match(tree, ...cities).map(({ kind }) => kind);

  test('a name one letter apart at the same spot', () => {
    expect(match(tree, cityOf('MY', 'Gelugur', 5.371, 100.301))).toEqual([
      { kind: 'similar name', places: ['/pulau-pinang/gelugor'] },
    ]);
    expect(matchCities(tree, [cityOf('MY', 'Gelugur', 5.371, 100.301)])[0]?.otherNames).toEqual(['Gelugur']);
  });

  test('not elsewhere, nor two letters apart, nor as a small place', () => {
    expect(kindsOf(cityOf('MY', 'Gelugur', 5.6, 100.3))).toEqual(['none']);
    expect(kindsOf(cityOf('MY', 'Galugur', 5.371, 100.301))).toEqual(['none']);
    expect(kindsOf(cityOf('MY', 'Gelugur', 5.371, 100.301, { population: 1_999 }))).toEqual(['none']);
  });

  test('a place of another city that bears its name', () => {
    const gelugor = cityOf('MY', 'Gelugor', 5.37, 100.3, { population: 20_000 });
    const again = cityOf('MY', 'Glugor Town', 5.371, 100.301, { otherNames: ['Gelugor'] });
    expect(match(tree, gelugor, again)).toEqual([
      { kind: 'name', places: ['/pulau-pinang/gelugor'] },
      { kind: 'shared place', places: ['/pulau-pinang/gelugor'] },
    ]);
    expect(kindsOf(gelugor, { ...again, latitude: 5.41 })).toEqual(['name', 'none']);
  });
});

test.each([
  ['goyang si', 'goyang'],
  ['city of makati', 'makati'],
  ['nanchong shi', 'nanchong'],
  ['zhu cheng city', 'zhucheng'],
  ['karachi gpo', 'karachi'],
  ['city', 'city'],
  ['ho', 'ho'],
  ['new york', 'newyork'],
])('the core of %j is %j', (folded, core) => expect(cityCoreKey(folded)).toBe(core));

test('without places, without cities', () => {
  const tree = treeOf('VA', [['00120', 'Vatican City', '', '', '', 41.9, 12.45]]);
  expect(matchCities(tree, [])).toEqual([]);
  expect(match(tree, cityOf('VA', 'Vatican City', 41.9, 12.45, { population: 0 }))).toMatchObject([{ kind: 'name' }]);
});
