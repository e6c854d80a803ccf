/** The places and postal codes near a point: nearby, the list beneath it, and reverse. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { distance } from 'geokdbush';
import type { NearbyEntry, NearbyType } from '../../src/core/answers/nearby.js';
import { reverse } from '../../src/core/answers/reverse.js';
import { service } from '../../src/core/answers/service.js';
import { findCountryAt } from '../../src/core/lookup/country-at-point.js';
import { DomainError } from '../../src/core/lookup/domain-error.js';
import { listNearbyPlaces } from '../../src/core/lookup/nearby.js';
import { childRange, deepestTreeRange, levelRange, listAncestors } from '../../src/core/snapshot/place-tree.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { buildFixtureSnapshot, openFixture } from '../fixtures/fixture-snapshot.js';
import { type FixtureRow, HAND_MADE_ROWS, type RowsByCountry } from '../fixtures/hand-made-release.js';
import { createRandom } from '../fixtures/random.mjs';
import { codeOf, parseAnswer } from './answer.js';
import { compareText, createOracle, type OracleCountry, type OraclePlace, oracleNearest } from './oracle.js';

/** What is nearby, and how far two places are apart, against every place in turn. */
describe('nearby', () => {
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
      ...Array.from(
        { length: 130 },
        (_, row): FixtureRow => [`LT-${300 - row}`, 'Vilnius', 'Land', '', '', 47.65, 9.15],
      ),
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
        ({ type, countryCode }) =>
          types.some((wanted) => wanted === type) && (countries?.includes(countryCode) ?? true),
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
});

/** The nearest places of all countries, against every leaf in turn; and the deepest places below others. */
describe('the list', () => {
  let snapshot: Snapshot;
  beforeAll(async () => {
    snapshot = await openFixture(HAND_MADE_ROWS);
  });

  /** The distances of all points within the radius, ascending. */
  function everyDistance(lat: number, lng: number, radiusKm: number): number[] {
    const all = snapshot.countries.flatMap(({ structures }) => {
      const coords = structures?.points.coords ?? new Float64Array(0);
      return Array.from({ length: coords.length / 2 }, (_, at) =>
        distance(lng, lat, coords[at * 2] as number, coords[at * 2 + 1] as number),
      );
    });
    return all.filter((km) => km <= radiusKm).sort((a, b) => a - b);
  }

  test('they are the nearest, in their order, of whatever country', () => {
    const random = createRandom(3);
    const centres = snapshot.countries.flatMap(({ structures }) => {
      const [lng, lat] = structures?.points.coords ?? [];
      return lng === undefined || lat === undefined ? [] : [[lat, lng] as const];
    });
    let foundCount = 0;
    for (const [centreLat, centreLng] of centres) {
      for (let round = 0; round < 10; round++) {
        const lat = Math.max(-90, Math.min(90, centreLat + random() * 2 - 1));
        const lng = ((centreLng + random() * 2 - 1 + 540) % 360) - 180;
        const limit = round % 2 === 0 ? 7 : 1;
        const found = listNearbyPlaces(snapshot, { lat, lng, radiusKm: 80, limit, tiers: ['sure'] }).map(
          ({ distanceKm }) => distanceKm,
        );
        const expected = everyDistance(lat, lng, 80).slice(0, limit);
        expect(found).toHaveLength(expected.length);
        for (const [at, km] of found.entries()) expect(km).toBeCloseTo(expected[at] as number, 6);
        foundCount += found.length;
      }
    }
    expect(foundCount).toBeGreaterThan(100);
  });

  test('the deepest places below siblings are the places of the lowest level that any of them has', () => {
    for (const { structures } of snapshot.countries) {
      if (structures === undefined) continue;
      const { tree } = structures;
      for (let place = 0; place < tree.placeCount; place++) {
        const below = Array.from({ length: tree.placeCount }, (_, other) => other).filter((other) =>
          listAncestors(tree, other).includes(place),
        );
        const depth = Math.max(0, ...below.map((other) => listAncestors(tree, other).length));
        const { start, end } = deepestTreeRange(tree, childRange(tree, place));
        expect(Array.from({ length: end - start }, (_, index) => start + index)).toEqual(
          below.filter((other) => listAncestors(tree, other).length === depth),
        );
      }
      expect(deepestTreeRange(tree, levelRange(tree, 1)).end).toBe(tree.placeCount);
    }
  });
});

