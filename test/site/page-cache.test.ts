/** Pages that are kept: the latest asked for stay, within the bytes that are allowed; and the first segments of addresses. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { slugOf } from '../../src/core/snapshot/slug.js';
import { createAddressLimit } from '../../src/server/address-limit.js';
import { createSiteServer } from '../../src/site/app.js';
import { PageCache, sizeOf } from '../../src/site/request-context.js';
import { routes } from '../../src/site/routes.js';
import { sendRaw } from '../api/harness.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { createSite, NO_LIMITS } from './site-scene.js';

/** A page that takes so many bytes with its key, which stands for an address of one character. */
const page = (bytes: number): Buffer => Buffer.alloc(bytes - sizeOf('t /a', Buffer.alloc(0)));

test('a page is found by address and version, and goes when there is no more room', () => {
  const cache = new PageCache(1_000);
  cache.keep('t', '/a', page(400));
  cache.keep('t', '/b', page(400));
  expect(cache.find('u', '/a')).toBeUndefined();
  expect(cache.find('t', '/a')).toHaveLength(page(400).length);
  cache.keep('t', '/c', page(400));
  expect(['/a', '/b', '/c'].map((path) => cache.find('t', path) !== undefined)).toEqual([true, false, true]);
  cache.keep('t', '/a', page(600));
  expect(['/a', '/c'].map((path) => cache.find('t', path)?.length)).toEqual([page(600).length, page(400).length]);
  cache.keep('t', '/d', page(1_001));
  expect(['/a', '/c', '/d'].map((path) => cache.find('t', path))).toEqual([undefined, undefined, undefined]);
});

test('keys count', () => {
  const cache = new PageCache(100_000);
  const addressOf = (number: number): string => `/${String(number).padStart(10_000, 'x')}`;
  for (let number = 0; number < 20; number++) cache.keep('t', addressOf(number), Buffer.alloc(1));
  const kept = Array.from({ length: 20 }, (_, number) => cache.find('t', addressOf(number))).filter(Boolean);
  expect(kept).toHaveLength(4);
});

test('a target in absolute form is the page of its path, and kept once', async () => {
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
  // Only a page that is kept is sent from here on.
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
