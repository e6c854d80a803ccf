/**
 * Every lookup of the library against the server: the same text as `data` where the server answers 200, undefined where
 * it answers 404, and the same faults where it answers 400.
 */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ENVELOPE_START } from '../../src/api/http/render-response.js';
import { service } from '../../src/core/answers/service.js';
import { openSnapshot } from '../../src/core/snapshot/snapshot.js';
import { InvalidArgumentError, open, type Places } from '../../src/library/index.js';
import type { Lookups } from '../../src/library/lookups.js';
import { getRaw, startServer, type TestServer } from '../api/harness.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { cityOf } from '../fixtures/gazetteer.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { NAMED_ROWS } from '../fixtures/named-release.js';

let snapshot: FixtureSnapshot;
let places: Places;
let server: TestServer;
beforeAll(async () => {
  const { AD, DE, AX } = HAND_MADE_ROWS;
  const cities = [
    cityOf('JP', 'Tokyo', 35.69, 139.69, { population: 8_300_000, otherNames: ['東京'] }),
    cityOf('JP', 'Nara', 34.69, 135.8, { population: 40_000 }),
    cityOf('GR', 'Canillo', 37.98, 23.73, { population: 664_000 }),
    cityOf('DE', 'Berlin', 52.52, 13.4, { population: 3_400_000 }),
  ];
  snapshot = await buildFixtureSnapshot({ AD: AD ?? [], DE: DE ?? [], AX: AX ?? [] }, { cities });
  places = await open(snapshot.path);
  server = await startServer(undefined, undefined, service);
  server.snapshot = openSnapshot(snapshot.path);
});
afterAll(async () => {
  await Promise.all([places?.close(), server?.close()]);
  snapshot?.cleanup();
});

type Name = Exclude<keyof Lookups<true>, 'release' | 'countryWithoutData'>;

/** The id of a place of Andorra. */
const idOf = (path: string): string => places.resolve('AD', path)?.id ?? '';
const canillo = (): string => idOf('/canillo');
const releaseName = (): string => places.release.name;

/** A method, its arguments, and the target of the same request. */
type Case = readonly [name: Name, args: () => readonly unknown[], target: () => string];
const V1 = '/v1/countries/AD';

