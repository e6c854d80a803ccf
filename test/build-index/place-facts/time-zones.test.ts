/** Time zones of places: of the nearest city in the first-level unit, against a naive search; without cities, of shapes. */

import { describe, expect, test } from '@jest/globals';
import tzLookup from '@photostructure/tz-lookup';
import { type CityInTree, findZones } from '../../../build-index/place-facts/time-zones.js';
import type { CountryTree } from '../../../build-index/tree/country-tree.js';
import { NO_PARENT } from '../../../src/core/snapshot/place-tree.js';
import { kmBetween } from '../../../src/core/snapshot/sphere.js';
import { treeOf } from '../../fixtures/collected-rows.js';
import { type FixtureRow, rowsOf } from '../../fixtures/hand-made-release.js';
import { createRandom } from '../../fixtures/random.mjs';

function zonesByPath(tree: CountryTree, cities: readonly CityInTree[]): Record<string, string> {
  const { names, zones } = findZones(tree, cities);
  return Object.fromEntries(tree.paths.map((path, place) => [path, names[zones[place] as number] as string]));
}

/** A city of the gazetteer at a place of the tree. */
function cityAt(tree: CountryTree, path: string, timezone: string, latitude: number, longitude: number): CityInTree {
  return { city: { latitude, longitude, timezone }, places: [tree.paths.indexOf(path)], parts: [] };
}

/** Texas, whose west is an hour behind, and Guam with nothing but a village. */
const TEXAS: readonly FixtureRow[] = [
  ['75201', 'Dallas', 'Texas', 'Dallas', '', 32.8, -96.8],
  ['78701', 'Austin', 'Texas', 'Travis', '', 30.3, -97.7],
  ['79901', 'El Paso', 'Texas', 'El Paso', '', 31.8, -106.5],
  ['79836', 'Clint', 'Texas', 'El Paso', '', 31.6, -106.2],
  ['96910', 'Hagatna', 'Guam', '', '', 13.5, 144.7],
  ['09001', 'Apo', '', '', '', 50.1, 8.7],
];

