/** The operators' server: what it tells of the process, and that it answers nothing else. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import request from 'supertest';
import { createAdminServer } from '../../src/admin/admin-server.js';
import type { KeyStoreHealth } from '../../src/keys/key-store.js';

let health: KeyStoreHealth = { kind: 'redis', state: 'ready', problem: null };
const server = createAdminServer({
  snapshot: () => ({ release: '2026-03', id: 'feedc0defeedc0de' }),
  keyStore: () => health,
});
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

test('/healthz says that the process is alive', async () => {
  const response = await request(server).get('/healthz');
  expect([response.status, response.body]).toEqual([200, { status: 'ok' }]);
  expect(response.headers['cache-control']).toBe('no-store');
});

test('/readyz says what is served, and how the key store does', async () => {
  const response = await request(server).get('/readyz?verbose');
  expect([response.status, response.body]).toEqual([
    200,
    { status: 'ready', snapshot: { release: '2026-03', id: 'feedc0defeedc0de' }, keyStore: health },
  ]);
});

test('a key store that can not be asked makes it degraded, not unready', async () => {
  health = { kind: 'redis', state: 'degraded', problem: 'no answer within 250 ms' };
  const response = await request(server).get('/readyz');
  expect(response.status).toBe(200);
  expect(response.body).toMatchObject({ status: 'degraded', keyStore: { problem: 'no answer within 250 ms' } });
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
