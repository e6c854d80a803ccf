/** What is nearby, and how far two places are apart, against every place in turn. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { distance } from 'geokdbush';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import type { NearbyEntry, NearbyType } from '../../src/core/use-cases/nearby.js';
import { service } from '../../src/core/use-cases/service.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { type FixtureRow, HAND_MADE_ROWS, type RowsByCountry } from '../fixtures/hand-made-release.js';
import { createRandom } from '../fixtures/random.mjs';
import { codeOf, parseAnswer } from './answer.js';
import { compareText, createOracle, type OraclePlace } from './oracle.js';

/** Rows around a point on a border, on the antimeridian or at a pole; many share a point or a code. */
function scatter(prefix: string, lat: number, lng: number, rowCount: number, random: () => number): FixtureRow[] {
  return Array.from({ length: rowCount }, (_, row): FixtureRow => {
    const code = `${prefix}${100 + Math.floor(random() * rowCount * 0.7)}`;
    const [north, east] = [Math.floor(random() * 20 - 10) / 10, Math.floor(random() * 20 - 10) / 10];
    const latitude = Math.max(-90, Math.min(90, Number((lat + north).toFixed(4))));
    const longitude = Number((((lng + east + 540) % 360) - 180).toFixed(4));
    return [code, `Town ${row}`, 'Land', '', '', latitude, longitude];
  });
}

const random = createRandom(28);
const ROWS: RowsByCountry = {
  ...HAND_MADE_ROWS,
  CH: scatter('8', 47.6, 9.1, 60, random),
  IT: scatter('3', 47.6, 9.1, 60, random),
  NZ: scatter('7', -17, 180, 80, random),
  TO: scatter('6', -17, 180, 40, random),
  NO: scatter('9', 89.6, 20, 60, random),
  // Recipients, one at the point of a locality.
  MQ: [
    ['97200', 'Fort', 'Land', '', '', 47.6, 9.1],
    ['97201 CEDEX 1', 'Fort', 'Land', '', '', 47.6, 9.1],
    ['97202 CEDEX 2', 'Fort', 'Land', '', '', 47.7, 9.2],
  ],
  // More codes at one point than a list has, some of them nearer too, and codes with separators.
  LT: [
    ...Array.from({ length: 130 }, (_, row): FixtureRow => [`LT-${300 - row}`, 'Vilnius', 'Land', '', '', 47.65, 9.15]),
    ...['LT-300', 'LT-299', 'LT 1', 'LT'].map((code): FixtureRow => [code, 'Kaunas', 'Land', '', '', 47.61, 9.11]),
  ],
  // One code on both sides of the antimeridian.
  NF: [
    ['X1', 'West', 'Land', '', '', -27, 179.9],
    ['X1', 'East', 'Land', '', '', -27, -179.8],
  ],
};

/** Centres around which there are places: a border, the antimeridian from both sides, both poles, null island. */
const CENTRES = [
  ...[
    [47.6, 9.1],
    [-17, 180],
    [-17, -180],
    [-16.9, -179.95],
    [-16.9, 179.95],
  ],
  ...[
    [90, 0],
    [89.7, -160],
    [-90, 77],
    [0, 0],
    [-29.7, 140],
  ],
] as const;

let snapshot: Snapshot;
let places: readonly OraclePlace[];
/** The codes at each point, ascending. */
const codesByPoint = new Map<string, string[]>();
beforeAll(async () => {
  snapshot = await openFixture(ROWS);
  places = createOracle(snapshot).flatMap((country) => country.places);
  for (const place of places) {
    const codes = [...(codesByPoint.get(pointOf(place)) ?? []), `${place.postalCode}`];
    codesByPoint.set(pointOf(place), codes.sort(compareText));
  }
});

interface Search {
  readonly lat?: number;
  readonly lng?: number;
  readonly country?: string;
  readonly postcode?: string;
  readonly place?: string;
  readonly radiusKm?: number;
  readonly limit?: number;
  readonly countries?: string[];
  readonly types?: NearbyType[];
  readonly by?: NearbyEntry;
}

function search({ radiusKm = 200, limit = 100, ...given }: Search) {
  const none = { lat: undefined, lng: undefined, country: undefined, postcode: undefined, place: undefined };
  const filters = { countries: undefined, types: undefined, by: undefined };
  return parseAnswer(service.nearby(snapshot, { ...none, ...filters, ...given, radiusKm, limit }));
}

interface NearbyCode {
  readonly countryCode: string;
  readonly postcode: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly distanceKm: number;
}

const rounded = (km: number): number => Math.round(km * 1000) / 1000;
const pointOf = ({ countryCode, type, latitude, longitude }: OraclePlace): string =>
  [countryCode, type, latitude, longitude].join();

