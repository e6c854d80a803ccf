/** Lines of the access log: for which requests, and what they say and do not say. */

import type { Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import request from 'supertest';
import { createApp } from '../../src/api/http/app.js';
import { createHttpServer } from '../../src/api/http/http-server.js';
import type { KeyGate } from '../../src/keys/decision/key-batcher.js';
import { createApiKey } from '../../src/keys/key/api-key.js';
import { createAccessLog } from '../../src/process/serving/access-log.js';
import { createFakeService, decide, description, fakeSnapshot, GOOD_KEY, sendRaw, UUID } from '../api/harness.js';
import { silentLogger } from '../fixtures/recording-logger.js';

let lines: object[];
let server: Server;

async function start(
  share: number,
  trustedProxies: readonly string[] = [],
  check: KeyGate['check'] = decide,
): Promise<void> {
  const observer = createAccessLog({ ...silentLogger, info: (fields) => void lines.push(fields) }, share);
  const snapshots = { current: () => fakeSnapshot('2026-03') };
  const app = createApp({
    service: createFakeService(),
    snapshots,
    keys: { check },
    description,
    logger: silentLogger,
    observer,
    trustedProxies,
  });
  ({ server } = createHttpServer(app, { observer }));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
}
beforeEach(() => {
  lines = [];
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

test('a request is logged with its URL, key id and outcome', async () => {
  await start(1);
  const { headers } = await request(server).get('/v1/countries/DE?x=1').set('x-api-key', GOOD_KEY);
  expect(lines).toEqual([
    {
      correlationId: headers['x-correlation-id'],
      method: 'GET',
      url: '/v1/countries/DE?x=1',
      route: '/v1/countries/:country',
      status: 200,
      milliseconds: expect.any(Number),
      client: '127.0.0.1',
      keyId: 'k1',
      keyOutcome: 'allowed',
    },
  ]);
});

test('a refusal is logged with its status and the outcome of the key check, without the key', async () => {
  await start(1);
  const key = createApiKey();
  await request(server).get(`/v1/reverse?key=${key}`).set('x-api-key', key);
  await request(server).get(`/nothing/${key}`);
  expect(lines).toMatchObject([
    { status: 401, route: '/v1/reverse', keyOutcome: 'invalid', correlationId: expect.stringMatching(UUID) },
    { status: 404, correlationId: expect.stringMatching(UUID) },
  ]);
  expect(JSON.stringify(lines)).not.toContain(key.slice(3, -3));
});

test('a key refused as overloaded and a key that could not be checked have different outcomes', async () => {
  const checks: KeyGate['check'][] = [() => ({ status: 'overloaded' }), () => Promise.reject(new Error('store gone'))];
  await start(1, [], (key) => (checks.shift() ?? decide)(key));
  for (let round = 0; round < 2; round++) {
    const response = await request(server).get('/v1/countries').set('x-api-key', GOOD_KEY);
    expect([response.status, response.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(response.headers['retry-after']).toBe('2');
  }
  expect(lines).toMatchObject([{ keyOutcome: 'overloaded' }, { keyOutcome: 'unavailable' }]);
});

test('bytes that are no HTTP', async () => {
  await start(1);
  await sendRaw((server.address() as { port: number }).port, 'hello\r\n\r\n');
  expect(lines).toEqual([{ correlationId: expect.stringMatching(UUID), status: 400 }]);
});

test('a share of the requests, evenly', async () => {
  await start(0.25);
  for (let count = 0; count < 20; count++) await request(server).get('/nothing');
  expect(lines).toHaveLength(5);
});

test.each([
  [['loopback'], 'anything at all, 198.51.100.1, 203.0.113.7', '203.0.113.7'],
  [[], '203.0.113.7', '127.0.0.1'],
  [['loopback', '203.0.113.7', '198.51.100.1'], 'anything at all, 198.51.100.1, 203.0.113.7', undefined],
  [['loopback'], '198.51.100.1:1, 203.0.113.7:4711', '203.0.113.7'],
  [['loopback'], '[2001:db8::7]:4711', '2001:db8::7'],
  [['loopback'], '2001:db8::7', '2001:db8::7'],
  [['loopback'], '203.0.113.7:4711, 127.0.0.2:443', '203.0.113.7'],
  [['loopback'], '203.0.113.7:4711:1', undefined],
  [['loopback'], 'a[203.0.113.7]:1', undefined],
])('behind the proxies %j, %j is the client %s', async (proxies, forwarded, client) => {
  await start(1, proxies);
  await request(server).get('/nothing').set('x-forwarded-for', forwarded);
  expect(lines).toMatchObject([{ client }]);
});
