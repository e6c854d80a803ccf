/**
 * Bulk requests: each lookup is answered as the request that asks for it alone, in order, in one envelope or line by
 * line; what they cost, and what they are refused for. test/api/bulk-bodies.test.ts has the bodies that are refused.
 */

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import request from 'supertest';
import { createRate } from '../../src/base/rate-limit.js';
import { service } from '../../src/core/answers/service.js';
import { openSnapshot } from '../../src/core/snapshot/snapshot.js';
import type { Admission } from '../../src/keys/decision/key-decision.js';
import { buildFixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { NAMED_ROWS } from '../fixtures/named-release.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { document, operationWith } from './described-answers.js';
import {
  bulkHead,
  decide,
  GOOD_KEY,
  getRaw,
  PLAN,
  postLookups,
  startServer,
  type TestServer,
  UUID,
  utf8,
} from './harness.js';

interface Entry {
  readonly statusCode: number;
  readonly data?: unknown;
  readonly error?: { readonly message: string; readonly code: string };
}

/** Of what the key was asked for: nothing at first, then for what the request costs. */
const costs: number[] = [];
const gate = {
  check(key: string | undefined, cost?: number) {
    costs.push(cost ?? 1);
    return decide(key, cost);
  },
};

let fake: TestServer;
let real: TestServer;
beforeAll(async () => {
  fake = await startServer(gate);
  real = await startServer(undefined, undefined, service);
  real.snapshot = openSnapshot(await sharedStarterSnapshot());
});
afterAll(async () => {
  await fake?.close();
  await real?.close();
});

/** An unlimited key is asked for, so that every number of lookups is allowed. */
async function ask(lookups: readonly unknown[], shared: object = {}, port = real.port): Promise<Entry[]> {
  const { status, body } = await postLookups(port, { ...shared, lookups }, { key: 'unlimited-key' });
  const envelope = JSON.parse(body);
  expect([status, Object.keys(envelope)]).toEqual([200, ['statusCode', 'data', 'metadata']]);
  expect(envelope).toMatchObject({ statusCode: 200, metadata: { correlationId: expect.stringMatching(UUID) } });
  return envelope.data;
}

/** What a GET answers, as an entry. */
async function entryOf(target: string): Promise<Entry> {
  const { metadata: _, ...entry } = JSON.parse((await getRaw(real.port, target)).body);
  return entry;
}

const BERLIN = '/v1/countries/DE';
const REVERSE = '/v1/reverse?lat=48.1&lng=11.5&lang=ja';

describe('a lookup is answered as the request for it alone', () => {
  test('in the languages that stand beside the lookups, or its own', async () => {
    const fixture = await buildFixtureSnapshot(NAMED_ROWS);
    const before = real.snapshot;
    try {
      real.snapshot = openSnapshot(fixture.path);
      const lookups = [{ country: 'DE', postcode: '80333' }, { q: 'munich' }, { lat: 48.1, lng: 11.5, lang: 'ja' }];
      const targets = [`${BERLIN}/postcodes/80333?lang=ru`, '/v1/autocomplete?q=munich&lang=ru', REVERSE];
      const entries = await ask(lookups, { lang: 'ru' });
      expect(entries).toEqual(await Promise.all(targets.map(entryOf)));
      expect(JSON.stringify(entries[0])).toContain('Мюнхэн');
      expect(await ask([{ q: 'munich', lang: '*' }])).toMatchObject([{ statusCode: 400 }]);
    } finally {
      real.snapshot = before;
      fixture.cleanup();
    }
  });

  test.each<[lookup: object, target: string, status: number]>([
    [{ country: 'DE', postcode: '10115' }, `${BERLIN}/postcodes/10115`, 200],
    [{ country: 'DE', postcode: 10115 }, `${BERLIN}/postcodes/10115`, 200],
    [{ country: 'de', postcode: ' 10115 ' }, '/v1/countries/de/postcodes/%2010115%20', 200],
    [{ country: 'DE', postcode: 'NONE' }, `${BERLIN}/postcodes/NONE`, 404],
    [{ country: 'DE', postcode: 'é+%/?&#' }, `${BERLIN}/postcodes/${encodeURIComponent('é+%/?&#')}`, 404],
    [{ country: 'DE', postcode: 'a\0b' }, `${BERLIN}/postcodes/a%00b`, 400],
    [{ country: 'DE', postcode: 'x'.repeat(21) }, `${BERLIN}/postcodes/${'x'.repeat(21)}`, 400],
    [{ lat: 52.53, lng: 13.38, country: 'DE' }, '/v1/reverse?lat=52.53&lng=13.38&country=DE', 200],
    [{ lat: '52.53', lng: '13.38' }, '/v1/reverse?lat=52.53&lng=13.38', 200],
    [{ lat: 52.53, lng: 13.38, country: null }, '/v1/reverse?lat=52.53&lng=13.38', 200],
    [{ lat: 0.0000001, lng: -0, country: 'DE' }, '/v1/reverse?lat=0.0000001&lng=0&country=DE', 404],
    [{ lat: 52.53 }, '/v1/reverse?lat=52.53', 400],
    [{ lng: 13.38 }, '/v1/reverse?lng=13.38', 400],
    [{ lat: 1e21, lng: 13.38 }, '/v1/reverse?lat=1e%2B21&lng=13.38', 400],
    [{ country: 'DE', path: '/berlin/berlin-stadt' }, `${BERLIN}/resolve?path=/berlin/berlin-stadt`, 200],
    [
      { country: 'DE', id: '9a4c075d-07c8-5f9c-bf7e-b1cb64fff754' },
      `${BERLIN}/places/9a4c075d-07c8-5f9c-bf7e-b1cb64fff754`,
      200,
    ],
    [{ country: 'DE', postcode: '10115', include: 'city' }, `${BERLIN}/postcodes/10115?include=city`, 200],
    [{ q: 'ber', country: 'DE', limit: 2 }, '/v1/autocomplete?q=ber&country=DE&limit=2', 200],
    [{ q: '10115 Berlin', country: 'DE' }, '/v1/autocomplete?q=10115+Berlin&country=DE', 200],
    [{ lat: 48.1, lng: 11.6, q: 'ber' }, '/v1/autocomplete?q=ber&lat=48.1&lng=11.6', 200],
    [
      { q: 'ber', kinds: 'place,country', include: 'place', types: 'locality', lat: 48.1, lng: 11.6 },
      '/v1/autocomplete?q=ber&kinds=place,country&include=place&types=locality&lat=48.1&lng=11.6',
      200,
    ],
    [{ address: 'Linden 77, 10117 Berlin' }, '/v1/match?address=Linden+77,+10117+Berlin', 200],
    [
      { address: 'Linden 77\n10117 Berlin', country: 'DE', include: 'codes', lang: 'ja' },
      '/v1/match?address=Linden+77%0A10117+Berlin&country=DE&include=codes&lang=ja',
      200,
    ],
    [{ address: 'nowhere' }, '/v1/match?address=nowhere', 200],
    [{ address: 'nowhere', country: 'QQ' }, '/v1/match?address=nowhere&country=QQ', 404],
    [{ address: 'a\tb' }, '/v1/match?address=a%09b', 400],
    [{ q: 'ber', lat: 48.1 }, '/v1/autocomplete?q=ber&lat=48.1', 400],
    [{ q: 'ber', lat: 91, lng: 11.6 }, '/v1/autocomplete?q=ber&lat=91&lng=11.6', 400],
    // What no parameter is called is ignored, as it is in a query string.
    [
      { country: 'DE', postcode: '10115', name: 'x', note: { a: [1] }, __proto__: null },
      `${BERLIN}/postcodes/10115`,
      200,
    ],
  ])('%j', async (lookup, target, status) => {
    const expected = await entryOf(target);
    expect(expected.statusCode).toBe(status);
    expect(await ask([lookup])).toEqual([expected]);
  });

  test('any values, in one request', async () => {
    const value = fc.oneof(
      fc.constantFrom('DE', 'LI', 'QQ', 'any', '10115', '9490', '/berlin', 'ber', 'Vaduz', ''),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.integer({ min: -100, max: 100 }),
      fc.double({ min: -1e3, max: 1e3, noNaN: true }).map((number) => Number(number.toFixed(3))),
      fc.boolean(),
    );
    const pathOf = (template: string, lookup: Record<string, unknown>): string =>
      template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(lookup[name])));
    const shapes: readonly [keys: string[], template: string][] = [
      [['country', 'postcode'], '/v1/countries/:country/postcodes/:postcode'],
      [['country', 'id'], '/v1/countries/:country/places/:id'],
      [['country', 'path'], '/v1/countries/:country/resolve'],
      [['lat', 'lng', 'country'], '/v1/reverse'],
      [['q', 'country', 'limit'], '/v1/autocomplete'],
      [['address', 'country'], '/v1/match'],
    ];
    const lookup = fc
      .constantFrom(...shapes)
      .chain(([keys, template]) =>
        fc.record(Object.fromEntries(keys.map((key) => [key, value]))).map((values) => ({ keys, template, values })),
      )
      // An empty segment is another path.
      .filter(({ template, values }) => !/\/\/|\/$|\/\.{1,2}(\/|$)/.test(pathOf(template, values)));
    await fc.assert(
      fc.asyncProperty(fc.array(lookup, { minLength: 1, maxLength: 12 }), async (lookups) => {
        const targets = lookups.map(({ keys, template, values }) => {
          const inQuery = keys.filter((key) => !template.includes(`:${key}`));
          const query = inQuery.map((key) => `${key}=${encodeURIComponent(String(values[key]))}`).join('&');
          return `${pathOf(template, values)}${query === '' ? '' : `?${query}`}`;
        });
        const expected = await Promise.all(targets.map(entryOf));
        expect(await ask(lookups.map(({ values }) => values))).toEqual(expected);
      }),
      { numRuns: 40, seed: 20_261_123 },
    );
  });
});

