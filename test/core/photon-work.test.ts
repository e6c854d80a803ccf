/**
 * What Photon's questions may cost, counted and not timed: what is read of the snapshot, and how many distances are
 * computed, where filters leave all or most out, around a city of thousands of places, and beside a far dense one.
 */

import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { distance } from 'geokdbush';
import KDBush from 'kdbush';
import { type PhotonReverseRequest, photonReverse, photonSearch } from '../../src/core/answers/photon.js';
import { listNearestInKdTree, POINT_NODE_SIZE, type TreePoints } from '../../src/core/snapshot/kd-tree.js';
import type { Country, CountryStructures, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { cityOf } from '../fixtures/gazetteer.js';
import type { FixtureRow } from '../fixtures/hand-made-release.js';
import { createRandom } from '../fixtures/random.mjs';

const VILLAGES = 60;
const CODES = 1_500;
const [LAT, LON] = [52, 20];

const random = createRandom(52);
const around = (reach: number): [latitude: number, longitude: number] => [
  Number((LAT + (random() * 2 - 1) * reach).toFixed(4)),
  Number((LON + (random() * 2 - 1) * reach).toFixed(4)),
];

/** Villages without people of their own, around the middle of a city that has each of its many codes at one point. */
const ROWS: Readonly<Record<string, readonly FixtureRow[]>> = {
  PL: [
    ...Array.from(
      { length: VILLAGES },
      (_, at): FixtureRow => [`05-${100 + at}`, `Wieś ${at}`, 'Land', 'Kreis', '', ...around(0.05)],
    ),
    ...Array.from(
      { length: CODES },
      (_, at): FixtureRow => [
        `0${Math.floor(at / 1_000)}-${100 + (at % 900)}`,
        'Wielkie',
        'Land',
        'Wielkie',
        '',
        LAT,
        LON,
      ],
    ),
  ],
};

let snapshot: Snapshot;
beforeAll(async () => {
  snapshot = await openFixture(ROWS, [cityOf('PL', 'Wielkie', LAT, LON, { population: 1_700_000 })]);
});

const REVERSE: PhotonReverseRequest = {
  lat: LAT + 0.01,
  lon: LON,
  radius: undefined,
  limit: 50,
  layers: [],
  tags: [],
  dedupe: false,
};
const SEARCH = {
  query: 'wielkie',
  countries: [],
  lat: undefined,
  lon: undefined,
  box: undefined,
  limit: 25,
  layers: [],
  tags: [],
  dedupe: false,
};
const EMPTY = '{"type":"FeatureCollection","features":[]}';
const countOf = (json: string): number => JSON.parse(json).features.length;

describe('filters that nothing fits', () => {
  const foreign = { kind: 'include', key: 'amenity', value: undefined } as const;
  test.each([
    { layers: ['house'] },
    { layers: ['street', 'locality'] },
    { tags: [foreign] },
    { layers: ['city'], tags: [{ kind: 'include', key: undefined, value: 'county' }] },
    { tags: [{ kind: 'exclude', key: 'place', value: undefined }] },
  ] as Partial<PhotonReverseRequest>[])('%j: nothing of the data is read', (filters) => {
    const unread = new Proxy(snapshot, {
      get(_, name) {
        throw new Error(`${String(name)} was read`);
      },
    });
    expect(photonReverse(unread, { ...REVERSE, ...filters })).toBe(EMPTY);
    // The countries of a search are looked up before; none is named here.
    expect(photonSearch(unread, { ...SEARCH, ...filters })).toBe(EMPTY);
  });
});

/** The snapshot, with the places whose objects are read, and how many of these are read as a whole. */
function watchObjects() {
  const places = new Set<number>();
  let wholeCount = 0;
  const watch = (structures: CountryStructures): CountryStructures => {
    const { renderedPlaces } = structures;
    const offsets = new Proxy(renderedPlaces.offsets, {
      get(target, name) {
        if (typeof name === 'string' && /^\d+$/.test(name)) places.add(Number(name));
        return Reflect.get(target, name, target);
      },
    });
    const text = new Proxy(renderedPlaces.text, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (Number(args[2]) - Number(args[1]) > WHOLE_BYTES) wholeCount++;
          return value.apply(target, args);
        };
      },
    });
    return { ...structures, renderedPlaces: { ...renderedPlaces, offsets, text } };
  };
  const countries = snapshot.countries.map((country): Country => {
    return country.structures === undefined ? country : { ...country, structures: watch(country.structures) };
  });
  const countryByCode = new Map(countries.map((country) => [country.entry.code, country]));
  return { watched: { ...snapshot, countries, countryByCode }, places, wholeCount: () => wholeCount };
}

