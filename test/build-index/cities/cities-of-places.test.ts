/** Which city each place belongs to: towns keep their places, parts go to their city. */

import { describe, expect, test } from '@jest/globals';
import { findCitiesOfPlaces } from '../../../build-index/cities/cities-of-places.js';
import { nameOfCity } from '../../../build-index/cities/city-names.js';
import { matchCities } from '../../../build-index/cities/match-cities.js';
import { placeCitiesInTree } from '../../../build-index/cities/placed-cities.js';
import type { NamedCity } from '../../../build-index/gazetteer/read-gazetteer.js';
import { NO_CITY } from '../../../src/core/snapshot/place-cities.js';
import { treeOf } from '../../fixtures/collected-rows.js';
import { cityOf } from '../../fixtures/gazetteer.js';
import type { FixtureRow } from '../../fixtures/hand-made-release.js';

/** For each place, by path, the path of its city; null without one. */
function citiesIn(countryCode: string, rows: readonly FixtureRow[], cities: readonly NamedCity[]) {
  const released = treeOf(countryCode, rows);
  const { tree, cities: placed } = placeCitiesInTree(released, matchCities(released, cities));
  const found = findCitiesOfPlaces(tree, placed);
  return new Map(tree.paths.map((path, place) => [path, tree.paths[found[place] as number] ?? null]));
}

/** A row of Seoul and its neighbours, so many kilometres north and east of the centre of a city. */
const row = (code: number, name: string, unit: string, district: string, north: number, east: number): FixtureRow => [
  String(code),
  name,
  unit,
  district,
  '',
  37.5 + north / 111,
  127 + east / 88,
];

const metropolis = cityOf('KR', 'Seoul', 37.5, 127, { population: 10_000_000, featureCode: 'PPLC' });
const gangnam = cityOf('KR', 'Gangnam', 37.5, 127.05, { population: 500_000, featureCode: 'PPLX' });
const PARTS: readonly FixtureRow[] = [
  row(1000, 'Jongno', 'Seoul', 'Jongno', 3, 1),
  row(1001, 'Mapo', 'Seoul', 'Mapo', 2, -8),
  row(1002, 'Gangnam', 'Seoul', 'Gangnam', 0, 4),
  row(1003, 'Nowon', 'Seoul', 'Nowon', 12, 4),
];

describe('where rows name parts of a city', () => {
  test('its districts and sections belong to it, and a town beside and a village do not', () => {
    const town = cityOf('KR', 'Guri', 37.6, 127.13, { population: 200_000 });
    const cities = citiesIn(
      'KR',
      [...PARTS, row(2000, 'Guri', 'Gyeonggi', 'Guri', 11, 11.5), row(2001, 'Yangpyeong', 'Gyeonggi', 'Far', 0, 60)],
      [metropolis, gangnam, town],
    );
    expect(Object.fromEntries(cities)).toMatchObject({
      '/seoul': '/seoul',
      '/seoul/gangnam': '/seoul',
      '/seoul/gangnam/gangnam': '/seoul',
      '/seoul/nowon/nowon': '/seoul',
      '/gyeonggi/guri/guri': cities.get('/gyeonggi/guri'),
      '/gyeonggi/far/yangpyeong': '/gyeonggi/far/yangpyeong',
      '/gyeonggi': null,
    });
    expect(cities.get('/gyeonggi/guri/guri')).toMatch(/guri/);
  });

  test('a place outside the region that is the city does not belong to it', () => {
    const cities = citiesIn('KR', [...PARTS, row(2002, 'Gwacheon', 'Gyeonggi', 'Gwacheon', -8, 0)], [metropolis]);
    expect(cities.get('/gyeonggi/gwacheon/gwacheon')).toBe('/gyeonggi/gwacheon/gwacheon');
  });

  test.each([
    ['the near one first', 3, 60],
    ['the far one first', 60, 3],
  ])('of two of one name in a unit only the near one is of the city: %s', (_, first, second) => {
    const rows = [...PARTS, row(1004, 'Sinchon', 'Far', 'X', first, 0), row(1005, 'Sinchon', 'Far', 'X', second, 0)];
    const plain = cityOf('KR', 'Hanyang', 37.5, 127, { population: 10_000_000 });
    const cities = citiesIn('KR', rows, [plain]);
    const [near, far] = first < second ? ['sinchon', 'sinchon-1005'] : ['sinchon-1005', 'sinchon'];
    expect(cities.get(`/far/x/${near}`)).toBe(cities.get('/seoul/jongno/jongno'));
    expect(cities.get(`/far/x/${far}`)).toBe(`/far/x/${far}`);
  });

  test('a large city of another region that no row names is no part of it', () => {
    const rows = [...PARTS, ...[0, 1, 2].map((at) => row(3000 + at, `Desa ${at}`, 'Jawa', 'Timur', at, 22))];
    const bekasi = cityOf('KR', 'Bekasi', 37.5, 127.25, { population: 2_500_000 });
    const cities = citiesIn('KR', rows, [metropolis, bekasi]);
    expect(cities.get('/jawa/timur/desa-1')).toMatch(/bekasi/);
  });
});

