/** The cache of pages: those asked for last stay, within its bytes; what counts as one page; and first segments of addresses. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { slugOf } from '../../src/core/snapshot/slug.js';
import { createAddressLimit } from '../../src/server/address-limit.js';
import { bytesInCache, MAX_BYTES, PageCache } from '../../src/site/http/page-cache.js';
import { routes } from '../../src/site/routes.js';
import { createSiteServer } from '../../src/site/site-server.js';
import { sendRaw } from '../api/harness.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { createSite, NO_LIMITS } from './site-scene.js';

/** A page that takes this share of the cache with its key, which stands for an address of one character. */
const page = (share: number): Buffer => Buffer.alloc(share * MAX_BYTES - bytesInCache('t /a', Buffer.alloc(0)));

test('a page is found by address and version, and goes when there is no more room', () => {
  const cache = new PageCache();
  cache.add('t', '/a', page(0.375));
  cache.add('t', '/b', page(0.375));
  expect(cache.find('u', '/a')).toBeUndefined();
  expect(cache.find('t', '/a')).toHaveLength(page(0.375).length);
  cache.add('t', '/c', page(0.375));
  expect(['/a', '/b', '/c'].map((path) => cache.find('t', path) !== undefined)).toEqual([true, false, true]);
  cache.add('t', '/a', page(0.625));
  expect(['/a', '/c'].map((path) => cache.find('t', path)?.length)).toEqual([page(0.625).length, page(0.375).length]);
  cache.add('t', '/d', Buffer.alloc(MAX_BYTES));
  expect(['/a', '/c', '/d'].map((path) => cache.find('t', path))).toEqual([undefined, undefined, undefined]);
});

test('a page keeps no more memory than it has bytes', () => {
  const cache = new PageCache();
  cache.add('t', '/a', Buffer.from('a small page, which is a part of a pool'));
  const kept = cache.find('t', '/a');
  expect(String(kept)).toBe('a small page, which is a part of a pool');
  expect(kept?.buffer.byteLength).toBe(kept?.length);
});

test('keys count', () => {
  const cache = new PageCache();
  const addressOf = (number: number): string => `/${String(number).padStart(MAX_BYTES / 10, 'x')}`;
  for (let number = 0; number < 20; number++) cache.add('t', addressOf(number), Buffer.alloc(1));
  const found = Array.from({ length: 20 }, (_, number) => cache.find('t', addressOf(number))).filter(Boolean);
  expect(found).toHaveLength(4);
});

test('a target in absolute form is the page of its path, and cached once', async () => {
  const site = createSite(await openFixture(HAND_MADE_ROWS));
  const { server } = createSiteServer(site.app);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const tagAt = async (target: string): Promise<string | undefined> => {
    const { status, head } = await sendRaw(port, `GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
    return /\r\netag: (.*)\r\n/i.exec(head)?.[1] ?? String(status);
  };
  for (const path of ['/andorra', '/docs/openapi.json', '/sitemap.xml', '/']) {
    const tag = await tagAt(path);
    expect(tag).toMatch(/^W\//);
    expect([await tagAt(`http://one${path}`), await tagAt(`HTTPS://two:443${path}`)]).toEqual([tag, tag]);
  }
  expect([await tagAt('http://one'), await tagAt('http://one?a=1')]).toEqual([await tagAt('/'), await tagAt('/')]);
  expect(await tagAt('ftp://one/andorra')).toBe('404');
  await new Promise((resolve) => server.close(resolve));
});

test('a query makes no other page', async () => {
  const site = createSite(await openFixture(HAND_MADE_ROWS), {
    limits: { ...NO_LIMITS, page: createAddressLimit({ requestsPerSecond: 0.001, burst: 1 }) },
  });
  expect((await site.get('/andorra')).status).toBe(200);
  // Only a cached page is sent from here on.
  for (const query of ['?a=1', `?${'b'.repeat(7_000)}`, '?page=1', '?page=1&c', '?%E0']) {
    expect({ query, status: (await site.get(`/andorra${query}`)).status }).toEqual({ query, status: 200 });
  }
  expect((await site.get('/andorra?page=2')).status).toBe(429);
});

test('no country has the address of a page of the site', () => {
  const firstSegments = ['account', ...routes.map(({ path }) => path.split('/')[1] as string)];
  const rows = readFileSync(join(import.meta.dirname, '../../data/countries.tsv'), 'utf8')
    .trim()
    .split('\n');
  const nameColumn = (rows[0] as string).split('\t').indexOf('name');
  const slugs = rows.slice(1).map((row) => slugOf(row.split('\t')[nameColumn] as string));
  expect(slugs.length).toBeGreaterThan(240);
  expect(slugs.filter((slug) => firstSegments.includes(slug))).toEqual([]);
});
