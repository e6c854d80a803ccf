/** Ids of places: distinct, and independent of other rows and of the order of rows. */

import { expect, test } from '@jest/globals';
import { identifyPlaces } from '../../../build-index/tree/place-identities.js';
import { decodePlaceIds } from '../../../src/core/snapshot/place-id.js';
import { collectRows } from '../../fixtures/collected-rows.js';
import type { FixtureRow } from '../../fixtures/hand-made-release.js';
import { createRandom } from '../../fixtures/random.mjs';
import { seededRelease } from '../../fixtures/seeded-release.js';

/** The id of each place by what a reader can tell it by: its names from the root down, code and coordinates. */
function idsOf(rows: readonly FixtureRow[], country = 'DE'): Map<string, string> {
  const places = collectRows(country, rows);
  const nameOf = (place: number): string => {
    const parent = places.parents[place] as number;
    return `${parent === -1 ? '' : `${nameOf(parent)} > `}${places.types[place]}:${places.texts[place]}`;
  };
  const ids = decodePlaceIds(identifyPlaces(places, country));
  const described = ids.map((id, place): [string, string] => {
    const position = `${places.latitudes[place]} ${places.longitudes[place]}`;
    return [`${nameOf(place)} ${places.postalCodes[place]} ${position}`, id];
  });
  expect(new Set(ids).size).toBe(ids.length);
  return new Map(described);
}

const plain: FixtureRow = ['80331', 'München', 'Bayern', 'Oberbayern', '', 48.1, 11.5];

test('a leaf keeps its id when its coordinates or units change', () => {
  const [id] = [...idsOf([plain])].filter(([name]) => name.includes('80331')).map(([, leafId]) => leafId);
  const moved = idsOf([['80331', 'München', 'Bavaria', '', '', 48.2, 11.6]]);
  expect([...moved.values()]).toContain(id);
});

test.each<[string, FixtureRow]>([
  ['another code', ['80333', 'München', 'Bayern', 'Oberbayern', '', 48.1, 11.5]],
  ['another name', ['80331', 'Muenchen', 'Bayern', 'Oberbayern', '', 48.1, 11.5]],
  ['a code and a name with the same concatenation', ['8033', '1München', 'Bayern', 'Oberbayern', '', 48.1, 11.5]],
])('%s is another leaf', (_, row) => {
  const both = idsOf([plain, row]);
  expect(both.size).toBe(4);
  for (const [name, id] of idsOf([plain])) expect(both.get(name)).toBe(id);
});

test('one country is no other', () => {
  const here = [...idsOf([plain], 'DE').values()];
  const there = [...idsOf([plain], 'AT').values()];
  expect(here.filter((id) => there.includes(id))).toEqual([]);
});

test('units of the same name differ by their column and by the units above them', () => {
  const ids = idsOf([
    ['1', 'X', 'Ulm', '', '', 1, 1],
    ['2', 'X', '', 'Ulm', '', 1, 1],
    ['3', 'X', '', '', 'Ulm', 1, 1],
    ['4', 'X', 'Ulm', 'Ulm', '', 1, 1],
    ['5', 'X', 'Ulm', '', 'Ulm', 1, 1],
    ['6', 'Ulm', '', '', '', 1, 1],
  ]);
  // Six leaves; the units Ulm as region, district, municipality, and two below the region.
  expect(ids.size).toBe(11);
});

test('leaves of the same code and name: by units, then by position, in any order of rows', () => {
  const sameNames: FixtureRow[] = [
    ['1', 'Ulm', 'B', '', '', 1, 1],
    ['1', 'Ulm', 'B', '', '', 1, 2],
    ['1', 'Ulm', 'A', '', '', 9, 9],
    ['1', 'Ulm', 'A', '', '', 5, 5],
    ['1', 'Ulm', '', '', '', 3, 3],
    ['1', 'Ulm', '', '', '', 3, 4],
  ];
  const ids = idsOf(sameNames);
  expect(ids.size).toBe(8);
  expect(idsOf(sameNames.toReversed())).toEqual(ids);
  // The first of them has the id that it would have alone.
  expect([...idsOf([sameNames[4] as FixtureRow]).values()]).toEqual([ids.get('3:Ulm 1 3 3')]);
});

test('ids stay when other rows come and go, and when rows change places', () => {
  const rows = (seededRelease(3).DE as readonly FixtureRow[]).slice(0, 600);
  const random = createRandom(5);
  const all = idsOf(rows);
  const shuffled = rows.map((row) => [random(), row] as const).sort(([a], [b]) => a - b);
  expect(idsOf(shuffled.map(([, row]) => row))).toEqual(all);

  const some = idsOf(rows.filter(() => random() < 0.7));
  const isNamesake = (name: string): boolean => {
    const end = / 3:.*$|^3:.*$/.exec(name)?.[0].split(' ').slice(0, -2).join(' ');
    return (
      end !== undefined &&
      [...all.keys()].filter((other) => other.split(' ').slice(0, -2).join(' ').endsWith(end)).length > 1
    );
  };
  const changed = [...some].filter(([name, id]) => all.get(name) !== id && !isNamesake(name));
  expect(changed).toEqual([]);
  expect(some.size).toBeGreaterThan(300);
});
