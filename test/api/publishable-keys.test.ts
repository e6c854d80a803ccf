/**
 * Publishable keys over HTTP, with a real key store: where the key may come from, what a page of another origin gets, which
 * pages may read an answer, and whose request it is. Whatever the server answers is held against the description.
 */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { openEmbeddedKeyStore } from '../../src/keys/decision/embedded-key-store.js';
import { KeyBatcher, type KeyGate } from '../../src/keys/decision/key-batcher.js';
import type { KeyStore } from '../../src/keys/decision/key-store.js';
import { createApiKey, digestApiKey } from '../../src/keys/key/api-key.js';
import { changeKeyToRevoked } from '../../src/keys/key/key-changes.js';
import { createKeyRecord, type KeyRecord } from '../../src/keys/key/key-record.js';
import { createPlanFinder, parsePlans } from '../../src/keys/key/plan.js';
import { NO_USAGE } from '../../src/keys/key/usage-counts.js';
import { createAccessLog } from '../../src/process/serving/access-log.js';
import { HOSTILE_ORIGINS, OWN_ORIGINS, RESTRICTIONS, SHOP } from '../keys/key/origin-cases.js';
import { createTemporaryFolders } from '../keys/temporary-folders.js';
import { getRaw, startServer, type TestServer } from './harness.js';

const NOW = Date.parse('2024-02-29T12:00:00.000Z');
const PLANS = parsePlans(
  JSON.stringify({
    free: { requestsPerMonth: 1_000, requestsPerSecond: null, burst: null },
    small: { requestsPerMonth: 2, requestsPerSecond: null, burst: null },
    slow: { requestsPerMonth: null, requestsPerSecond: 0.1, burst: 1 },
  }),
);
const TARGET = '/v1/autocomplete?q=ber';
const OTHER = 'https://evil.example';

const folders = createTemporaryFolders();
let store: KeyStore;
let testServer: TestServer;
beforeAll(async () => {
  store = await openEmbeddedKeyStore({ folder: folders.make(), findPlan: createPlanFinder(PLANS), clock: () => NOW });
});
beforeEach(async () => {
  testServer = await startServer(new KeyBatcher(store), undefined, undefined, ['127.0.0.1']);
});
afterEach(() => testServer.close());
afterAll(async () => {
  await store.close();
  folders.clear();
});

interface Made {
  readonly key: string;
  readonly record: KeyRecord;
}

async function makeKey(plan = 'free', restrictions: KeyRecord['restrictions'] = RESTRICTIONS): Promise<Made> {
  const key = createApiKey(restrictions !== undefined);
  const record = createKeyRecord('test', new Date(NOW), { plan, restrictions });
  await store.directory.create({ digest: digestApiKey(key), record, sealed: null, usage: NO_USAGE });
  return { key, record };
}

async function makeSecretKey(): Promise<Made> {
  const key = createApiKey();
  const record = createKeyRecord('test', new Date(NOW));
  await store.directory.create({ digest: digestApiKey(key), record, sealed: null, usage: NO_USAGE });
  return { key, record };
}

async function usedBy({ record }: Made): Promise<number> {
  return (await store.directory.find(record.id))?.usage.months.get('2024-02') ?? 0;
}

function get(target: string, headers: Readonly<Record<string, string>> = {}) {
  return request(testServer.server).get(target).set(headers);
}

function withKey({ key }: Made, headers: Readonly<Record<string, string>> = {}) {
  return { 'x-api-key': key, origin: SHOP, ...headers };
}