const FOUND: readonly Case[] = [
  ['countries', () => [], () => '/v1/countries'],
  ['countries', () => [{ hasPostcodes: true }], () => '/v1/countries?hasPostcodes=true'],
  ['country', () => ['ad'], () => '/v1/countries/ad'],
  ['postcode', () => ['AD', 'AD100'], () => `${V1}/postcodes/AD100`],
  ['postcode', () => ['AD', ' ad-100 '], () => `${V1}/postcodes/%20ad-100%20`],
  [
    'postcode',
    () => ['AD', 'AD100', { include: ['codes', 'bounds'] }],
    () => `${V1}/postcodes/AD100?include=codes,bounds`,
  ],
  ['postcodes', () => ['AD100'], () => '/v1/postcodes/AD100'],
  ['postcodes', () => ['AD100', { country: ['AD', 'DE'] }], () => '/v1/postcodes/AD100?country=AD,DE'],
  ['check', () => ['AD', 'ad 100'], () => `${V1}/postcodes/ad%20100/check`],
  ['check', () => ['AD', '1'], () => `${V1}/postcodes/1/check`],
  ['place', () => ['AD', canillo()], () => `${V1}/places/${canillo()}`],
  [
    'place',
    () => ['AD', canillo(), { include: ['population', 'timezone'] }],
    () => `${V1}/places/${canillo()}?include=population,timezone`,
  ],
  ['children', () => ['AD', canillo()], () => `${V1}/places/${canillo()}/children`],
  [
    'children',
    () => ['AD', canillo(), { page: 2, pageSize: 1 }],
    () => `${V1}/places/${canillo()}/children?page=2&pageSize=1`,
  ],
  ['places', () => ['AD', { level: 1, pageSize: null }], () => `${V1}/places?level=1`],
  ['resolve', () => ['AD', '/Canillo/'], () => `${V1}/resolve?path=/Canillo/`],
  [
    'postcodesOf',
    () => ['AD', canillo(), { recipients: true }],
    () => `${V1}/places/${canillo()}/postcodes?recipients=true`,
  ],
  ['postcodesOf', () => ['AD', canillo(), { full: true }], () => `${V1}/places/${canillo()}/postcodes?full=true`],
  ['suggest', () => ['Åland'], () => '/v1/autocomplete?q=%C3%85land'],
  [
    'suggest',
    () => ['cani', { country: ['AD', 'DE'], limit: 2, kinds: ['place', 'postcode'], include: 'place' }],
    () => '/v1/autocomplete?q=cani&country=AD,DE&limit=2&kinds=place,postcode&include=place',
  ],
  ['suggest', () => ['a&b=c+d'], () => '/v1/autocomplete?q=a%26b%3Dc%2Bd'],
  ['match', () => ['AD100 Canillo'], () => '/v1/match?address=AD100+Canillo'],
  [
    'match',
    () => ['Carrer Major 1\nCanillo', { country: 'AD', include: ['codes'] }],
    () => '/v1/match?address=Carrer+Major+1%0ACanillo&country=AD&include=codes',
  ],
  ['match', () => ['nowhere'], () => '/v1/match?address=nowhere'],
  ['reverse', () => [42.57, 1.6], () => '/v1/reverse?lat=42.57&lng=1.6'],
  ['reverse', () => [42.57, 1.6, { country: 'any' }], () => '/v1/reverse?lat=42.57&lng=1.6&country=any'],
  ['reverse', () => [42.57, 1.6, { country: 'AD' }], () => '/v1/reverse?lat=42.57&lng=1.6&country=AD'],
  ['nearby', () => [{ lat: 42.57, lng: 1.6 }], () => '/v1/nearby?lat=42.57&lng=1.6'],
  ['nearby', () => [{ lat: 1e-7, lng: -1e-7 }], () => '/v1/nearby?lat=0.0000001&lng=-0.0000001'],
  [
    'nearby',
    () => [
      { country: 'AD', postcode: 'AD100' },
      { radiusKm: 5, by: 'postcode', countries: ['AD'] },
    ],
    () => '/v1/nearby?country=AD&postcode=AD100&radiusKm=5&by=postcode&countries=AD',
  ],
  [
    'nearby',
    () => [{ country: 'AD', place: canillo() }, { limit: 1 }],
    () => `/v1/nearby?country=AD&place=${canillo()}&limit=1`,
  ],
  ['distance', () => ['AD:AD100', `AD:${canillo()}`], () => `/v1/distance?from=AD:AD100&to=AD:${canillo()}`],
  ['changes', () => [releaseName()], () => `/v1/changes?since=${releaseName()}`],
  [
    'changes',
    () => [releaseName(), { country: 'AD', change: ['added', 'moved'] }],
    () => `/v1/changes?since=${releaseName()}&country=AD&change=added,moved`,
  ],
];

