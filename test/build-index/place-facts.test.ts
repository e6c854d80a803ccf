/** Time zones and populations of places: the nearest city against a naive search, and which places a city has. */

import { describe, expect, test } from '@jest/globals';
import tzLookup from '@photostructure/tz-lookup';
import { matchCities } from '../../build-index/gazetteer/match-cities.js';
import { placeInTree } from '../../build-index/gazetteer/placed-cities.js';
import type { NamedCity } from '../../build-index/gazetteer/read-gazetteer.js';
import {
  type CityInTree,
  findBounds,
  findZones,
  type ZonedCity,
} from '../../build-index/structures/build-place-facts.js';
import { findPopulations } from '../../build-index/structures/importance.js';
import type { CountryTree } from '../../build-index/tree/country-tree.js';
import { kmBetween } from '../../build-index/tree/name-order.js';
import { isCoarseAt, POSITION_SOURCES } from '../../src/core/snapshot/place-positions.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { isLeafType, LOCALITY_TYPE, PLACE_TYPES } from '../../src/core/snapshot/place-type.js';
import { cityOf, treeOf } from '../fixtures/gazetteer.js';
import type { FixtureRow } from '../fixtures/hand-made-release.js';
import { createRandom } from '../fixtures/random.mjs';
import { seededRelease } from '../fixtures/seeded-release.js';

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
    const rows = Array.from(
      { length: 300 },
      (_, at): FixtureRow => [`${10_000 + at}`, `P${at}`, `U${at}`, '', '', at / 10, 1],
    );
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
    const rows = Array.from(
      { length: 300 },
      (_, at): FixtureRow => [
        `${1000 + at}`,
        `P${at}`,
        at % 10 === 0 ? '' : `U${at % 3}`,
        '',
        '',
        degrees(8) - 17,
        nearAntimeridian(),
      ],
    );
    const tree = treeOf('FJ', rows);
    const cities = Array.from({ length: 200 }, (_, at): CityInTree => {
      const city: ZonedCity = {
        latitude: degrees(8) - 17,
        longitude: nearAntimeridian(),
        timezone: `Zone/Of${at % 9}`,
      };
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

function populationsOf(countryCode: string, rows: readonly FixtureRow[], cities: readonly NamedCity[]) {
  const released = treeOf(countryCode, rows);
  const placed = placeInTree(released, matchCities(released, cities));
  const populations = findPopulations(placed.tree, placed.cities);
  return Object.fromEntries([...populations].map(([place, people]) => [placed.tree.paths[place], people]));
}

describe('populations', () => {
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
    const rows = Array.from({ length: 12 }, (_, at): FixtureRow => {
      return [`${1000 + at}`, `Village ${at}`, 'Toledo', '', '', 38 + at / 4, -4 + at / 4];
    });
    const populations = populationsOf('ES', rows, [cityOf('ES', 'Toledo', 39.86, -4.02, { population: 83_000 })]);
    expect(populations).not.toHaveProperty(['/toledo']);
    expect(Object.values(populations)).toEqual([83_000]);
  });
});