describe('the key', () => {
  test('comes in the header or in the URL', async () => {
    const made = await makeKey();
    expect((await get(TARGET, withKey(made))).status).toBe(200);
    expect((await get(`${TARGET}&key=${made.key}`, { origin: SHOP })).status).toBe(200);
    expect((await get(`/v1/autocomplete?key=${made.key.replace('_', '%5F')}&q=ber`, { origin: SHOP })).status).toBe(
      200,
    );
    expect(await usedBy(made)).toBe(3);
    expect(testServer.asked.map(({ input }) => input)).toEqual(
      Array(3).fill(expect.objectContaining({ query: 'ber' })),
    );
  });

  test.each([
    ['twice', (key: string) => `key=${key}&key=${key}`],
    ['as an array', (key: string) => `key[]=${key}&key=${key}`],
    ['cut', (key: string) => `key=${key.slice(0, -1)}`],
    ['changed', (key: string) => `key=pp_pub_${key[7] === '0' ? '1' : '0'}${key.slice(8)}`],
  ])('in the URL %s is wrong', async (_, queryOf) => {
    const made = await makeKey();
    const { status, body, headers } = await get(`${TARGET}&${queryOf(made.key)}`, { origin: SHOP });
    expect({ status, code: body.error.code }).toEqual({ status: 401, code: 'SERVICE_API_KEY_INVALID' });
    // No key, no origins: the answer is that to any wrong key.
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(await usedBy(made)).toBe(0);
  });

  test.each([
    ['whole', (key: string) => `key=${key}`],
    ['cut', (key: string) => `key=${key.slice(0, 30)}`],
    ['encoded', (key: string) => `key=${key.replace('_', '%5f')}`],
    ['as an array', (key: string) => `key[]=${key}`],
    ['beside a publishable one', (key: string) => `key=pp_pub_x&key=${key}`],
  ])('that is secret has leaked in a URL: %s', async (_, queryOf) => {
    const made = await makeSecretKey();
    for (const method of ['get', 'head'] as const) {
      const response = await request(testServer.server)
        [method](`${TARGET}&${queryOf(made.key)}`)
        .set('origin', SHOP);
      expect(response.status).toBe(401);
      expect(response.headers['www-authenticate']).toMatch(/^ApiKey /);
      if (method === 'get') {
        expect(response.body.error).toMatchObject({ code: 'SERVICE_API_KEY_INVALID' });
        expect(response.body.error.message).toMatch(/has leaked\. Replace it/);
        expect(response.text).not.toContain(made.key.slice(3, 12));
      }
    }
    expect(await usedBy(made)).toBe(0);
  });

  test('in the header wins over the URL, and any other text in the URL is no key', async () => {
    const [secret, publishable] = [await makeSecretKey(), await makeKey()];
    expect((await get(`${TARGET}&key=${publishable.key}`, { 'x-api-key': secret.key })).status).toBe(200);
    expect((await get(`${TARGET}&key=hello`, { 'x-api-key': secret.key })).status).toBe(200);
    expect((await get(`${TARGET}&key=${secret.key}`, withKey(publishable))).status).toBe(200);
    for (const query of ['key=hello', 'key=', 'key', 'keys=pp_pub_x', 'KEY=pp_pub_x', `x=${secret.key}`]) {
      expect((await get(`${TARGET}&${query}`)).body.error.code).toBe('SERVICE_API_KEY_MISSING');
    }
    expect(await usedBy(secret)).toBe(2);
  });

  test('is in no log', async () => {
    const made = await makeKey();
    const lines: string[] = [];
    const logger = { info: (fields: object) => void lines.push(JSON.stringify(fields)), warn() {}, error() {} };
    const observer = createAccessLog(logger, 1);
    await testServer.close();
    testServer = await startServer({ check: () => Promise.reject(new Error('gone')) });
    const url = `${TARGET}&key=${made.key}`;
    await get(url, { origin: SHOP });
    expect(testServer.logged).toHaveLength(1);
    const shown = { method: 'GET', originalUrl: url, ip: '192.0.2.1' };
    observer.answered(shown as never, { locals: {}, writableFinished: true, statusCode: 200 } as never, 0);
    for (const text of [JSON.stringify(testServer.logged), ...lines]) {
      expect(text).toContain('/v1/autocomplete');
      expect(text).not.toContain(made.key.slice(7, 20));
    }
    expect(lines).toHaveLength(1);
  });
});