/** The nearest place: which country is asked, what happens at equal distances, and where nothing is near. */
describe('reverse', () => {
  let snapshot: Snapshot;
  let oracle: Map<string, OracleCountry>;
  beforeAll(async () => {
    // At sea, where the nearest centre is that of Tonga.
    const atSea: FixtureRow = ['2899', 'Afloat', 'Sea', '', '', -27, 179.9];
    snapshot = await openFixture({ ...HAND_MADE_ROWS, NF: [atSea] });
    oracle = new Map(createOracle(snapshot).map((country) => [country.code, country]));
  });

  /** The name of the nearest place and its distance, or the code of the error. */
  function nearest(lat: number, lng: number, country?: string): [string, number] | string {
    try {
      const { place, distanceKm } = parseAnswer(reverse(snapshot, { lat, lng, country }));
      return [place.name, distanceKm];
    } catch (error) {
      if (error instanceof DomainError) return error.code;
      throw error;
    }
  }

  test('a place at the point itself is at 0 km', () => {
    expect(nearest(41.9024, 12.4533, 'VA')).toEqual(['Vatican City', 0]);
    expect(nearest(37.56, 126.97, 'KR')).toEqual(['Seoul', 0]);
  });

  test('distances are rounded to metres', () => {
    expect(nearest(41.9, 12.45, 'VA')).toEqual([
      'Vatican City',
      Number(distance(12.45, 41.9, 12.4533, 41.9024).toFixed(3)),
    ]);
  });

  test('one point, several places: the lowest code', () => {
    expect(nearest(0, 0, 'ST')).toEqual(['Null Island Too', 0]);
  });

  test('one distance, several points: the lowest code, then the name', () => {
    expect(nearest(0.5, 0.5, 'ST')[0]).toBe(
      distance(0.5, 0.5, 0, 0.5) <= distance(0.5, 0.5, 0.5, 0) ? 'North' : 'East',
    );
    // Halfway to null island: code 2 stands before codes 8 and 9.
    expect(nearest(0.25, 0, 'ST')[0]).toBe('North');
    expect(nearest(0.2, 0, 'ST')[0]).toBe('Null Island Too');
  });

  test('across the antimeridian, from both sides', () => {
    expect(nearest(-16.8, 179.95, 'FJ')[0]).toBe('Taveuni West');
    expect(nearest(-16.8, -179.95, 'FJ')[0]).toBe('Taveuni East');
    // 180 and -180 are one meridian, but for the last bit of a sine.
    expect(nearest(-16.9, 180, 'FJ')).toEqual(['On the line', 0]);
    expect(nearest(-16.9, -180, 'FJ')).toEqual([expect.stringMatching(/^On the line/), 0]);
  });

  test('at the pole, whatever the longitude', () => {
    for (const lng of [-180, -90, 0, 77, 180]) {
      const [name, distanceKm] = nearest(-90, lng, 'AQ') as [string, number];
      expect([name, distanceKm]).toEqual(['Pole', 0]);
    }
    expect(parseAnswer(reverse(snapshot, { lat: -90, lng: 33, country: 'AQ' })).place.postalCode).toBe('BIQQ 1ZZ');
  });

  test('80 km is near, a little more is not', () => {
    const degreesPerKm = 180 / (Math.PI * 6371);
    expect(nearest(42.5 - 79.99 * degreesPerKm, 1.5, 'AD')).toEqual(['Andorra la Vella', 79.99]);
    expect(nearest(42.5 - 80.01 * degreesPerKm, 1.5, 'AD')).toBe('NO_NEARBY_PLACE');
    expect(nearest(90, 0, 'AD')).toBe('NO_NEARBY_PLACE');
  });

  test('without a country: the country that contains the point; at sea that of the nearest centre, then all', () => {
    const random = createRandom(13);
    const outcomes = new Set<string>();
    const anywhere = Array.from({ length: 1500 }, () => [random() * 180 - 90, random() * 360 - 180] as const);
    const nearPlaces = [...oracle.values()].flatMap(({ places }) =>
      places.slice(0, 20).map(({ latitude, longitude }) => [latitude * 0.999, longitude * 0.999] as const),
    );
    for (const [lat, lng] of [...anywhere, ...nearPlaces]) {
      const containing = findCountryAt(snapshot, lat, lng)?.entry.code;
      const [first] = snapshot.manifest.countries
        .flatMap(({ code, centre }) =>
          centre === null ? [] : [{ code, km: distance(lng, lat, centre.longitude, centre.latitude) }],
        )
        .sort((a, b) => a.km - b.km);
      const country = oracle.get(containing ?? (first?.code as string));
      const found = nearest(lat, lng);
      const inferred = country === undefined ? undefined : oracleNearest(country, { lat, lng, radiusKm: 80 });
      if (containing !== undefined) expect(found).toEqual(nearest(lat, lng, containing));
      else if (inferred === undefined) expect(found).toEqual(nearest(lat, lng, 'any'));
      if (inferred !== undefined) expect(found[1]).toBe(Math.round(inferred.distanceKm * 1000) / 1000);
      const where = containing === undefined ? 'at sea' : 'in a country';
      outcomes.add(`${typeof found === 'string' ? found : inferred === undefined ? 'elsewhere' : 'found'} ${where}`);
    }
    expect([...outcomes].sort()).toEqual([
      ...['NO_NEARBY_PLACE at sea', 'NO_NEARBY_PLACE in a country', 'NO_POSTCODE_DATA in a country'],
      ...['elsewhere at sea', 'found at sea', 'found in a country'],
    ]);
  });

  test('a locality comes before one that may lie elsewhere, and that before a recipient', async () => {
    const around = (unit: string, prefix: string, lat: number, lng: number): FixtureRow[] =>
      Array.from({ length: 16 }, (_, row): FixtureRow => {
        const [north, east] = [(row % 4) / 50, Math.floor(row / 4) / 50];
        return [
          `${prefix}${String(row).padStart(2, '0')}`,
          `${unit} ${row}`,
          'Land',
          unit,
          '',
          lat + north,
          lng + east,
        ];
      });
    const cleaned = await buildFixtureSnapshot({
      FR: [
        ...around('Nord', '10', 45, 0),
        ...around('Sud', '20', 50, 0),
        // Amid Nord by its coordinates, of Sud by unit and code.
        ['2050', 'Astray', 'Land', 'Sud', '', 44.5, 0],
        ['30500 CEDEX 1', 'Roissy', 'Land', 'Nord', '', 45.001, 0],
        ['30501 CEDEX 1', 'Roissy', 'Land', 'Nord', '', 43, 2],
      ],
    });
    const inCleaned = openSnapshot(cleaned.path);
    const found = (lat: number, lng: number, country: string): string => {
      const { place } = parseAnswer(reverse(inCleaned, { lat, lng, country }));
      return `${place.name}, ${place.type}`;
    };
    expect(found(45.001, 0, 'FR')).toBe('Nord 0, locality');
    // The row astray has moved to the middle of its own, where it is rough: another one answers.
    expect(found(50.03, 0.03, 'FR')).toMatch(/^Sud \d+, locality$/);
    expect(found(43, 2, 'FR')).toBe('Roissy, recipient');
    expect(() => found(43, 2, 'any')).toThrow(DomainError);
    cleaned.cleanup();
  });

  test('a point at home is found without a country too', () => {
    expect(nearest(42.5, 1.5)).toEqual(['Andorra la Vella', 0]);
  });
});