/** More bytes than any part of an object that is read by itself. */
const WHOLE_BYTES = 200;

describe('filters that most do not fit', () => {
  test('a layer of units looks at the nearest place and its units alone', () => {
    // The cities of a country are listed once.
    photonReverse(snapshot, REVERSE);
    const { watched, places } = watchObjects();
    expect(countOf(photonReverse(watched, { ...REVERSE, layers: ['state'] }))).toBe(1);
    // Ends of objects are starts of others.
    expect(places.size).toBeLessThanOrEqual(2 * 3);
  });

  test('only what is wanted is read as a whole', () => {
    photonReverse(snapshot, REVERSE);
    const { watched, wholeCount } = watchObjects();
    const tags = [{ kind: 'include', key: 'place', value: 'city' }] as const;
    expect(countOf(photonReverse(watched, { ...REVERSE, tags, dedupe: true }))).toBe(1);
    // The city by its centre, and by the row that stands for all at its point: one feature is left of both.
    expect(wholeCount()).toBe(2);
  });
});

test.each([
  ['at one point is looked at once', 0, 10],
  ['at points of their own is looked at where it is nearest', 0.03, 100],
])('a city whose codes lie %s for each place around', async (_, reach, most) => {
  const codes = ROWS.PL?.map(([code, name, admin1, admin2, admin3, lat, lng], at): FixtureRow => {
    const [north, east] =
      name === 'Wielkie' ? [((at % 41) / 20 - 1) * reach, (Math.floor(at / 41) / 20 - 1) * reach + 0.1] : [0, 0];
    return [code, name, admin1, admin2, admin3, Number((lat + north).toFixed(5)), Number((lng + east).toFixed(5))];
  });
  const spread =
    reach === 0
      ? snapshot
      : await openFixture({ PL: codes as FixtureRow[] }, [
          cityOf('PL', 'Wielkie', LAT, LON + 0.1, { population: 1_700_000 }),
        ]);
  photonReverse(spread, REVERSE);
  const asin = jest.spyOn(Math, 'asin');
  expect(countOf(photonReverse(spread, REVERSE))).toBe(50);
  // One arc sine is a distance, or the width of a circle.
  const { length } = asin.mock.calls;
  asin.mockRestore();
  expect(length).toBeLessThan(100 * most);
});

/** Points as a tree, with a count of the positions that were read. */
function treeOf(points: readonly (readonly [lat: number, lng: number])[]) {
  const tree = new KDBush(points.length, POINT_NODE_SIZE, Float64Array);
  for (const [lat, lng] of points) tree.add(lng, lat);
  tree.finish();
  let reads = 0;
  const degrees: TreePoints['degrees'] = (point, axis) => {
    reads++;
    return tree.coords[point * 2 + axis] as number;
  };
  return { places: Uint32Array.from(tree.ids), degrees, reads: () => reads };
}

test.each([
  ['east', 2.45, 102.46],
  ['the antimeridian', 1.3, -178.9],
  ['the north', 66, 25],
])('a dense city at the corner of a circle’s box, towards %s, costs no look at each of its points', (_, lat, lng) => {
  const away = Math.cos((lat * Math.PI) / 180);
  const points = Array.from({ length: 20_000 }, (): [number, number] => {
    const [south, east] = [0.95 + random() * 0.4, (0.95 + random() * 0.4) / away];
    return [lat - south, ((lng - east + 540) % 360) - 180];
  });
  const tree = treeOf(points);
  for (const [radiusKm, limit] of [
    [200, 100],
    [160, 5],
    [140, 100],
  ] as const) {
    const before = tree.reads();
    const found = listNearestInKdTree(tree, { lat, lng, radiusKm }, limit);
    const reads = tree.reads() - before;
    const all = points
      .map(([pointLat, pointLng], place) => ({ place, distanceKm: distance(lng, lat, pointLng, pointLat) }))
      .filter(({ distanceKm }) => distanceKm <= radiusKm)
      .sort((a, b) => a.distanceKm - b.distanceKm || a.place - b.place);
    expect(found.map(({ place }) => place)).toEqual(all.slice(0, limit).map(({ place }) => place));
    expect(reads).toBeLessThan(3_000);
  }
});