describe('the origin', () => {
  test.each(OWN_ORIGINS)('%s may read the answer', async (origin) => {
    const { status, headers } = await get(TARGET, withKey(await makeKey(), { origin }));
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin, Accept' });
    expect(headers['cache-control']).toBe('private, max-age=3600');
  });

  test.each(HOSTILE_ORIGINS.filter((origin) => /^[\x21-\x7e][\x20-\x7e]*$/.test(origin)))(
    '%s may not',
    async (origin) => {
      const made = await makeKey();
      const { status, body, headers } = await get(TARGET, withKey(made, { origin }));
      expect({ status, code: body.error.code }).toEqual({ status: 403, code: 'SERVICE_ORIGIN_NOT_ALLOWED' });
      expect(headers['access-control-allow-origin']).toBeUndefined();
      expect(headers).toMatchObject({ vary: 'Origin', 'cache-control': 'no-store' });
      expect(await usedBy(made)).toBe(0);
      expect(testServer.asked).toEqual([]);
    },
  );

  test('must be there, once', async () => {
    const { key } = await makeKey();
    const { status, body } = await get(TARGET, { 'x-api-key': key, referer: `${SHOP}/checkout` });
    expect({ status, code: body.error.code }).toEqual({ status: 403, code: 'SERVICE_ORIGIN_NOT_ALLOWED' });
    const twice = await getRaw(testServer.port, TARGET, `x-api-key: ${key}\r\norigin: ${SHOP}\r\norigin: ${SHOP}\r\n`);
    expect(twice.status).toBe(403);
  });

  test('is allowed to read every answer once the key is known, and no other is', async () => {
    const [made, small, revoked] = [await makeKey(), await makeKey('small'), await makeKey()];
    await store.directory.change(revoked.record.id, changeKeyToRevoked);
    for (let count = 0; count < 2; count++) await get(TARGET, withKey(small));
    const cases: [Made, string, number][] = [
      [made, '/v1/autocomplete', 400],
      [made, '/v1/countries/XX/postcodes/1/check', 404],
      [made, '/v1/reverse?lat=1&lng=1', 403],
      [small, TARGET, 429],
      [revoked, TARGET, 401],
    ];
    for (const [key, target, status] of cases) {
      const own = await get(target, withKey(key));
      expect({ target, status: own.status }).toEqual({ target, status });
      expect(own.headers).toMatchObject({ 'access-control-allow-origin': SHOP, vary: 'Origin' });
      const other = await get(target, withKey(key, { origin: OTHER }));
      expect(other.headers['access-control-allow-origin']).toBeUndefined();
      expect(other.headers.vary).toBe('Origin');
    }
  });

  test('does not matter for a secret key, whose answers do not vary by it', async () => {
    const made = await makeSecretKey();
    for (const origin of [SHOP, OTHER, 'null']) {
      const { status, headers } = await get(TARGET, withKey(made, { origin }));
      expect(status).toBe(200);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers.vary).toBe('Accept');
    }
  });

  test('of a 304 and of HEAD is told too', async () => {
    const made = await makeKey();
    const { headers } = await get(TARGET, withKey(made));
    const again = await get(TARGET, withKey(made, { 'if-none-match': String(headers.etag) }));
    expect(again.status).toBe(304);
    expect(again.headers).toMatchObject({
      'access-control-allow-origin': SHOP,
      vary: 'Origin, Accept',
      etag: headers.etag,
    });
    const head = await request(testServer.server).head(TARGET).set(withKey(made));
    expect(head.headers).toMatchObject({ 'access-control-allow-origin': SHOP, vary: 'Origin, Accept' });
    // What another origin asks with the tag of a cached answer is no 304.
    const other = await get(TARGET, withKey(made, { origin: OTHER, 'if-none-match': String(headers.etag) }));
    expect(other.status).toBe(403);
  });
});

describe('a preflight', () => {
  test('has no key header, so it tells nothing of keys and allows what it always did', async () => {
    const headers = {
      origin: OTHER,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-api-key',
    };
    const response = await request(testServer.server).options(TARGET).set(headers);
    expect(response.status).toBe(204);
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'x-api-key',
      'access-control-max-age': '86400',
    });
    expect(response.headers.vary).toBeUndefined();
  });

  test('with the key in the URL allows the key’s own origins only', async () => {
    const made = await makeKey();
    const ask = (origin: string, key = made.key) =>
      request(testServer.server)
        .options(`${TARGET}&key=${key}`)
        .set({ origin, 'access-control-request-method': 'GET' });
    const own = await ask(SHOP);
    expect(own.status).toBe(204);
    expect(own.headers).toMatchObject({ 'access-control-allow-origin': SHOP, vary: 'Origin' });
    const other = await ask(OTHER);
    expect(other.status).toBe(204);
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
    expect(other.headers.vary).toBe('Origin');
    const unknown = await ask(SHOP, createApiKey(true));
    expect(unknown.headers['access-control-allow-origin']).toBe('*');
    expect(await usedBy(made)).toBe(0);
  });
});