type Centre = Required<Pick<Search, 'lat' | 'lng'>> & Search;

/** The leaves that may be listed, nearest first, each with its distance. */
function everyLeaf({ lat, lng, radiusKm = 200, countries, types = ['locality'] }: Centre) {
  return places
    .filter(
      ({ type, countryCode }) => types.some((wanted) => wanted === type) && (countries?.includes(countryCode) ?? true),
    )
    .map((place) => ({ place, km: distance(lng, lat, place.longitude, place.latitude) }))
    .filter(({ km }) => km <= radiusKm)
    .sort(
      (a, b) =>
        a.km - b.km ||
        compareText(a.place.countryCode, b.place.countryCode) ||
        compareText(`${a.place.postalCode}`, `${b.place.postalCode}`),
    );
}

/** The first of a list for each key. */
function firstOfEach<T>(list: readonly T[], keyOf: (item: T) => string): T[] {
  const firsts = new Map<string, T>();
  for (const item of list) if (!firsts.has(keyOf(item))) firsts.set(keyOf(item), item);
  return [...firsts.values()];
}

const SEARCHES: Search[] = [
  {},
  { limit: 7 },
  { limit: 1 },
  { radiusKm: 30 },
  { radiusKm: 0 },
  { countries: ['CH', 'FJ', 'NO', 'ST'] },
  { types: ['recipient'] },
  { types: ['recipient', 'locality'], limit: 20 },
];

describe.each(SEARCHES)('%j', (filters) => {
  const centresNear = (): Centre[] => {
    const shift = createRandom(5);
    return CENTRES.flatMap(([lat, lng]) =>
      [0, 0, 0.3, 1].map((by) => ({
        lat: Math.max(-90, Math.min(90, lat + by * (shift() - 0.5))),
        lng: ((lng + by * (shift() - 0.5) + 540) % 360) - 180,
        ...filters,
      })),
    );
  };

  test('places: one for each point, that with the lowest code, nearest first', () => {
    let count = 0;
    for (const centre of centresNear()) {
      const expected = firstOfEach(everyLeaf(centre), ({ place }) => pointOf(place)).slice(0, centre.limit ?? 100);
      const found: { place: OraclePlace; distanceKm: number }[] = search(centre);
      expect(found.map(({ distanceKm }) => distanceKm)).toEqual(expected.map(({ km }) => rounded(km)));
      expect(new Set(found.map(({ place }) => pointOf(place))).size).toBe(found.length);
      for (const { place, distanceKm } of found) {
        const [first] = codesByPoint.get(pointOf(place)) ?? [];
        expect([place.postalCode, distanceKm]).toEqual([
          first,
          rounded(distance(centre.lng, centre.lat, place.longitude, place.latitude)),
        ]);
      }
      count += found.length;
    }
    expect(count).toBeGreaterThan(0);
  });

  test('codes: each once, as far as its nearest place', () => {
    for (const centre of centresNear()) {
      const leaves = everyLeaf(centre);
      const keyOf = ({ place }: (typeof leaves)[number]) => `${place.countryCode} ${place.postalCode}`;
      const expected = firstOfEach(leaves, keyOf).slice(0, centre.limit ?? 100);
      const found: NearbyCode[] = search({ ...centre, by: 'postcode' });
      expect(found.map(({ countryCode, postcode, distanceKm }) => [countryCode, postcode, distanceKm])).toEqual(
        expected.map(({ place, km }) => [place.countryCode, place.postalCode, rounded(km)]),
      );
      for (const { countryCode, postcode, latitude, longitude, distanceKm } of found) {
        expect(rounded(distance(centre.lng, centre.lat, longitude, latitude))).toBe(distanceKm);
        const own = leaves.filter(({ place }) => place.countryCode === countryCode && place.postalCode === postcode);
        expect([own[0]?.place.latitude, rounded(own[0]?.km ?? -1)]).toEqual([latitude, distanceKm]);
      }
    }
  });
});

