/** The envelope, headers, methods, keys, conditional requests and errors that all endpoints share. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { type ErrorCode, statusOfCode } from '../../src/api/description/error-codes.js';
import { routes } from '../../src/api/description/routes.js';
import { decide, fakeSnapshot, GOOD_KEY, PLACE_ID, startServer, type TestServer, UUID } from './harness.js';

let running: TestServer;
beforeAll(async () => {
  running = await startServer();
});
afterEach(() => {
  running.snapshot = fakeSnapshot('2026-03');
  running.logged.length = 0;
});
afterAll(() => running.close());

const get = (url: string, key = GOOD_KEY) => request(running.server).get(url).set('x-api-key', key);

const targets = [
  '/v1/countries',
  '/v1/countries/DE',
  '/v1/countries/DE/places',
  `/v1/countries/DE/places/${PLACE_ID}`,
  `/v1/countries/DE/places/${PLACE_ID}/children`,
  '/v1/countries/DE/resolve?path=/a',
  '/v1/countries/DE/postcodes/10115',
  '/v1/autocomplete?q=berlin',
  '/v1/reverse?lat=1&lng=2',
  '/v1/nearby?lat=1&lng=2',
  '/v1/distance?from=DE:10115&to=US:90210',
  `/v1/countries/DE/places/${PLACE_ID}/postcodes`,
  '/v1/countries/DE/postcodes/10115/check',
  '/v1/postcodes/10115?country=DE',
  '/v1/match?address=10115%20Berlin',
  '/v1/changes?since=2024-04&country=DE',
];

test('these are all routes', () => {
  expect(routes.map(({ path }) => path)).toHaveLength(targets.length);
});

describe.each(targets)('%s', (url) => {
  test('success is exactly the envelope, with its headers', async () => {
    const response = await get(url);
    const id = response.headers['x-correlation-id'];
    expect(id).toMatch(UUID);
    expect(response.status).toBe(200);
    expect(response.text).toBe(
      `{"statusCode":200,"data":${JSON.stringify(response.body.data)},"metadata":{"correlationId":"${id}"}}`,
    );
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(response.text)),
      'cache-control': 'private, max-age=3600',
      etag: expect.stringMatching(/^W\/"feedc0defeedc0de-[\da-f]{16}"$/),
      'x-dataset-release': '2026-03',
      'access-control-allow-origin': '*',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers['access-control-expose-headers']).toBe(
      'x-correlation-id,x-dataset-release,ETag,Retry-After,RateLimit,RateLimit-Policy,x-total-count,Link',
    );
    expect(response.headers).not.toHaveProperty('x-powered-by');
    expect(response.headers).not.toHaveProperty('strict-transport-security');
  });

  test('HEAD has the headers of GET and no body', async () => {
    const [head, full] = await Promise.all([request(running.server).head(url).set('x-api-key', GOOD_KEY), get(url)]);
    expect([head.status, head.text]).toEqual([200, undefined]);
    for (const name of ['content-length', 'content-type', 'etag', 'cache-control']) {
      expect([name, head.headers[name]]).toEqual([name, full.headers[name]]);
    }
  });

  test('needs a key, before its parameters are looked at', async () => {
    const response = await request(running.server).get(url.replace('DE', 'germany'));
    expect([response.status, response.body.error.code]).toEqual([401, 'SERVICE_API_KEY_MISSING']);
  });

  test('other methods are 405', async () => {
    for (const method of ['post', 'put', 'patch', 'delete'] as const) {
      const response = await request(running.server)[method](url).send({ a: 1 });
      expect([response.status, response.body.error.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
      expect(response.headers.allow).toBe('GET, HEAD, OPTIONS');
    }
  });

  test('the preflight allows the key header and costs no key', async () => {
    const response = await request(running.server)
      .options(url)
      .set({ origin: 'https://a.example', 'access-control-request-method': 'GET' });
    expect([response.status, response.text]).toEqual([204, '']);
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': 'x-api-key',
      'access-control-max-age': '86400',
      'x-content-type-options': 'nosniff',
      allow: 'GET, HEAD, OPTIONS',
    });
    expect(response.headers['access-control-expose-headers']).toContain('RateLimit-Policy');
  });
});

describe('conditional requests', () => {
  const url = '/v1/countries/DE?a=1';

  test.each([
    ['the tag', (tag: string) => tag],
    ['the tag, strong', (tag: string) => tag.slice(2)],
    ['a list', (tag: string) => `"a", W/"b,c" ,${tag}`],
    ['a star', () => '*'],
  ])('%s is answered 304', async (_name, header) => {
    const { etag = '' } = (await get(url)).headers;
    const response = await get(url).set('if-none-match', header(etag));
    expect([response.status, response.text]).toEqual([304, '']);
    expect(response.headers).toMatchObject({ etag, 'cache-control': 'private, max-age=3600' });
    expect(response.headers['x-correlation-id']).toMatch(UUID);
    expect(response.headers).not.toHaveProperty('content-length');
  });

  test('the tag changes with the URL and with the snapshot, and with nothing else', async () => {
    const tagOf = async (target: string) => (await get(target)).headers.etag;
    const tag = await tagOf(url);
    expect(await tagOf(url)).toBe(tag);
    expect(await tagOf('/v1/countries/DE?a=2')).not.toBe(tag);
    running.snapshot = fakeSnapshot('2026-04', '0123456789abcdef'.repeat(4));
    expect(await tagOf(url)).not.toBe(tag);
    expect((await get(url).set('if-none-match', String(tag))).status).toBe(200);
  });

  test('the tag is that of earlier versions, so that clients keep what they have', async () => {
    running.snapshot = fakeSnapshot('2026-03');
    const { etag } = (await get('/v1/countries?hasPostcodes=true')).headers;
    expect(etag).toBe('W/"feedc0defeedc0de-d253896e4af8157a"');
  });

  test('an error is no 304', async () => {
    expect((await get('/v1/countries/XX').set('if-none-match', '*')).status).toBe(404);
  });
});

describe('errors', () => {
  test.each<[authorization: string, message: string]>([
    [`Bearer ${GOOD_KEY}`, 'The API key came in the Authorization header; send it as x-api-key: YOUR_KEY instead.'],
    [`bearer ${GOOD_KEY}`, 'The API key came in the Authorization header; send it as x-api-key: YOUR_KEY instead.'],
    ['Basic dTpw', 'No API key was sent; send it in the x-api-key header.'],
  ])('a key as %s is not sent', async (authorization, message) => {
    const ask = request(running.server).get('/v1/countries').set({ authorization });
    const { status, body } = await ask;
    expect([status, body.error]).toEqual([401, { message, code: 'SERVICE_API_KEY_MISSING' }]);
    const both = request(running.server).get('/v1/countries').set({ authorization, 'x-api-key': GOOD_KEY });
    expect((await both).status).toBe(200);
  });

  test.each<[key: string | undefined, code: string]>([
    [undefined, 'SERVICE_API_KEY_MISSING'],
    ['wrong', 'SERVICE_API_KEY_INVALID'],
    [`${GOOD_KEY}, ${GOOD_KEY}`, 'SERVICE_API_KEY_INVALID'],
    ['revoked-key', 'SERVICE_API_KEY_REVOKED'],
    ['expired-key', 'SERVICE_API_KEY_EXPIRED'],
  ])('key %s is %s', async (key, code) => {
    const response = await request(running.server)
      .get('/v1/countries')
      .set(key === undefined ? {} : { 'x-api-key': key });
    expect(response.body).toEqual({
      statusCode: 401,
      error: { message: expect.any(String), code },
      metadata: { correlationId: response.headers['x-correlation-id'] },
    });
    expect(response.headers['www-authenticate']).toContain('ApiKey');
  });

  test('the body is exactly the envelope, never to be stored', async () => {
    const response = await get('/v1/countries/XX');
    expect(response.body).toEqual({
      statusCode: 404,
      error: { message: 'No country has the code XX.', code: 'COUNTRY_NOT_FOUND' },
      metadata: { correlationId: expect.stringMatching(UUID) },
    });
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'x-correlation-id': response.body.metadata.correlationId,
      'x-dataset-release': '2026-03',
      'access-control-allow-origin': '*',
    });
    expect(response.headers).not.toHaveProperty('etag');
  });

  test.each([
    '/v1',
    '/v1/',
    '/V1/countries',
    '/v1/countrie',
    '/v1//countries',
    '/v1/countries//',
    '/v2/countries',
    '/v1/countries/DE/postcodes/',
    '/v1/%zz',
    '/%E2',
    '//example.test/v1/countries',
  ])('unknown route %s is 404 without a key', async (url) => {
    const response = await request(running.server).get(url);
    expect([response.status, response.body.error.code]).toEqual([404, 'ROUTE_NOT_FOUND']);
    expect((await request(running.server).post(url)).status).toBe(404);
  });

  test('an unexpected failure is logged with its id, counted, and told without details', async () => {
    await get('/v1/countries/QQ');
    expect(running.failureCount).toBe(0);
    const response = await get('/v1/countries/YY');
    expect([response.status, response.body.error.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(running.failureCount).toBe(1);
    expect(response.text).not.toMatch(/secret|\bat \S+:\d+/);
    expect(running.logged).toEqual([
      expect.objectContaining({ correlationId: response.body.metadata.correlationId, err: expect.any(Error) }),
    ]);
  });

  test('every code of the contract has its status', () => {
    // Section 7 of the interface specification, line for line.
    const contract: [number, ErrorCode][] = [
      [400, 'VALIDATION_FAILED'],
      [401, 'SERVICE_API_KEY_MISSING'],
      [401, 'SERVICE_API_KEY_INVALID'],
      [401, 'SERVICE_API_KEY_REVOKED'],
      [401, 'SERVICE_API_KEY_EXPIRED'],
      [404, 'COUNTRY_NOT_FOUND'],
      [404, 'NO_POSTCODE_DATA'],
      [404, 'PLACE_NOT_FOUND'],
      [404, 'POSTCODE_NOT_FOUND'],
      [404, 'NO_NEARBY_PLACE'],
      [429, 'SERVICE_RATE_LIMITED'],
      [429, 'SERVICE_QUOTA_EXCEEDED'],
    ];
    expect(contract.map(([, code]) => [statusOfCode[code], code])).toEqual(contract);
  });
});

describe('gates', () => {
  test('one that answers later works like one that answers at once', async () => {
    const later = await startServer({ check: async (key) => decide(key) });
    expect((await request(later.server).get('/v1/countries').set('x-api-key', GOOD_KEY)).status).toBe(200);
    expect((await request(later.server).get('/v1/countries')).body.error.code).toBe('SERVICE_API_KEY_MISSING');
    expect((await request(later.server).get('/v1/countries/1').set('x-api-key', GOOD_KEY)).status).toBe(400);
    await later.close();
  });

  test.each<[how: string, check: () => Promise<never>]>([
    [
      'throws',
      () => {
        throw new Error('store gone');
      },
    ],
    ['rejects', () => Promise.reject(new Error('store gone'))],
  ])('one that %s is 503 with Retry-After', async (_how, check) => {
    const broken = await startServer({ check });
    const response = await request(broken.server).get('/v1/countries').set('x-api-key', GOOD_KEY);
    expect([response.status, response.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(response.headers['retry-after']).toBe('2');
    expect(response.text).not.toContain('store gone');
    expect(broken.logged).toHaveLength(1);
    await broken.close();
  });

  test('an outage fills no log: one failed check a second is told', async () => {
    const broken = await startServer({ check: () => Promise.reject(new Error('store gone')) });
    const ask = () => request(broken.server).get('/v1/countries').set('x-api-key', GOOD_KEY);
    for (let round = 0; round < 5; round++) expect((await ask()).status).toBe(503);
    expect(broken.logged.length).toBeLessThan(5);
    expect(broken.logged[0]).toMatchObject({ unloggedCount: 0 });
    await broken.close();
  });
});

describe('a key that somebody put into the URL is not logged', () => {
  const KEY = 'pp_000g40r40m30e209185gr38e1w8124gk0yckx37';
  const encoded = Array.from(KEY, (letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');

  test.each<[name: string, path: string, logged: string]>([
    ['as it is', `YY?x-api-key=${KEY}`, 'YY?x-api-key=pp_…'],
    ['cut', `YY?key=${KEY.slice(0, 20)}`, 'YY?key=pp_…'],
    ['in capitals', `YY?key=${KEY.toUpperCase()}`, 'YY?key=pp_…'],
    ['with an encoded prefix', `YY?k=${KEY.replace('_', '%5F')}`, 'YY?k=pp%5F…'],
    ['with a letter encoded', `YY?k=%70${KEY.slice(1)}`, 'YY?k=%70p_…'],
    ['encoded altogether', `YY?k=${encoded}`, 'YY?k=%70%70%5f…'],
    ['without its prefix', `YY?k=${KEY.slice(3)}`, 'YY?k=…'],
    ['with another prefix', `YY?k=pp-${KEY.slice(3)}`, 'YY?k=pp-…'],
    ['broken', `YY?k=${KEY.slice(0, 20)}+${KEY.slice(20)}`, 'YY?k=pp_…+…'],
  ])('%s', async (_name, path, logged) => {
    await get(`/v1/countries/${path}`);
    expect(running.logged).toMatchObject([{ url: `/v1/countries/${logged}` }]);
  });

  test('what is no key stays', async () => {
    const path = 'YY/places/2ed4ba59-ae93-5353-9396-7dcfa5674641?q=llanfairpwllgwyngyll%20gogerychwyrndrobwll';
    await get(`/v1/countries/${path}`);
    expect(running.logged).toMatchObject([{ url: `/v1/countries/${path}` }]);
  });
});

describe('snapshots', () => {
  test('a request takes the current one once and keeps it', async () => {
    let release = (): void => {};
    const held = await startServer({
      check: (key) => new Promise((resolve) => (release = () => resolve(decide(key)))),
    });
    const pending = request(held.server)
      .get('/v1/countries')
      .set('x-api-key', GOOD_KEY)
      .then((response) => response);
    while (held.snapshotsTaken === 0) await new Promise(setImmediate);
    held.snapshot = fakeSnapshot('2026-04');
    release();
    expect((await pending).headers['x-dataset-release']).toBe('2026-03');
    expect(held.snapshotsTaken).toBe(1);
    await held.close();
  });

  test('a release of any name fits a header', async () => {
    running.snapshot = fakeSnapshot('März 2026\r\nx: 😀');
    const response = await get('/v1/countries');
    expect(response.headers['x-dataset-release']).toBe('M%C3%A4rz%202026%0D%0Ax:%20%F0%9F%98%80');
  });
});