const ABSENT: readonly Case[] = [
  ['country', () => ['QQ'], () => '/v1/countries/QQ'],
  ['postcode', () => ['AD', 'AD999'], () => `${V1}/postcodes/AD999`],
  ['postcode', () => ['QQ', 'AD100'], () => '/v1/countries/QQ/postcodes/AD100'],
  ['postcode', () => ['FR', 'AD100'], () => '/v1/countries/FR/postcodes/AD100'],
  ['postcodes', () => ['nowhere'], () => '/v1/postcodes/nowhere'],
  ['check', () => ['QQ', '1'], () => '/v1/countries/QQ/postcodes/1/check'],
  ['place', () => ['DE', canillo()], () => `/v1/countries/DE/places/${canillo()}`],
  ['children', () => ['DE', canillo()], () => `/v1/countries/DE/places/${canillo()}/children`],
  ['places', () => ['QQ'], () => '/v1/countries/QQ/places'],
  ['resolve', () => ['AD', '/nowhere'], () => `${V1}/resolve?path=/nowhere`],
  ['postcodesOf', () => ['DE', canillo()], () => `/v1/countries/DE/places/${canillo()}/postcodes`],
  ['suggest', () => ['cani', { country: 'QQ' }], () => '/v1/autocomplete?q=cani&country=QQ'],
  ['match', () => ['Canillo', { country: 'QQ' }], () => '/v1/match?address=Canillo&country=QQ'],
  ['reverse', () => [0, -140], () => '/v1/reverse?lat=0&lng=-140'],
  ['reverse', () => [35.69, 139.69], () => '/v1/reverse?lat=35.69&lng=139.69'],
  ['nearby', () => [{ country: 'AD', postcode: 'AD999' }], () => '/v1/nearby?country=AD&postcode=AD999'],
  ['distance', () => ['AD:AD100', 'AD:AD999'], () => '/v1/distance?from=AD:AD100&to=AD:AD999'],
  ['changes', () => ['2000-01'], () => '/v1/changes?since=2000-01'],
];

const INVALID: readonly Case[] = [
  ['countries', () => [{ hasPostcodes: 1 }], () => '/v1/countries?hasPostcodes=1'],
  ['country', () => ['Andorra'], () => '/v1/countries/Andorra'],
  ['postcode', () => ['AD', 'x'.repeat(21)], () => `${V1}/postcodes/${'x'.repeat(21)}`],
  ['postcode', () => ['AD', 'a\nb'], () => `${V1}/postcodes/a%0Ab`],
  ['place', () => ['AD', '1'], () => `${V1}/places/1`],
  ['children', () => ['AD', canillo(), { page: 0 }], () => `${V1}/places/${canillo()}/children?page=0`],
  ['places', () => ['AD', { level: 1.5 }], () => `${V1}/places?level=1.5`],
  ['resolve', () => ['AD', 'canillo'], () => `${V1}/resolve?path=canillo`],
  ['suggest', () => ['cani', { limit: 0, limt: 5 }], () => '/v1/autocomplete?limit=0&limt=5&q=cani'],
  ['suggest', () => ['**'], () => '/v1/autocomplete?q=**'],
  ['suggest', () => ['cani', { lat: 1 }], () => '/v1/autocomplete?lat=1&q=cani'],
  ['match', () => ['a'], () => '/v1/match?address=a'],
  ['reverse', () => [91, Number.NaN], () => '/v1/reverse?lat=91&lng=NaN'],
  ['reverse', () => [1e21, 0], () => '/v1/reverse?lat=1e%2B21&lng=0'],
  ['nearby', () => [{ lat: 1 }, { radius: 3 }], () => '/v1/nearby?radius=3&lat=1'],
  ['nearby', () => [{ lat: 1, lng: 1, postcode: '1' }], () => '/v1/nearby?lat=1&lng=1&postcode=1'],
  ['distance', () => ['AD100', 'AD:AD100'], () => '/v1/distance?from=AD100&to=AD:AD100'],
  ['changes', () => ['a b'], () => '/v1/changes?since=a%20b'],
];

/** How many arguments stand before the options, by method. */
const ARGUMENT_COUNTS: Readonly<Record<Name, number>> = {
  ...{ countries: 0, postcodes: 1, places: 1, suggest: 1, match: 1, nearby: 1, changes: 1, country: 1 },
  ...{ postcode: 2, place: 2, children: 2, resolve: 2, postcodesOf: 2, reverse: 2, distance: 2, check: 2 },
};
const WITHOUT_FORMATS: readonly Name[] = ['country', 'distance', 'changes'];

function call(lookups: object, name: Name, args: readonly unknown[]): unknown {
  return (lookups as Record<Name, (...args: readonly unknown[]) => unknown>)[name](...args);
}