const SHAPES =
  'a lookup must be an object with exactly one of postcode, lat and lng, path, id, address, q; ' +
  'beside q, lat and lng are a point to favour';

const SCALAR = 'a text, a number, true or false';
const COUNTRY = 'a two-letter ISO 3166-1 alpha-2 country code';

test('a parameter beside the lookups is for those that have it; a misspelt one is a fault where it is near', async () => {
  const lookups = [{ postcode: '10115' }, { q: 'ber' }, { q: 'ber', limit: 2, row: 7 }];
  const counts = (entries: Entry[]): unknown[] => entries.map(({ data }) => (Array.isArray(data) ? data.length : 1));
  expect(counts(await ask(lookups, { country: 'DE', limit: 1, kinds: 'place', batch: 'a' }))).toEqual([1, 1, 2]);
  const refused = await ask(lookups, { country: 'DE', limt: 1 });
  expect(refused.map(({ statusCode }) => statusCode)).toEqual([200, 400, 400]);
});

describe('a lookup of its own fault', () => {
  test.each<[lookup: unknown, message: string, param?: string, expected?: string]>([
    [{}, SHAPES],
    [{ country: 'DE' }, SHAPES],
    [{ postcode: null, country: 'DE' }, SHAPES],
    [[], SHAPES],
    [null, SHAPES],
    ['10115', SHAPES],
    [7, SHAPES],
    [{ postcode: '10115', q: 'ber', country: 'DE' }, SHAPES],
    [{ id: 'x', path: '/x', country: 'DE' }, SHAPES],
    [{ address: '10115 Berlin', q: 'ber' }, SHAPES],
    [{ postcode: '10115', lat: 48.1, lng: 11.6, country: 'DE' }, SHAPES],
    [{ postcode: '10115', q: 'ber', lat: 48.1, lng: 11.6, country: 'DE' }, SHAPES],
    [{ postcode: ['10115'], country: 'DE' }, `postcode must be ${SCALAR}`, 'postcode', SCALAR],
    [{ q: 'ber', limit: {} }, `limit must be ${SCALAR}`, 'limit', SCALAR],
    [
      { postcode: '\ud800', country: 'DE' },
      '"postcode" has half of a surrogate pair',
      'postcode',
      'well-formed Unicode',
    ],
    [{ q: 'ber', '\udfff': 1 }, '"\\udfff" has half of a surrogate pair', '\udfff', 'well-formed Unicode'],
    [{ postcode: '10115' }, `country is required (${COUNTRY})`, 'country', COUNTRY],
    [
      { q: 'ber', limt: 1 },
      'limt is not a parameter of this endpoint; did you mean limit?',
      ...(['limt', 'limit'] as const),
    ],
    [
      { postcode: '10115', country: 'DE', limit: [] },
      'limit is a parameter of other endpoints; this one takes include, lang, format',
      ...(['limit', 'include, lang, format'] as const),
    ],
  ])('%j', async (lookup, message, param = 'lookups', expected = SHAPES.slice('a lookup must be '.length)) => {
    const [fault, good] = await ask([lookup, { country: 'DE', postcode: '10115' }]);
    expect(fault).toEqual({
      statusCode: 400,
      error: { code: 'VALIDATION_FAILED', message, details: [{ param, message, expected }] },
    });
    expect(good?.statusCode).toBe(200);
  });

  test('a defect is told of its lookup alone, and logged with the correlation id', async () => {
    const entries = await ask(
      [
        { country: 'YY', postcode: '1' },
        { country: 'LI', postcode: '1' },
      ],
      {},
      fake.port,
    );
    expect(entries).toMatchObject([{ statusCode: 500, error: { code: 'INTERNAL_ERROR' } }, { statusCode: 200 }]);
    expect(fake.failureCount).toBe(1);
    expect(JSON.stringify(entries)).not.toContain('secret');
    expect(fake.logged.splice(0)).toMatchObject([{ correlationId: expect.stringMatching(UUID), route: '/v1/bulk' }]);
  });
});