describe('The bounds of units against a naive search of the smallest box, also across the antimeridian', () => {
  type Box = readonly [west: number, south: number, east: number, north: number];

  /** By unit, in degrees. */
  function boundsOf(tree: Parameters<typeof findBounds>[0]): Map<number, Box> {
    const { units, bounds } = findBounds(tree);
    return new Map(
      Array.from(
        units,
        (unit, at) => [unit, Array.from(bounds.subarray(4 * at, 4 * at + 4), (part) => part / 1e7)] as never,
      ),
    );
  }

  /** The leaves in a unit whose positions are sure. */
  function sureLeavesOf(tree: CountryTree, unit: number): number[] {
    return Array.from(tree.parents, (_, place) => place).filter((leaf) => {
      let at = leaf;
      while (at !== unit && at < tree.placeCount) at = tree.parents[at] as number;
      return at === unit && tree.types[leaf] === LOCALITY_TYPE && !isCoarseAt(tree.sources, leaf);
    });
  }

  /** Degrees from west to east. */
  const widthOf = (west: number, east: number): number => (west <= east ? east - west : east - west + 360);

  /** Of all boxes with a leaf at their west and a leaf at their east, the narrowest with all leaves in it. */
  function naiveBounds({ latitudes, longitudes }: CountryTree, leaves: readonly number[]): Box {
    const lngs = leaves.map((leaf) => longitudes[leaf] as number);
    const lats = leaves.map((leaf) => latitudes[leaf] as number);
    const boxes = lngs.flatMap((west) => lngs.map((east) => [west, east] as const));
    const whole = boxes.filter(([west, east]) => lngs.every((lng) => widthOf(west, lng) <= widthOf(west, east)));
    const [west, east] = whole.sort((a, b) => widthOf(...a) - widthOf(...b))[0] as (typeof whole)[number];
    return [west, Math.min(...lats), east, Math.max(...lats)];
  }

  function treeOfPoints(points: readonly (readonly [lat: number, lng: number])[]): CountryTree {
    const rows = points.map(
      ([lat, lng], index): FixtureRow => [String(1000 + index), `P${index}`, 'Unit', '', '', lat, lng],
    );
    const tree = treeOf('FJ', rows);
    // Rows of a few points are estimates of each other.
    return { ...tree, sources: tree.sources.fill(0) };
  }

  describe('a unit', () => {
    test.each<[string, [number, number][], Box]>([
      [
        'Fiji',
        [
          [-18.1, 178.4],
          [-17.6, 177.4],
          [-16.8, -179.9],
        ],
        [177.4, -18.1, -179.9, -16.8],
      ],
      [
        'Russia',
        [
          [55.7, 37.6],
          [54.7, 20.5],
          [64.7, 177.5],
          [66.2, -169.8],
        ],
        [20.5, 54.7, -169.8, 66.2],
      ],
      [
        'New Zealand with the Chathams',
        [
          [-36.8, 174.7],
          [-46.4, 168.3],
          [-43.9, -176.5],
        ],
        [168.3, -46.4, -176.5, -36.8],
      ],
      [
        'Hawaii and Guam, closer across the Pacific',
        [
          [21.3, -157.8],
          [13.4, 144.7],
        ],
        [144.7, 13.4, -157.8, 21.3],
      ],
      [
        'exactly half of the earth',
        [
          [0, -90],
          [1, 90],
        ],
        [-90, 0, 90, 1],
      ],
      [
        'both sides of the antimeridian itself',
        [
          [5, 180],
          [6, -180],
        ],
        [180, 5, -180, 6],
      ],
      ['one point', [[1.5, 2.5]], [2.5, 1.5, 2.5, 1.5]],
      [
        'the prime meridian and the equator',
        [
          [-0.1, -0.2],
          [0.3, 0.4],
        ],
        [-0.2, -0.1, 0.4, 0.3],
      ],
    ])('%s', (_, points, box) => {
      expect([...boundsOf(treeOfPoints(points)).values()]).toEqual([box]);
    });

    test('more decimals than the format has are rounded outwards', () => {
      const [box] = boundsOf(
        treeOfPoints([
          [1.00000004, -2.00000006],
          [1.00000014, -2.00000001],
        ]),
      ).values();
      expect(box).toEqual([-2.0000001, 1, -2, 1.0000002]);
    });

    test('a position at a pole is none', () => {
      const points = [
        [90, 0],
        [46.8, -71.2],
        [58.7, -65.9],
      ] as const;
      expect([...boundsOf(treeOfPoints(points)).values()]).toEqual([[-71.2, 46.8, -65.9, 58.7]]);
      expect(boundsOf(treeOfPoints([[-90, 12]])).size).toBe(0);
      expect([...boundsOf(treeOfPoints([[-89.9976, 139.2729]])).values()]).toEqual([
        [139.2729, -89.9976, 139.2729, -89.9976],
      ]);
    });

    test('only sure localities count', () => {
      const tree = treeOfPoints([
        [1, 1],
        [2, 2],
        [3, 3],
      ]);
      const leaves = Array.from(tree.types, (_, place) => place).filter((place) => isLeafType(tree.types[place]));
      const [first, second, third] = leaves as [number, number, number];
      tree.sources[first] = POSITION_SOURCES.indexOf('coarse');
      tree.types[second] = PLACE_TYPES.indexOf('recipient');
      const only = tree.latitudes[third] as number;
      expect([...boundsOf(tree).values()]).toEqual([[only, only, only, only]]);
      tree.sources[third] = POSITION_SOURCES.indexOf('agreement');
      expect(boundsOf(tree).size).toBe(0);
    });
  });

  test('all units of seeded releases, and of points all over the earth, have the bounds of a naive search', () => {
    const random = createRandom(20260330);
    const anywhere = Array.from({ length: 60 }, (_, index): FixtureRow => {
      const lng = Math.round(((index % 3 === 0 ? 0 : 175) + random() * 360) * 1e4) / 1e4;
      return [
        String(1000 + index),
        `P${index}`,
        `U${index % 5}`,
        index % 2 ? `V${index % 10}` : '',
        '',
        Math.round((random() * 160 - 80) * 1e4) / 1e4,
        lng > 180 ? Math.round((lng - 360) * 1e4) / 1e4 : lng,
      ];
    });
    const seeded = seededRelease(7);
    let count = 0;
    for (const rows of [anywhere, ...Object.values(seeded)]) {
      const tree = treeOf('FJ', rows as readonly FixtureRow[]);
      const found = boundsOf(tree);
      for (let unit = 0; unit < tree.placeCount; unit++) {
        const leaves = isLeafType(tree.types[unit]) ? [] : sureLeavesOf(tree, unit);
        if (leaves.length > 60) continue;
        const expected = leaves.length === 0 ? undefined : naiveBounds(tree, leaves);
        expect([unit, found.get(unit)]).toEqual([unit, expected]);
        if (expected !== undefined) count++;
      }
    }
    expect(count).toBeGreaterThan(30);
  });
});