describe.each([
  ['found', 200, FOUND],
  ['does not exist', 404, ABSENT],
  ['not valid', 400, INVALID],
] as const)('%s', (_, expectedStatus, cases) => {
  test.each(cases.map(([name, args, target], at) => [at, name, args, target] as const))(
    '%i %s',
    async (_at, name, args, target) => {
      const { status, body } = await getRaw(server.port, target());
      expect({ target: target(), status, body }).toMatchObject({ status: expectedStatus });
      if (status === 200) {
        const text = body.slice(ENVELOPE_START.length, body.lastIndexOf(',"metadata":'));
        expect(call(places.json, name, args())).toBe(text);
        expect(call(places, name, args())).toEqual(JSON.parse(text));
      } else if (status === 404) {
        expect([call(places, name, args()), call(places.json, name, args())]).toEqual([undefined, undefined]);
      } else {
        const { message, details } = JSON.parse(body).error;
        const thrown = errorOf(() => call(places, name, args()));
        expect(thrown).toBeInstanceOf(InvalidArgumentError);
        expect(thrown).toMatchObject({ name: 'InvalidArgumentError', code: 'INVALID_ARGUMENT', message, details });
        expect(errorOf(() => call(places.json, name, args()))).toEqual(thrown);
      }
    },
  );
});

const WITH_OPTIONS = FOUND.filter(([name]) => name !== 'check');
test.each(WITH_OPTIONS.map(([name, args, target], at) => [at, name, args, target] as const))(
  '%i %s in the formats of the API is what the server sends',
  async (_at, name, args, target) => {
    for (const format of ['json', 'geojson', 'csv']) {
      const given = args();
      const count = ARGUMENT_COUNTS[name];
      const asked = [...given.slice(0, count), { ...(given[count] as object | undefined), format }];
      const { status, head, body } = await getRaw(
        server.port,
        `${target()}${target().includes('?') ? '&' : '?'}format=${format}`,
      );
      if (status === 400 || WITHOUT_FORMATS.includes(name)) {
        const wrong = { code: 'INVALID_ARGUMENT', details: [expect.objectContaining({ param: 'format' })] };
        expect(errorOf(() => call(places, name, asked))).toMatchObject(wrong);
        continue;
      }
      expect(status).toBe(200);
      const start = format === 'json' ? ENVELOPE_START.length : 0;
      const data = format === 'csv' ? body : body.slice(start, body.lastIndexOf(',"metadata":'));
      const text = format === 'geojson' ? `${data}}` : data;
      expect(head.includes('application/geo+json')).toBe(format === 'geojson');
      expect(call(places.json, name, asked)).toBe(text);
      expect(call(places, name, asked)).toEqual(format === 'csv' ? text : JSON.parse(text));
    }
  },
);

test.each(['Tokyo', ' TOKYO ', '東京', 'Japan', '日本'])(
  '%j is of a country without data, as the server says',
  async (q) => {
    const target = `/v1/autocomplete?q=${encodeURIComponent(q)}`;
    expect(await getRaw(server.port, target)).toMatchObject({
      status: 200,
      head: expect.stringMatching(/^x-country-without-data: JP\r$/m),
      body: expect.stringContaining('"data":[]'),
    });
    expect(places.suggest(q)).toEqual([]);
    expect(places.countryWithoutData(q)).toEqual(places.country('JP'));
    expect(places.json.countryWithoutData(q)).toBe(places.json.country('JP'));
  },
);

test('a larger city of the name is in a country without data', async () => {
  const { head } = await getRaw(server.port, '/v1/autocomplete?q=Canillo');
  expect(head).toMatch(/^x-country-without-data: GR\r$/m);
  expect(places.suggest('Canillo')).toMatchObject([{ countryCode: 'AD' }]);
  expect(places.countryWithoutData('Canillo')).toEqual(places.country('GR'));
});