describe('operations', () => {
  test('that the key has not are refused, and bulk requests always', async () => {
    const made = await makeKey();
    for (const target of ['/v1/countries', '/v1/nearby?lat=1&lng=1', '/v1/postcodes/10115', '/v1/reverse']) {
      const { status, body } = await get(target, withKey(made));
      expect({ target, status, code: body.error.code }).toEqual({
        target,
        status: 403,
        code: 'SERVICE_KEY_RESTRICTED',
      });
    }
    const bulk = await request(testServer.server)
      .post('/v1/bulk')
      .set(withKey(made, { 'content-type': 'application/json' }))
      .send({ lookups: [{ country: 'DE', postcode: '10115' }] });
    expect({ status: bulk.status, code: bulk.body.error.code }).toEqual({
      status: 403,
      code: 'SERVICE_KEY_RESTRICTED',
    });
    expect(bulk.headers).toMatchObject({ 'access-control-allow-origin': SHOP, vary: 'Origin' });
    const elsewhere = await request(testServer.server)
      .post('/v1/bulk')
      .set(withKey(made, { origin: OTHER }))
      .send({});
    expect(elsewhere.body.error.code).toBe('SERVICE_ORIGIN_NOT_ALLOWED');
    const leaked = await request(testServer.server)
      .post(`/v1/bulk?key=${(await makeSecretKey()).key}`)
      .send({});
    expect(leaked.body.error.message).toContain('leaked');
    expect(await usedBy(made)).toBe(0);
    expect(testServer.asked).toEqual([]);
    expect((await get('/v1/countries/DE/postcodes/10115/check', withKey(made))).status).toBe(200);
  });

  test('that need no key need none', async () => {
    const made = await makeKey();
    const { status, headers } = await get('/v1/release', withKey(made, { origin: OTHER }));
    expect({ status, origin: headers['access-control-allow-origin'] }).toEqual({ status: 200, origin: '*' });
  });
});

describe('visitors', () => {
  const statusFrom = async (made: Made, address: string) =>
    (await get(TARGET, withKey(made, { 'x-forwarded-for': address }))).status;

  test.each([
    ['an IPv4 address', ['192.0.2.1', '192.0.2.1:4711', '::ffff:192.0.2.1'], '192.0.2.2'],
    ['64 bits of IPv6', ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', '[2001:db8:0:1::3]:443'], '2001:db8:0:2::1'],
    ['all texts that are no address', ['unknown', 'x', '_hidden'], '192.0.2.3'],
  ])('are %s behind a trusted proxy', async (_, same, other) => {
    const made = await makeKey();
    for (const address of same) expect(await statusFrom(made, address)).toBe(200);
    for (const address of same) expect(await statusFrom(made, address)).toBe(429);
    expect(await statusFrom(made, other)).toBe(200);
    expect(await usedBy(made)).toBe(4);
  });

  test('have turns of their own: one who asks much keeps nobody else waiting', async () => {
    const made = await makeKey('free', { ...RESTRICTIONS, visitorRate: { requests: 20, seconds: 1 } });
    const addresses = [...Array(9).fill('192.0.2.1'), '192.0.2.2'];
    const batcher = new KeyBatcher(store);
    let arrivedCount = 0;
    let decideAll = (): void => {};
    const areAllHere = new Promise<void>((resolve) => {
      decideAll = resolve;
    });
    const gate: KeyGate = {
      async check(...question) {
        if (++arrivedCount === addresses.length) decideAll();
        await areAllHere;
        return batcher.check(...question);
      },
    };
    await testServer.close();
    testServer = await startServer(gate, undefined, undefined, ['127.0.0.1']);
    const asking = addresses.map((address) =>
      get(`/v1/autocomplete?q=10115+from+${address}`, withKey(made, { 'x-forwarded-for': address })),
    );
    expect((await Promise.all(asking)).map(({ status }) => status)).toEqual(Array(10).fill(200));
    const order = testServer.asked.map(({ input }) => (input as { readonly query: string }).query.at(-1));
    expect(order.indexOf('2')).toBeLessThan(2);
  });

  test('are told their own limits, and nothing of the key’s', async () => {
    const made = await makeKey();
    const first = await get(TARGET, withKey(made));
    expect(first.headers).toMatchObject({ 'ratelimit-policy': '"burst";q=3;w=60', ratelimit: '"burst";r=2;t=20' });
    await get(TARGET, withKey(made));
    await get(TARGET, withKey(made));
    const over = await get(TARGET, withKey(made));
    expect(over.status).toBe(429);
    expect(over.body.error).toMatchObject({
      code: 'SERVICE_RATE_LIMITED',
      message: expect.stringContaining('this address'),
    });
    expect(over.headers).toMatchObject({ 'retry-after': '20', ratelimit: '"burst";r=0;t=20' });
    expect(over.headers['access-control-expose-headers']).toContain('Retry-After');
  });

  test('wait for the key’s own limits too', async () => {
    const [small, slow] = [await makeKey('small'), await makeKey('slow')];
    for (let count = 0; count < 2; count++) await get(TARGET, withKey(small));
    const spent = await get(TARGET, withKey(small));
    expect(spent.body.error.code).toBe('SERVICE_QUOTA_EXCEEDED');
    expect(spent.headers['retry-after']).toBe(String(12 * 3_600));
    await get(TARGET, withKey(slow));
    const hasty = await get(TARGET, withKey(slow));
    expect(hasty.body.error.code).toBe('SERVICE_RATE_LIMITED');
    expect(hasty.headers['retry-after']).toBe('10');
  });
});
