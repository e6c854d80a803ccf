/** Which places of a city have its population. */

import { expect, test } from '@jest/globals';
import { matchCities } from '../../../build-index/cities/match-cities.js';
import { placeCitiesInTree } from '../../../build-index/cities/placed-cities.js';
import type { NamedCity } from '../../../build-index/gazetteer/read-gazetteer.js';
import { findPopulations } from '../../../build-index/place-facts/populations.js';
import { treeOf } from '../../fixtures/collected-rows.js';
import { cityOf } from '../../fixtures/gazetteer.js';
import { type FixtureRow, rowsOf } from '../../fixtures/hand-made-release.js';

function populationsOf(countryCode: string, rows: readonly FixtureRow[], cities: readonly NamedCity[]) {
  const released = treeOf(countryCode, rows);
  const placed = placeCitiesInTree(released, matchCities(released, cities));
  const populations = findPopulations(placed.tree, placed.cities);
  return Object.fromEntries([...populations].map(([place, people]) => [placed.tree.paths[place], people]));
}

test('each place of the city’s name has it; parts, wider units and other places have none', () => {
  const rows: readonly FixtureRow[] = [
    ['80331', 'München', 'Bayern', 'München', '', 48.137, 11.575],
    ['80333', 'München', 'Bayern', 'München', '', 48.146, 11.571],
    ['80335', 'München Bahnhof', 'Bayern', 'München', '', 48.14, 11.56],
    ['85737', 'Ismaning', 'Bayern', 'München', '', 48.23, 11.68],
    ['97070', 'Würzburg', 'Bayern', 'Würzburg', '', 49.79, 9.93],
  ];
  const cities = [
    cityOf('DE', 'Munich', 48.137, 11.575, { otherNames: ['München'], population: 1_260_391 }),
    cityOf('DE', 'Würzburg', 49.79, 9.93, { population: 0 }),
  ];
  const populations = populationsOf('DE', rows, cities);
  const places = Object.entries(populations).map(([path, people]) => `${path} ${people}`);
  expect(places.filter((place) => place.includes('/munchen-'))).toEqual(['/bayern/munchen/munchen-80333 1260391']);
  expect(places).toContain('/bayern/munchen/munchen 1260391');
  for (const path of ['/bayern', '/bayern/munchen/munchen-bahnhof', '/bayern/munchen/ismaning']) {
    expect(populations).not.toHaveProperty([path]);
  }
  expect(Object.keys(populations).filter((path) => path.includes('wurzburg'))).toEqual([]);
});

test('a unit far wider than its city has none, and a synthesised city has its own', () => {
  const rows = rowsOf(12, (at) => [`${1000 + at}`, `Village ${at}`, 'Toledo', '', '', 38 + at / 4, -4 + at / 4]);
  const populations = populationsOf('ES', rows, [cityOf('ES', 'Toledo', 39.86, -4.02, { population: 83_000 })]);
  expect(populations).not.toHaveProperty(['/toledo']);
  expect(Object.values(populations)).toEqual([83_000]);
});