test.each(['Nara', 'Berlin', 'Germany', 'Tokyo hotel', 'qqqq', '東京&country=DE'])(
  '%j is of no country without data',
  async (q) => {
    const { status, head } = await getRaw(server.port, `/v1/autocomplete?q=${encodeURI(q)}`);
    expect([status, head.includes('x-country-without-data')]).toEqual([200, false]);
    if (!q.includes('&')) expect(places.countryWithoutData(q)).toBeUndefined();
  },
);

test('lists of words have the types of their words', () => {
  // @ts-expect-error: there is no such kind.
  expect(() => places.suggest('cani', { kinds: 'foo' })).toThrow('kinds must be');
  // @ts-expect-error: nor in a list.
  expect(() => places.suggest('cani', { kinds: ['place', 'foo'] })).toThrow('kinds must be');
  // @ts-expect-error: a text with commas is no word.
  expect(places.place('AD', canillo(), { include: 'city,codes' })).toBeDefined();
  // @ts-expect-error: there is no such type.
  expect(() => places.nearby({ lat: 42.57, lng: 1.6 }, { types: 'street' })).toThrow('types must be');
  // @ts-expect-error: there is no such change.
  expect(() => places.changes('before', { change: ['renewed'] })).toThrow('change must be');
  const both = places.suggest('cani', { kinds: ['place', 'country'], types: 'locality', include: ['place'] });
  expect(both).toEqual(places.suggest('cani', { kinds: ['country', 'place'], types: ['locality'], include: 'place' }));
});

test('what a request includes has its types', () => {
  const [place] = places.postcode('AD', 'AD500', { include: ['city', 'codes', 'timezone'] })?.places ?? [];
  const { city, timezone, codes } = place ?? {};
  expect([city?.id, city?.name, timezone, codes?.release]).toEqual([
    ...[place?.id, 'Andorra la Vella', 'Europe/Andorra', null],
  ]);
  expect(places.place('AD', canillo(), { include: 'city' })?.city).toBeNull();
});

test('the country without data of what is no text to search for', () => {
  for (const q of [7, '', 'x'.repeat(101), undefined]) {
    expect(errorOf(() => places.countryWithoutData(q as string))).toMatchObject({ details: [{ param: 'q' }] });
  }
  const misspelt = { Lang: 'ja' } as object;
  for (const q of ['Tokyo', 'Berlin']) {
    expect(errorOf(() => places.countryWithoutData(q, misspelt))).toBeInstanceOf(InvalidArgumentError);
  }
});

test('types know what a format gives', () => {
  const page = places.places('AD', { format: 'geojson', pageSize: 1 });
  const [feature] = page?.features ?? [];
  const [longitude, latitude]: readonly number[] = feature?.geometry?.coordinates ?? [];
  expect([page?.totalCount, longitude, latitude]).toEqual([
    places.places('AD')?.totalCount,
    feature?.properties.longitude,
    feature?.properties.latitude,
  ]);
  const nearest = places.reverse(42.57, 1.6, { format: 'geojson' });
  expect(nearest?.properties.distanceKm).toBe(places.reverse(42.57, 1.6)?.distanceKm);
  const csv: string | undefined = places.nearby({ lat: 42.57, lng: 1.6 }, { format: 'csv', by: 'postcode' });
  expect(csv?.split('\r\n')[0]).toBe('countryCode,postcode,latitude,longitude,distanceKm');
  // @ts-expect-error: one place is no table.
  expect(() => places.reverse(42.57, 1.6, { format: 'csv' })).toThrow(InvalidArgumentError);
});

function errorOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

test('every method has its cases, those that can fail of every kind', () => {
  const named = (cases: readonly Case[]): string[] => [...new Set(cases.map(([name]) => name))].sort();
  const names = Object.keys(places.json).filter((name) => !['release', 'countryWithoutData'].includes(name));
  names.sort();
  expect(names.length).toBe(16);
  expect(named(FOUND)).toEqual(names);
  expect(named(ABSENT)).toEqual(names.filter((name) => name !== 'countries'));
});

