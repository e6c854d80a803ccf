/** Limits of a network address on the site: which requests each counts, and whose address is believed behind a proxy. */

import { beforeAll, expect, test } from '@jest/globals';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { createAddressLimit } from '../../src/server/address-limit.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { createSite, linksIn, NO_LIMITS, type SiteScene } from './site-scene.js';

let snapshot: Snapshot;
beforeAll(async () => {
  snapshot = await openFixture(HAND_MADE_ROWS);
});

test('stops searching, suggesting and guessing, and no page', async () => {
  const search = createAddressLimit({ requestsPerSecond: 0.001, burst: 2 });
  const limited = createSite(snapshot, { limits: { ...NO_LIMITS, search } });
  expect((await limited.get('/search?q=york')).status).toBe(200);
  expect((await limited.get('/suggest?q=york')).status).toBe(200);
  const { status, headers } = await limited.get('/suggest?q=york');
  expect([status, Number(headers['retry-after']) > 0]).toEqual([429, true]);
  expect((await limited.get('/nearest?lat=1&lng=1')).status).toBe(429);
  expect((await limited.get('/andorra')).status).toBe(200);
  const missing = await limited.get('/new-york');
  expect([missing.status, linksIn(missing.text, '/').includes('/united-states/new-york')]).toEqual([404, false]);
});

test('stops making pages, and goes on sending those that are kept', async () => {
  const page = createAddressLimit({ requestsPerSecond: 0.001, burst: 2 });
  const limited = createSite(snapshot, { limits: { ...NO_LIMITS, page } });
  const statusOf = async (path: string): Promise<number> => (await limited.get(path)).status;
  expect([await statusOf('/andorra'), await statusOf('/docs/reference')]).toEqual([200, 200]);
  for (const path of [
    '/liechtenstein',
    '/docs/answers',
    '/coverage',
    '/sitemaps/site.xml.gz',
    '/a/b/c',
    '/andorra?page=2',
  ]) {
    expect({ path, status: await statusOf(path) }).toEqual({ path, status: 429 });
  }
  for (const path of ['/andorra', '/andorra?a=1', '/docs/reference?b=2', '/robots.txt', '/docs/openapi.json']) {
    expect({ path, status: await statusOf(path) }).toEqual({ path, status: 200 });
  }
});

test('believes a proxy that is trusted, and nobody else', async () => {
  const options = () => ({
    limits: { ...NO_LIMITS, search: createAddressLimit({ requestsPerSecond: 0.001, burst: 1 }) },
  });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const behind = createSite(snapshot, { ...options(), trustedProxies: ['loopback'] });
  const open = createSite(snapshot, options());
  const statuses = async (scene: SiteScene): Promise<number[]> => [
    (await scene.get('/suggest?q=york', from('1.1.1.1'))).status,
    (await scene.get('/suggest?q=york', from('2.2.2.2'))).status,
    (await scene.get('/suggest?q=york', from('1.1.1.1'))).status,
  ];
  expect(await statuses(behind)).toEqual([200, 200, 429]);
  expect(await statuses(open)).toEqual([200, 429, 429]);
});

test.each([
  ['1.1.1.1:4711', '1.1.1.1:815', 429],
  ['1.1.1.1:4711', '2.2.2.2:4711', 200],
  ['[2001:db8::1]:4711', '2001:db8::2', 429],
  ['1.1.1.1, 127.0.0.2:443', '1.1.1.1:1, 127.0.0.3:8443', 429],
])('knows %s and %s where a proxy writes ports', async (one, other, status) => {
  const search = createAddressLimit({ requestsPerSecond: 0.001, burst: 1 });
  const behind = createSite(snapshot, { limits: { ...NO_LIMITS, search }, trustedProxies: ['loopback'] });
  expect((await behind.get('/suggest?q=york', { 'x-forwarded-for': one })).status).toBe(200);
  expect((await behind.get('/suggest?q=york', { 'x-forwarded-for': other })).status).toBe(status);
});