test('what stands beside the lookups is for each that has none of its own', async () => {
  const entries = await ask(
    [{ postcode: '10115' }, { postcode: '9490', country: 'LI' }, { q: 'ber' }, { postcode: '10115', country: null }],
    { country: 'DE', limit: 1, postcode: '1', ignored: [1] },
  );
  expect(entries.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  expect(entries[0]).toEqual(entries[3]);
  expect(entries[2]?.data).toHaveLength(1);
});

test('a thousand lookups, answered in their order from one snapshot', async () => {
  const before = fake.snapshotsTaken;
  fake.asked.splice(0);
  const lookups = Array.from({ length: 1_000 }, (_, index) => ({ country: 'LI', postcode: index }));
  expect(await ask(lookups, {}, fake.port)).toHaveLength(1_000);
  expect(fake.asked.map(({ input }) => input)).toEqual(
    lookups.map(({ country, postcode }) => ({ country, postcode: String(postcode) })),
  );
  expect(fake.snapshotsTaken).toBe(before + 1);
});

describe('the form of the answer', () => {
  const LOOKUPS = [{ postcode: '10115' }, { postcode: 'NONE' }, { q: 'München' }];

  test('one entry a line with format=ndjson', async () => {
    const body = { country: 'DE', lookups: LOOKUPS };
    const lines = await postLookups(real.port, body, { query: '?format=ndjson', key: 'unlimited-key' });
    const whole = await postLookups(real.port, body, { query: '?format=json', key: 'unlimited-key' });
    expect(lines.head).toMatch(/\r\ncontent-type: application\/x-ndjson(?:\r\n|$)/i);
    expect(whole.head).toMatch(/\r\ncontent-type: application\/json; charset=utf-8(?:\r\n|$)/i);
    const entries = lines.body.split('\n');
    expect(entries.pop()).toBe('');
    expect(entries.map((line) => JSON.parse(line))).toEqual(JSON.parse(whole.body).data);
    for (const { head } of [lines, whole]) {
      expect(head).toMatch(/\r\ncache-control: no-store\r\n/i);
      expect(head).not.toMatch(/\r\netag:/i);
    }
  });

  test('a long one is sent in chunks, which together are the same', async () => {
    const lookups = Array.from({ length: 400 }, () => ({ country: 'DE', postcode: '10115' }));
    const [single] = await ask(lookups.slice(0, 1));
    const { head, body } = await postLookups(real.port, { lookups }, { key: 'unlimited-key' });
    expect(head).toMatch(/\r\ntransfer-encoding: chunked(?:\r\n|$)/i);
    expect(JSON.parse(body).data).toEqual(lookups.map(() => single));
  });

  test.each([{ query: '?format=geojson' }, { headers: 'accept: application/geo+json\r\n' }])(
    'one collection of features with %j',
    async (sent) => {
      const lookups = [...LOOKUPS, { id: 'x' }, { q: 'qqqq' }, { lat: 48.1, lng: 11.5 }, { q: 'a', format: 'csv' }];
      const shared = { country: 'DE', limit: 2 };
      const { head, body } = await postLookups(real.port, { ...shared, lookups }, { ...sent, key: 'unlimited-key' });
      expect(head).toMatch(/\r\ncontent-type: application\/geo\+json(?:\r\n|$)/i);
      expect(/\r\nvary: Accept\r\n/i.test(`${head}\r\n`)).toBe('headers' in sent);
      const { type, features, metadata } = JSON.parse(body);
      expect([type, metadata]).toEqual(['FeatureCollection', { correlationId: expect.stringMatching(UUID) }]);
      const found = await ask(
        [...LOOKUPS.slice(0, 2), { q: 'München', include: 'place' }, ...lookups.slice(3, 6)],
        shared,
      );
      const rows = found.flatMap(({ data, ...error }, lookup) => {
        const { places, place, ...more } = (data ?? {}) as { places?: object[]; place?: object };
        if (data === undefined) return [{ ...error, lookup }];
        if (place !== undefined) return [{ ...place, ...more, lookup }];
        return (places ?? (data as object[])).map((row) => ({ ...row, lookup }));
      });
      const refused = { statusCode: 400, error: expect.objectContaining({ code: 'VALIDATION_FAILED' }), lookup: 6 };
      expect(features.map(({ properties }: { properties: object }) => properties)).toEqual([...rows, refused]);
      for (const { geometry, properties } of features) {
        const { longitude, latitude, error } = properties;
        expect(geometry).toEqual(error ? null : { type: 'Point', coordinates: [longitude, latitude] });
      }
    },
  );

  test('lookups without any feature are an empty collection, and many are sent in chunks', async () => {
    const sent = { query: '?format=geojson', key: 'unlimited-key' };
    const none = await postLookups(real.port, { lookups: [{ q: 'qqqq' }, { q: 'qqqq' }] }, sent);
    expect(JSON.parse(none.body)).toMatchObject({ type: 'FeatureCollection', features: [] });
    const lookups = Array.from({ length: 400 }, (_, at) =>
      at % 2 ? { q: 'qqqq' } : { country: 'DE', postcode: '10115' },
    );
    const { head, body } = await postLookups(real.port, { lookups }, sent);
    expect(head).toMatch(/\r\ntransfer-encoding: chunked(?:\r\n|$)/i);
    expect(JSON.parse(body).features).toHaveLength(200);
  });

  test('a format beside the lookups is refused: it stands in the URL', async () => {
    const { status, body } = await postLookups(real.port, { lookups: LOOKUPS, format: 'geojson' });
    expect([status, JSON.parse(body).error.details]).toMatchObject([400, [{ param: 'format' }]]);
  });

  test('another format is refused', async () => {
    const { status, body } = await postLookups(real.port, { lookups: LOOKUPS }, { query: '?format=xml' });
    expect([status, JSON.parse(body).error.message]).toEqual([
      400,
      'format must be json, ndjson or geojson; got "xml"',
    ]);
  });
});

describe('what it costs', () => {
  const lookupsOf = (count: number) => Array.from({ length: count }, () => ({ country: 'LI', postcode: '9490' }));

  test.each<
    [name: string, key: string | undefined, count: number, status: number, code: string | undefined, costs: number[]]
  >([
    ['as many as it has lookups', GOOD_KEY, 7, 200, undefined, [0, 7]],
    ['the whole burst', GOOD_KEY, 10, 200, undefined, [0, 10]],
    ['nothing, above the burst', GOOD_KEY, 11, 400, 'VALIDATION_FAILED', [0]],
    ['nothing, with an unknown key', 'nobody', 7, 401, 'SERVICE_API_KEY_INVALID', [0]],
    ['nothing, with a revoked key', 'revoked-key', 7, 401, 'SERVICE_API_KEY_REVOKED', [0]],
    ['nothing where no quota is left', 'spent-key', 1, 429, 'SERVICE_QUOTA_EXCEEDED', [0]],
    ['nothing where no rate is left', 'hasty-key', 1, 429, 'SERVICE_RATE_LIMITED', [0]],
    ['nothing where too little rate is left', 'busy-key', 5, 429, 'SERVICE_RATE_LIMITED', [0, 5]],
    ['what is left of the rate', 'busy-key', 4, 200, undefined, [0, 4]],
    ['nothing where too little quota is left', 'low-key', 3, 429, 'SERVICE_QUOTA_EXCEEDED', [0, 3]],
    ['what is left of the quota', 'low-key', 2, 200, undefined, [0, 2]],
    ['one where the body is refused', GOOD_KEY, 0, 400, 'VALIDATION_FAILED', [0, 1]],
  ])('%s', async (_, key, count, status, code, expected) => {
    costs.splice(0);
    const { status: answered, head, body } = await postLookups(fake.port, { lookups: lookupsOf(count) }, { key });
    expect([answered, JSON.parse(body).error?.code]).toEqual([status, code]);
    expect(costs).toEqual(expected);
    if (status === 429) expect(head).toMatch(/\r\nretry-after: \d+\r\n/i);
    if (status === 429 || status === 200) expect(head).toMatch(/\r\nratelimit: /i);
  });

  test('lookups that count as more of the rate than the plan allows at once are refused, and not counted', async () => {
    costs.splice(0);
    const [line, name] = [{ q: '10115 berlin' }, { q: 'ber' }];
    const { status, body } = await postLookups(fake.port, { lookups: [line, line, line, name, name] });
    expect([status, JSON.parse(body).error.message]).toEqual([
      400,
      'lookups must be at most 10, which the plan of this key allows at once; got 5, which count as 11 requests of the rate: send fewer at once',
    ]);
    expect((await postLookups(fake.port, { lookups: [line, line, line, name] })).status).toBe(200);
    expect(costs).toEqual([0, 0, 4]);
  });

  test('more than the share of a process that decides alone is a 429, and a 400 only above the whole plan', async () => {
    const wholePlan = { ...PLAN, rate: createRate({ requestsPerSecond: 2, burst: 40 }) };
    const sharing = await startServer({
      check: (key, cost, caller, rateCost) => ({ ...(decide(key, cost, caller, rateCost) as Admission), wholePlan }),
    });
    const answers = [];
    for (const count of [10, 11, 40, 41]) {
      answers.push(await postLookups(sharing.port, { lookups: lookupsOf(count) }));
    }
    await sharing.close();
    expect(answers.map(({ status }) => status)).toEqual([200, 429, 429, 400]);
    expect(answers[1]?.head).toMatch(/\r\nretry-after: 2\r\n/i);
  });

  test('what is left is told as after the request, and a 429 tells when all of it may come', async () => {
    const { head } = await postLookups(fake.port, { lookups: lookupsOf(7) });
    expect(head).toMatch(/\r\nratelimit: "burst";r=3;t=2, "month";r=993;/i);
    const refused = await postLookups(fake.port, { lookups: lookupsOf(9) }, { key: 'busy-key' });
    expect(refused.head).toMatch(/\r\nretry-after: 10\r\n/i);
    expect(refused.head).toMatch(/\r\nratelimit: "burst";r=4;t=2, /i);
    const tooMany = await postLookups(fake.port, { lookups: lookupsOf(11) });
    expect(JSON.parse(tooMany.body).error.message).toMatch(/at most 10, .* got 11$/);
    expect(tooMany.head).toMatch(/\r\nratelimit: "burst";r=10, /i);
  });

  test.each<[key: string, count: number, message: RegExp]>([
    ['low-key', 3, /takes 3, .*quota .*has 2 left/],
    ['busy-key', 5, /takes 5, .*rate .*allows 4/],
    ['spent-key', 5, /quota .*used up/],
    ['hasty-key', 5, /Too many requests at once/],
  ])('a 429 says whether nothing is left, or too little: %s', async (key, count, message) => {
    const { status, body } = await postLookups(fake.port, { lookups: lookupsOf(count) }, { key });
    expect([status, JSON.parse(body).error.message]).toEqual([429, expect.stringMatching(message)]);
  });

  test('a gate that fails is 503', async () => {
    const failing = await startServer({
      check() {
        throw new Error('the store is gone');
      },
    });
    expect((await postLookups(failing.port, { lookups: lookupsOf(1) })).status).toBe(503);
    await failing.close();
  });
});

describe('methods', () => {
  test.each(['get', 'head', 'put', 'delete'] as const)('%s is 405', async (method) => {
    const response = await request(fake.server)[method]('/v1/bulk').set('x-api-key', GOOD_KEY);
    expect([response.status, response.headers.allow]).toEqual([405, 'POST, OPTIONS']);
  });

  test.each(['/v1/bulk', '/v1/bulk/', '/v1/bulk?format=ndjson'])('browsers may POST JSON to %s', async (path) => {
    const response = await request(fake.server)
      .options(path)
      .set({ origin: 'https://a.example', 'access-control-request-method': 'POST' })
      .set('access-control-request-headers', 'content-type,x-api-key');
    expect(response.status).toBe(204);
    expect(response.headers).toMatchObject({
      allow: 'POST, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': 'x-api-key,content-type',
    });
  });

  test('a trailing slash is tolerated, another spelling is not', async () => {
    const body = { lookups: [{ country: 'LI', postcode: '9490' }] };
    const post = (path: string) => request(fake.server).post(path).set('x-api-key', GOOD_KEY).send(body);
    const statuses = [];
    for (const path of ['/v1/bulk/', '/v1/Bulk', '/v1/b%75lk', '/v1/bulk/x']) statuses.push((await post(path)).status);
    expect(statuses).toEqual([200, 404, 404, 404]);
  });
});

describe('clients that are slow or gone', () => {
  test('while one does not read, its lookups wait, and others are answered', async () => {
    fake.asked.splice(0);
    const body = utf8(JSON.stringify({ lookups: Array.from({ length: 1_000 }, () => ({ q: 'ber', country: 'DE' })) }));
    const socket = connect(fake.port, '127.0.0.1').pause();
    const sent = { key: 'unlimited-key', query: '?format=ndjson' };
    // The answers of a few requests fill every buffer on the way.
    const text = `${bulkHead(body.length, sent)}\r\n${body}`;
    socket.write(text.repeat(12), 'latin1');
    let asked = -1;
    await waitUntil('the lookups to wait', async () => {
      const before = asked;
      asked = fake.asked.length;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return asked > 0 && before === asked;
    });
    expect(fake.asked.length).toBeLessThan(12_000);
    expect(fake.connections.heldBytes()).toBeLessThan(2_000_000);
    expect((await getRaw(fake.port, '/v1/countries')).status).toBe(200);
    socket.destroy();
    await waitUntil('the connection to be gone', async () => fake.connections.openCount() === 0);
    const left = fake.asked.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(fake.asked.length).toBe(left);
  });

  test('one that goes away while its lookups are answered costs no more of them', async () => {
    const lookups = Array.from({ length: 1_000 }, () => ({ country: 'LI', postcode: '1' }));
    const body = utf8(JSON.stringify({ lookups }));
    let leave = (): void => {};
    const slow = await startServer({
      check(key, cost = 1) {
        // The client goes when the request has been counted.
        if (cost > 1) setImmediate(leave);
        return new Promise((resolve) => setTimeout(() => resolve(decide(key, cost)), cost > 1 ? 100 : 0));
      },
    });
    const socket = connect(slow.port, '127.0.0.1').on('error', () => {});
    leave = () => void socket.resetAndDestroy();
    socket.write(`${bulkHead(body.length, { key: 'unlimited-key' })}\r\n${body}`, 'latin1');
    await waitUntil('the client to go', async () => slow.connections.openCount() === 0 && socket.destroyed);
    // Longer than the gate takes to decide.
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(slow.asked).toEqual([]);
    expect((await getRaw(slow.port, '/v1/countries')).status).toBe(200);
    await slow.close();
  });

  test('several keys are served in turn: a short request does not wait for a long one', async () => {
    const order: string[] = [];
    const busy = await startServer(undefined, undefined, {
      ...service,
      findPostcode: (_snapshot, { postcode }) => {
        const endMs = performance.now() + 0.3;
        while (performance.now() < endMs);
        order.push(postcode);
        return JSON.stringify({ countryCode: 'LI', postcode, places: [] });
      },
    });
    const lookupsOf = (postcode: string, count: number) => ({
      lookups: Array.from({ length: count }, () => ({ country: 'LI', postcode })),
    });
    const long = postLookups(busy.port, lookupsOf('LONG', 400), { key: 'unlimited-key' });
    await waitUntil('the long one to begin', async () => order.length > 0);
    await postLookups(busy.port, lookupsOf('SHORT', 2));
    expect(order.length).toBeLessThan(402);
    await long;
    expect(order).toHaveLength(402);
    await busy.close();
  });
});

test('the example of the description is what the server answers', async () => {
  const { requestBody, responses } = operationWith('bulk');
  const example = requestBody?.content['application/json']?.example as object;
  const { status, body } = await postLookups(real.port, example);
  const described = (responses[200] as { content: Record<string, { example: object }> }).content['application/json'];
  expect(status).toBe(200);
  expect({ ...JSON.parse(body), metadata: {} }).toEqual({ ...described?.example, metadata: {} });
  expect(document.paths['/v1/bulk']).toHaveProperty('post');
});