test('what a URL cannot have is refused too', () => {
  const anything = places as unknown as Record<string, (...args: unknown[]) => unknown>;
  expect(errorOf(() => anything.postcode?.('AD'))).toMatchObject({
    message: 'postcode is required (1 to 20 characters)',
    details: [{ param: 'postcode', expected: 'a postcode of 1 to 20 characters' }],
  });
  for (const wrong of [{}, [1], [['AD']], () => 'AD', Symbol.iterator]) {
    expect(errorOf(() => anything.country?.(wrong))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: [{ param: 'country', message: 'country must be a text, a number, true or false' }],
    });
  }
  expect(errorOf(() => places.suggest('ab\ud800'))).toMatchObject({ details: [{ expected: 'well-formed Unicode' }] });
  expect(errorOf(() => places.suggest('cani', { country: [] }))).toMatchObject({ details: [{ param: 'country' }] });
  expect(places.postcode('AD', 'AD100', { lang: 'de', onAnswer: () => 1 } as object)?.postcode).toBe('AD100');
});

test('a misspelt option is refused, whether there is an answer or not', () => {
  const wrong = { code: 'INVALID_ARGUMENT', message: 'limt is not a parameter of this endpoint; did you mean limit?' };
  const anything = places as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const q of ['cani', 'qqqqqq']) {
    for (const value of [5, ['5'], {}]) {
      expect(errorOf(() => anything.suggest?.(q, { limt: value }))).toMatchObject({
        ...wrong,
        details: [{ param: 'limt', expected: 'limit' }],
      });
    }
  }
  expect(errorOf(() => anything.postcode?.('AD', 'AD999', { includ: 'codes' }))).toMatchObject({
    details: [{ param: 'includ', expected: 'include' }],
  });
  expect(errorOf(() => anything.nearby?.({ lat: 42.57, lon: 1.6 }))).toMatchObject({ details: [{ param: 'lng' }, {}] });
  for (const fine of [{ limt: undefined }, { limt: null }, { lang: 'de' }, { 'a&limt': 5 }, { 'limt=5&x': 1 }]) {
    expect(anything.suggest?.('cani', fine)).toEqual(places.suggest('cani'));
  }
});

test('a text that is none is refused; a number may be a code', () => {
  const anything = places as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const wrong of [true, false, Number.NaN, Infinity]) {
    expect(errorOf(() => anything.suggest?.(wrong))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'q must be a text',
      details: [{ param: 'q', expected: 'a text' }],
    });
    expect(errorOf(() => anything.postcode?.('AD', wrong))).toMatchObject({ details: [{ param: 'postcode' }] });
    expect(errorOf(() => anything.suggest?.('cani', { country: wrong }))).toMatchObject({ code: 'INVALID_ARGUMENT' });
  }
  expect(anything.postcode?.('DE', 80331)).toEqual(places.postcode('DE', '80331'));
  expect(places.countries({ hasPostcodes: true }).length).toBeGreaterThan(0);
});

test('options that are null are none, for every method in the same way', () => {
  const none = null as never;
  expect(places.countries(none)).toEqual(places.countries());
  expect(places.suggest('and', none)).toEqual(places.suggest('and'));
  expect(places.places('AD', none)).toEqual(places.places('AD'));
});

test('the answers are new objects every time', () => {
  const first = places.country('AD');
  if (first !== undefined) first.name = 'changed';
  expect(places.country('AD')?.name).toBe('Andorra');
});

test('the release is what GET /v1/release says', () => {
  expect(places.release).toEqual(JSON.parse(places.json.release));
  expect(places.release).toMatchObject({ name: 'fixture', previousRelease: null });
  expect(places.release.countries.map(({ code }) => code)).toEqual(['AD', 'AX', 'DE']);
});