describe('time zones', () => {
  test('a leaf has that of the nearest city in its first-level unit, a unit that of most of its leaves', () => {
    const tree = treeOf('US', TEXAS);
    const cities = [
      cityAt(tree, '/texas/dallas/dallas', 'America/Chicago', 32.8, -96.8),
      cityAt(tree, '/texas/el-paso/el-paso', 'America/Denver', 31.8, -106.5),
    ];
    expect(zonesByPath(tree, cities)).toEqual({
      '/apo': 'Europe/Berlin',
      '/guam': 'Pacific/Guam',
      '/guam/hagatna': 'Pacific/Guam',
      '/texas': 'America/Chicago',
      '/texas/dallas': 'America/Chicago',
      '/texas/dallas/dallas': 'America/Chicago',
      '/texas/el-paso': 'America/Denver',
      '/texas/el-paso/clint': 'America/Denver',
      '/texas/el-paso/el-paso': 'America/Denver',
      '/texas/travis': 'America/Chicago',
      '/texas/travis/austin': 'America/Chicago',
    });
  });

  test('a nearer city of another first-level unit does not count', () => {
    const tree = treeOf('US', [
      ...TEXAS,
      ['88063', 'Sunland', 'New Mexico', '', '', 31.8, -106.55],
      ['79855', 'Van Horn', 'Texas', 'Culberson', '', 31.0, -104.8],
    ]);
    const cities = [
      cityAt(tree, '/texas/dallas/dallas', 'America/Chicago', 32.8, -96.8),
      cityAt(tree, '/texas/culberson/van-horn', 'America/Chicago', 31.0, -104.8),
      cityAt(tree, '/new-mexico/sunland', 'America/Denver', 31.8, -106.55),
      cityAt(tree, '/texas/travis/austin', 'America/Menominee', 30.3, -97.7),
    ];
    const zones = zonesByPath(tree, cities);
    expect(zones['/texas/el-paso/el-paso']).toBe('America/Chicago');
    expect(zones['/new-mexico/sunland']).toBe('America/Denver');
  });

  test('a city far away does not count, except for a place whose position is at sea or far from its unit', () => {
    const tree = treeOf('US', [
      ['99501', 'Anchorage', 'Alaska', 'Anchorage', '', 61.2, -149.9],
      ['99685', 'Unalaska', 'Alaska', 'Aleutians West', '', 53.9, -166.5],
      ['99901', 'Ketchikan', 'Alaska', 'Ketchikan', '', 55.3, -131.6],
      ['99546', 'Adak', 'Alaska', 'Aleutians West', '', 51.9, -176.6],
      ['99692', 'Dutch Harbor', 'Alaska', 'Aleutians West', '', 54.0, -166.4],
      ['99999', 'Nowhere', 'Alaska', 'Anchorage', '', 45.0, -150.0],
      ['99998', 'Misplaced', 'Alaska', 'Anchorage', '', 32.8, -96.8],
    ]);
    const zones = zonesByPath(tree, [
      cityAt(tree, '/alaska/anchorage/anchorage', 'America/Anchorage', 61.2, -149.9),
      cityAt(tree, '/alaska/aleutians-west/unalaska', 'America/Nome', 53.9, -166.5),
      cityAt(tree, '/alaska/ketchikan/ketchikan', 'America/Sitka', 55.3, -131.6),
    ]);
    expect(tzLookup(45, -150)).toMatch(/^Etc\//);
    expect(zones).toMatchObject({
      '/alaska/aleutians-west/adak': 'America/Adak',
      '/alaska/aleutians-west/dutch-harbor': 'America/Nome',
      '/alaska/anchorage/nowhere': 'America/Nome',
      '/alaska/anchorage/misplaced': 'America/Sitka',
    });
  });

  test('a country whose cities have one zone has no other, wherever its places lie', () => {
    const tree = treeOf('US', TEXAS);
    const zones = zonesByPath(tree, [cityAt(tree, '/texas/dallas/dallas', 'America/Chicago', 32.8, -96.8)]);
    expect(new Set(Object.values(zones))).toEqual(new Set(['America/Chicago']));
  });

  test('without a gazetteer they are those of the shapes of zones; cities without a zone do not count', () => {
    const tree = treeOf('US', TEXAS);
    const ofShapes = zonesByPath(tree, []);
    expect(ofShapes['/texas/el-paso/clint']).toBe(tzLookup(31.6, -106.2));
    expect(ofShapes['/texas']).toBe('America/Chicago');
    expect(zonesByPath(tree, [cityAt(tree, '/texas/dallas/dallas', '', 32.8, -96.8)])).toEqual(ofShapes);
  });

  test('more zones than a byte can number are refused', () => {
    const rowAt = (at: number): FixtureRow => [`${10_000 + at}`, `P${at}`, `U${at}`, '', '', at / 10, 1];
    const rows = Array.from({ length: 300 }, (_, at) => rowAt(at));
    const tree = treeOf('US', rows);
    const cities = rows.map((row, at) => cityAt(tree, `/u${at}/p${at}`, `Zone/Of${at}`, row[5], row[6]));
    expect(() => findZones(tree, cities)).toThrow('US: more than 256 time zones');
  });

  test('the nearest city of 200 is the one that a naive search finds, also across the antimeridian', () => {
    const random = createRandom(28);
    const degrees = (range: number): number => Math.round((random() - 0.5) * range * 1e4) / 1e4;
    const nearAntimeridian = (): number => {
      const lng = 180 + degrees(8);
      return lng > 180 ? lng - 360 : lng;
    };
    const rows = rowsOf(300, (at) => {
      const unit = at % 10 === 0 ? '' : `U${at % 3}`;
      return [`${1000 + at}`, `P${at}`, unit, '', '', degrees(8) - 17, nearAntimeridian()];
    });
    const tree = treeOf('FJ', rows);
    const cities = Array.from({ length: 200 }, (_, at): CityInTree => {
      const city = { latitude: degrees(8) - 17, longitude: nearAntimeridian(), timezone: `Zone/Of${at % 9}` };
      return { city, places: at % 2 ? [Math.floor(random() * tree.placeCount)] : [], parts: [at % tree.placeCount] };
    });
    const topOf = (place: number): number => {
      let top = place;
      while (tree.parents[top] !== NO_PARENT) top = tree.parents[top] as number;
      return tree.childStarts[top] === tree.childStarts[top + 1] ? -1 : top;
    };
    const { names, zones } = findZones(tree, cities);
    let checked = 0;
    for (let place = 0; place < tree.placeCount; place++) {
      if (tree.childStarts[place] !== tree.childStarts[place + 1]) continue;
      const [lat, lng] = [tree.latitudes[place] as number, tree.longitudes[place] as number];
      const inUnit = cities.filter(({ places, parts }) => topOf((places[0] ?? parts[0]) as number) === topOf(place));
      const km = inUnit.map(({ city }) => kmBetween(lat, lng, city.latitude, city.longitude));
      const nearest = inUnit.filter((_, at) => (km[at] as number) <= Math.min(...km) + 1e-9);
      expect(nearest.map(({ city }) => city.timezone)).toContain(names[zones[place] as number]);
      checked++;
    }
    expect(checked).toBe(300);
  });
});
