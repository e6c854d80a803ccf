/** The operators' server: what it is asked and answers, and that it answers nothing else. */

import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import request from 'supertest';
import { createAdminServer } from '../../src/process/admin-server.js';

let isAlive = true;
let isReady = true;
let metrics = async (): Promise<string> => 'requests_total 3\n';
const server = createAdminServer(
  {
    liveness: () => ({ isGood: isAlive, report: { status: isAlive ? 'ok' : 'nobody serves' } }),
    readiness: async () => ({ isGood: isReady, report: { status: isReady ? 'ready' : 'stopping' } }),
    metrics: () => metrics(),
    version: { version: '1.2.3' },
  },
  'Admin.Internal',
);
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

test('/healthz says by its status whether the process should go on', async () => {
  const response = await request(server).get('/healthz');
  expect([response.status, response.body]).toEqual([200, { status: 'ok' }]);
  expect(response.headers['cache-control']).toBe('no-store');
  isAlive = false;
  const later = await request(server).get('/healthz');
  expect([later.status, later.body]).toEqual([503, { status: 'nobody serves' }]);
  isAlive = true;
});

test('/readyz says how things are, and by its status whether requests should be sent here', async () => {
  const response = await request(server).get('/readyz?verbose');
  expect([response.status, response.body]).toEqual([200, { status: 'ready' }]);
  isReady = false;
  const later = await request(server).get('/readyz');
  expect([later.status, later.body]).toEqual([503, { status: 'stopping' }]);
});

test('/version', async () => {
  expect((await request(server).get('/version')).body).toEqual({ version: '1.2.3' });
});

test('/metrics is text for Prometheus', async () => {
  const response = await request(server).get('/metrics');
  expect([response.status, response.text]).toEqual([200, 'requests_total 3\n']);
  expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
});

test('a failing endpoint is a response 500, and the process lives on', async () => {
  metrics = async () => Promise.reject(new Error('no worker answers'));
  const response = await request(server).get('/metrics');
  expect([response.status, response.body]).toEqual([500, { status: 'failed', problem: 'no worker answers' }]);
});

test.each(['/', '/metricz', '/__proto__', '/constructor', '//healthz'])('%s is no question', async (path) => {
  expect((await request(server).get(path)).status).toBe(404);
});

test('HEAD has no body, other methods are refused', async () => {
  const head = await request(server).head('/healthz');
  expect([head.status, head.text]).toEqual([200, undefined]);
  const post = await request(server).post('/healthz').send({});
  expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
});

test.each([
  '127.0.0.1:9090',
  '127.8.9.1',
  '[::1]:9090',
  '10.42.0.7:9090',
  'localhost:9090',
  'LOCALHOST',
  'admin.internal:1',
])('Host %s is served', async (host) => {
  expect((await request(server).get('/version').set('host', host)).status).toBe(200);
});

test.each([
  'rebound.example',
  'localhost.rebound.example:9090',
  '127.0.0.1.rebound.example',
  'evil:9090',
  '[evil]',
  '',
])('Host "%s" gets nothing, from no path', async (host) => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/version', '/']) {
    const { status, body } = await request(server).get(path).set('host', host);
    expect([status, body]).toEqual([421, { status: 'misdirected', problem: expect.any(String) }]);
  }
});

test('a probe of HTTP/1.0 needs no Host', async () => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.end('GET /healthz HTTP/1.0\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.[01] 200 /);
});