describe('in languages', () => {
  let named: FixtureSnapshot;
  let places: Places;
  let withDefault: Places;
  beforeAll(async () => {
    named = await buildFixtureSnapshot(NAMED_ROWS);
    places = await open(named.path);
    withDefault = await open(named.path, { lang: ['ru', 'en'] });
    server.snapshot = openSnapshot(named.path);
  });
  afterAll(async () => {
    server.snapshot = openSnapshot(snapshot.path);
    await Promise.all([places?.close(), withDefault?.close()]);
    named?.cleanup();
  });

  const munich = (): string => places.resolve('DE', '/bayern/oberbayern/munchen')?.id ?? '';
  const DE = '/v1/countries/DE';
  test.each<[name: Name, args: () => unknown[], target: () => string]>([
    ['countries', () => [], () => '/v1/countries?'],
    ['country', () => ['DE'], () => `${DE}?`],
    ['postcode', () => ['DE', '80331'], () => `${DE}/postcodes/80331?`],
    ['postcodes', () => ['80331'], () => '/v1/postcodes/80331?'],
    ['place', () => ['DE', munich()], () => `${DE}/places/${munich()}?`],
    [
      'children',
      () => ['DE', places.resolve('DE', '/bayern/oberbayern')?.id],
      () => `${DE}/places/${places.resolve('DE', '/bayern/oberbayern')?.id}/children?`,
    ],
    ['places', () => ['DE'], () => `${DE}/places?`],
    ['resolve', () => ['DE', '/bayern'], () => `${DE}/resolve?path=/bayern&`],
    ['suggest', () => ['munich'], () => '/v1/autocomplete?q=munich&'],
    ['match', () => ['80331 München'], () => '/v1/match?address=80331+M%C3%BCnchen&'],
    ['reverse', () => [48.1, 11.5], () => '/v1/reverse?lat=48.1&lng=11.5&'],
    ['nearby', () => [{ lat: 48.1, lng: 11.5 }], () => '/v1/nearby?lat=48.1&lng=11.5&'],
    ['distance', () => [`DE:${munich()}`, 'DE:80331'], () => `/v1/distance?from=DE:${munich()}&to=DE:80331&`],
    ['changes', () => ['fixture'], () => '/v1/changes?since=fixture&'],
  ])('%s is the same as over HTTP, by default and by option', async (name, args, target) => {
    const options = (lang: string | readonly string[]): unknown[] => [...args(), { lang }];
    const dataOf = async (query: string): Promise<string> => {
      const { status, body } = await getRaw(server.port, target() + query);
      expect([target() + query, status]).toEqual([target() + query, 200]);
      return body.slice(ENVELOPE_START.length, body.lastIndexOf(',"metadata":'));
    };
    expect(call(withDefault.json, name, args())).toBe(await dataOf('lang=ru,en'));
    for (const lang of ['zh-TW', 'fr,ja']) {
      expect(call(places.json, name, options(lang))).toBe(await dataOf(`lang=${lang}`));
      expect(call(withDefault.json, name, options(lang.split(',')))).toBe(await dataOf(`lang=${lang}`));
    }
    const plain = await dataOf('');
    expect(call(places.json, name, args())).toBe(plain);
    if (name !== 'changes') expect(call(withDefault.json, name, args())).not.toBe(plain);
  });

  test('languages are refused when the snapshot is opened, as by a lookup', async () => {
    const wrong = { code: 'INVALID_ARGUMENT', details: [{ param: 'lang' }] };
    for (const lang of ['*', '', 'de,en,fr,it', [], ['de', 1], 5, null, 'x'.repeat(1 << 20), 'd\ne'] as never[]) {
      await expect(open(named.path, { lang })).rejects.toMatchObject(wrong);
      if (lang !== null && typeof lang !== 'number')
        expect(errorOf(() => places.country('DE', { lang }))).toMatchObject(wrong);
    }
    // Answers without names have no languages.
    expect(withDefault.check('DE', '80331')).toEqual(places.check('DE', '80331'));
  });
});
