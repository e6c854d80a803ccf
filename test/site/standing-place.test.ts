/** Which rows of one name share a page, and which of them stands for the page. */

import { beforeAll, expect, test } from '@jest/globals';
import { siblingsOfName } from '../../src/core/lookup/siblings-of-name.js';
import { readListFields } from '../../src/core/snapshot/place-fields.js';
import type { CountryStructures } from '../../src/core/snapshot/snapshot.js';
import { isStanding, listRows, standingPlace } from '../../src/site/reading/standing-place.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';

let structures: CountryStructures;
let names: readonly string[];

/** Centre (0), North (1); "Twin" in both, and recipients of the name in Centre. Places are in the order of names, then ids. */
beforeAll(async () => {
  const row = (code: string, name: string, unit: string) => [code, name, unit, '', '', 48, 9] as const;
  const snapshot = await openFixture({
    FR: [
      ...['75001', '75002', '75003', '75004 CEDEX', '75005 CEDEX'].map((code) => row(code, 'Twin', 'Centre')),
      ...['76001', '76002'].map((code) => row(code, 'Twin', 'North')),
      row('75009', 'Alone', 'Centre'),
      row('75010', 'Twins', 'Centre'),
    ],
  });
  ({ structures } = snapshot.countryByCode.get('FR') as { readonly structures: CountryStructures });
  names = Array.from({ length: structures.tree.placeCount }, (_, place) => {
    const { name, postalCode, path } = readListFields(structures, place);
    return `${path.split('/')[1]} ${name} ${postalCode?.replace(/\d+/, '') ?? 'unit'}`;
  });
});

/** The same structures with other cities: by place. */
function withCities(chosen: ReadonlyMap<number, number>): CountryStructures {
  const cities = Uint32Array.from(names, (_, place) => chosen.get(place) ?? place);
  const others = Array.from(cities.keys()).filter((place) => cities[place] !== place);
  const members = Uint32Array.from(others.sort((a, b) => (cities[a] as number) - (cities[b] as number) || a - b));
  return { ...structures, cities: { ...structures.cities, cities, members } };
}

const placesLike = (name: string): number[] => [...names.keys()].filter((place) => names[place] === name);

test('siblings of one name are a range, as a search of all places finds them', () => {
  const { parents } = structures.tree;
  for (const [place, name] of names.entries()) {
    const bare = (text: string): string => text.split(' ')[1] as string;
    const all = [...names.keys()].filter(
      (one) => bare(names[one] as string) === bare(name) && parents[one] === parents[place],
    );
    expect([place, siblingsOfName(structures, place)]).toEqual([
      place,
      { start: all[0], end: (all.at(-1) as number) + 1 },
    ]);
  }
});

test('localities of one name in one unit share a page, and so do recipients', () => {
  for (const name of new Set(names)) {
    const rows = placesLike(name);
    if (name.endsWith('unit')) continue;
    for (const row of rows) expect([name, listRows(structures, row)]).toEqual([name, rows]);
    expect(rows.filter((row) => isStanding(structures, row))).toHaveLength(1);
  }
});

test('of rows with several cities the one with the most places stands for all', () => {
  const [first, second, third] = placesLike('centre Twin ') as [number, number, number];
  const [far, farther] = placesLike('north Twin ') as [number, number];
  const split = withCities(
    new Map([
      [third, second],
      [far, second],
    ]),
  );
  expect([first, second, third].map((row) => standingPlace(split, row))).toEqual([second, second, second]);
  expect([first, second, third].map((row) => isStanding(split, row))).toEqual([false, true, false]);
  // A city can have no other places: it still stands before a row of a city elsewhere.
  expect([far, farther].map((row) => standingPlace(split, row))).toEqual([farther, farther]);
  expect([far, farther].map((row) => isStanding(split, row))).toEqual([false, true]);
});

test('rows that belong to a city elsewhere have the first of them', () => {
  const [first, second, third] = placesLike('centre Twin ') as [number, number, number];
  const [alone] = placesLike('centre Alone ') as [number];
  const parts = withCities(new Map([first, second, third].map((row) => [row, alone])));
  expect([first, second, third].map((row) => standingPlace(parts, row))).toEqual([first, first, first]);
  expect([first, second, third].map((row) => isStanding(parts, row))).toEqual([true, false, false]);
});