describe('the centre', () => {
  const refused: Search[] = [
    {},
    { lat: 1 },
    { lng: 1 },
    { country: 'DE' },
    { postcode: '80331' },
    { lat: 1, lng: 1, country: 'DE' },
    { lat: 1, country: 'DE', postcode: '80331' },
    { lat: 1, lng: 1, postcode: '80331' },
    { country: 'DE', postcode: '80331', place: 'ab40fd50-93f6-5a5f-b824-08bcc73fc599' },
  ];
  test.each(refused)('%j is none', (centre) => {
    expect(codeOf(() => search(centre))).toBe('VALIDATION_FAILED');
  });

  test('is that of a code or of a place', () => {
    const [suva] = places.filter(({ name }) => name === 'Suva') as [OraclePlace];
    const expected = search({ lat: suva.latitude, lng: suva.longitude });
    expect(expected[0]).toMatchObject({ place: { name: 'Suva' }, distanceKm: 0 });
    expect(search({ country: 'FJ', postcode: 'F5' })).toEqual(expected);
    expect(search({ country: 'FJ', place: suva.id })).toEqual(expected);
  });

  test('of a code with several places lies between them, across the antimeridian too', () => {
    const { from } = measure('NF:X1', 'FJ:F5');
    // The middle of a great circle lies a little nearer to the pole than its ends.
    expect(from).toMatchObject({ latitude: -27.0001, longitude: -179.95 });
    const [nearest] = search({ country: 'NF', postcode: 'X1' });
    expect(nearest.distanceKm).toBe(rounded(distance(-179.95, -27.0001, 179.9, -27)));
  });

  test('or of the filter that does not exist is a domain error', () => {
    const nowhere = '00000000-0000-5000-8000-000000000000';
    expect(codeOf(() => search({ country: 'QQ', postcode: '1' }))).toBe('COUNTRY_NOT_FOUND');
    expect(codeOf(() => search({ country: 'AE', postcode: '1' }))).toBe('NO_POSTCODE_DATA');
    expect(codeOf(() => search({ country: 'DE', postcode: 'NONE' }))).toBe('POSTCODE_NOT_FOUND');
    expect(codeOf(() => search({ country: 'DE', place: nowhere }))).toBe('PLACE_NOT_FOUND');
    expect(codeOf(() => search({ lat: 0, lng: 0, countries: ['DE', 'QQ'] }))).toBe('COUNTRY_NOT_FOUND');
    expect(codeOf(() => search({ lat: 0, lng: 0, countries: ['DE', 'AE'] }))).toBe('NO_POSTCODE_DATA');
  });

  test('in mid-ocean has nothing nearby', () => {
    expect(search({ lat: -50, lng: -120 })).toEqual([]);
    expect(search({ lat: -50, lng: -120, by: 'postcode' })).toEqual([]);
  });
});

function sideOf(text: string) {
  const [country = '', rest = ''] = text.split(':');
  return rest.length === 36 ? { country, id: rest } : { country, postcode: rest };
}

function measure(from: string, to: string) {
  return parseAnswer(service.distance(snapshot, { from: sideOf(from), to: sideOf(to) }));
}

describe('distance', () => {
  test('between places is that on the sphere, in both directions', () => {
    const pick = createRandom(9);
    for (let round = 0; round < 300; round++) {
      const [a, b] = [0, 0].map(() => places[Math.floor(pick() * places.length)]) as [OraclePlace, OraclePlace];
      const answer = measure(`${a.countryCode}:${a.id}`, `${b.countryCode}:${b.id}`);
      const { countryCode, id, name, latitude, longitude } = a;
      expect(answer.from).toEqual({ countryCode, postcode: null, id, name, latitude, longitude });
      expect(answer.distanceKm).toBe(rounded(distance(a.longitude, a.latitude, b.longitude, b.latitude)));
      expect(measure(`${b.countryCode}:${b.id}`, `${a.countryCode}:${a.id}`).distanceKm).toBe(answer.distanceKm);
    }
  });

  test('from a code is from the mean of its places, in the spelling of the dataset', () => {
    const { from, to, distanceKm } = measure('GB:sw1a1aa'.toUpperCase(), 'FJ:F5');
    expect(from).toEqual({
      countryCode: 'GB',
      postcode: 'SW1A 1AA',
      id: null,
      name: null,
      latitude: 51.5,
      longitude: -0.14,
    });
    expect(to).toMatchObject({ countryCode: 'FJ', postcode: 'F5', latitude: -18.14, longitude: 178.44 });
    expect(distanceKm).toBe(rounded(distance(-0.14, 51.5, 178.44, -18.14)));
    // AD100 has two places.
    expect(measure('AD:AD100', 'AD:AD100')).toMatchObject({
      from: { latitude: 42.5734, longitude: 1.62 },
      distanceKm: 0,
    });
  });

  test('to what does not exist is a domain error, on either side', () => {
    const nowhere = '00000000-0000-5000-8000-000000000000';
    for (const [side, code] of [
      ['QQ:1', 'COUNTRY_NOT_FOUND'],
      ['AE:1', 'NO_POSTCODE_DATA'],
      ['DE:NONE', 'POSTCODE_NOT_FOUND'],
      [`DE:${nowhere}`, 'PLACE_NOT_FOUND'],
    ] as const) {
      expect([codeOf(() => measure(side, 'FJ:F5')), codeOf(() => measure('FJ:F5', side))]).toEqual([code, code]);
    }
  });
});