describe('where rows name towns', () => {
  const city = cityOf('US', 'Springfield', 37.5, 127, { population: 1_000_000 });
  const suburb = cityOf('US', 'Oakdale', 37.5, 127.04, { population: 20_000 });
  const rows: readonly FixtureRow[] = [
    row(100, 'Springfield', 'Ohio', 'Clark', 0, 0),
    row(101, 'Springfield', 'Ohio', 'Clark', 3, 0),
    row(102, 'Springfield', 'Ohio', 'Clark', 0, 3),
    row(103, 'Oakdale', 'Ohio', 'Clark', 0, 3.5),
    row(104, 'Springfield 4', 'Ohio', 'Clark', 20, 0),
    row(105, 'Springfield Gpo', 'Ohio', 'Clark', 1, 1),
    row(106, 'Springfield Heights', 'Ohio', 'Clark', 30, 0),
    row(107, 'Springfield 03', 'Ohio', 'Clark', 4, 0),
  ];
  const quarter = cityOf('US', 'Springfield 03', 37.54, 127, { population: 45_000 });
  const cities = citiesIn('US', rows, [city, suburb, quarter]);
  const main = cities.get('/ohio/clark/springfield');

  test('all leaves of its name, its offices and its numbers belong to a city', () => {
    const own = [...cities].filter(([, one]) => one === main).map(([path]) => path);
    expect(own).toEqual(
      expect.arrayContaining([
        '/ohio/clark/springfield-4',
        '/ohio/clark/springfield-gpo',
        '/ohio/clark/springfield-03',
        '/ohio/clark/springfield-102',
      ]),
    );
  });

  test('a town inside its circle stays a town, and a farther one of its name too', () => {
    expect(cities.get('/ohio/clark/oakdale')).toBe('/ohio/clark/oakdale');
    expect(cities.get('/ohio/clark/springfield-heights')).toBe('/ohio/clark/springfield-heights');
  });
});

test('leaves of one name in one unit are one village, and a country with one leaf is its largest city', () => {
  const village = citiesIn('PT', [row(1, 'Ota', 'Lisboa', 'X', 0, 0), row(2, 'Ota', 'Lisboa', 'X', 1, 0)], []);
  expect(village.get('/lisboa/x/ota-2')).toBe(village.get('/lisboa/x/ota'));
  const only = citiesIn('SM', [row(1, 'Republic', '', '', 5, 5)], [cityOf('SM', 'City', 37.5, 127)]);
  expect(only.get('/republic')).toBe('/city');
});

test('what the gazetteer does not know has no city that does not exist', () => {
  const released = treeOf('PT', [row(1, 'Ota', 'Lisboa', 'X', 0, 0)]);
  expect([...findCitiesOfPlaces(released, [])]).toEqual([NO_CITY, NO_CITY, 2]);
});

test('the units of New York are parts that the post calls towns; Bogotá holds the places of its unit', () => {
  const york = cityOf('US', 'New York', 37.5, 127, { geonameId: 5128581, population: 8_000_000 });
  const rows: readonly FixtureRow[] = [
    row(100, 'New York', 'New York', 'New York', 0, 0),
    row(101, 'New York', 'New York', 'New York', 1, 0),
    row(102, 'Brooklyn', 'New York', 'Kings', -5, 0),
    row(105, 'Flushing', 'New York', 'Queens', 2, 15),
    row(106, 'Corona', 'New York', 'Queens', 1, 12),
    row(103, 'Buffalo', 'New York', 'Erie', 400, 0),
    row(104, 'Albany', 'New York', 'Albany', 200, 0),
  ];
  const cities = citiesIn('US', rows, [
    york,
    cityOf('US', 'Brooklyn', 37.455, 127, { population: 2_700_000 }),
    cityOf('US', 'Queens', 37.51, 127.13, { population: 2_300_000 }),
  ]);
  expect(cities.get('/new-york/new-york/new-york-101')).toBe('/new-york/new-york/new-york');
  expect(cities.get('/new-york/kings/brooklyn')).toBe('/new-york/kings/brooklyn');
  expect(cities.get('/new-york/kings')).toBe('/new-york/new-york/new-york');
  expect(cities.get('/new-york/queens')).toBe('/new-york/new-york/new-york');
  const bogota = cityOf('CO', 'Bogotá', 37.5, 127, { geonameId: 3688689, population: 7_000_000 });
  const parts = citiesIn(
    'CO',
    [row(1, 'Teusaquillo', 'Bogotá, D.C.', '', 0, 0), row(2, 'Suba', 'Bogotá, D.C.', '', 9, 0)],
    [bogota],
  );
  expect([...new Set(parts.values())]).toHaveLength(1);
});

test.each<[string, string, string[], string | undefined]>([
  ['Frankfurt am Main, Stadt', 'Frankfurt am Main', ['Frankfurt'], 'Frankfurt am Main'],
  ['Københavns Kommune', 'Copenhagen', ['Kobenhavn', 'København'], 'København'],
  ['Hlavní město Praha', 'Prague', ['Praha', 'Prag'], 'Praha'],
  ['Altstadt', 'Munich', ['München'], 'Munich'],
  ['München', 'Munich', ['München'], undefined],
])('the city for which %s stands, a place of %s, is called so', (place, name, otherNames, expected) => {
  const tree = treeOf('DE', [row(1, place, '', '', 0, 0)]);
  expect(nameOfCity(tree, 0, cityOf('DE', name, 37.5, 127, { otherNames }))).toBe(expected);
});

test('a unit between two of another name of the city is called as they are', () => {
  const rows = ['Warszawa', 'Ursus'].map((name, at): FixtureRow => {
    return [String(at), name, 'Mazowieckie', 'Warszawa', 'Warsaw', 52 + at / 100, 21];
  });
  const tree = treeOf('PL', rows);
  const warsaw = cityOf('PL', 'Warsaw', 0, 0, { otherNames: ['Warszawa'] });
  expect(nameOfCity(tree, tree.names.indexOf('Warsaw'), warsaw)).toBe('Warszawa');
});
