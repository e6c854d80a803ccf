/** Pages that are kept: the latest asked for stay, within the bytes that are allowed; and the first segments of addresses. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { slugOf } from '../../src/format/slug.js';
import { PageCache } from '../../src/site/page-cache.js';
import { FIRST_SEGMENTS, routes } from '../../src/site/routes.js';

const page = (bytes: number): Buffer => Buffer.alloc(bytes);

test('a page is found by address and tag, and goes when there is no more room', () => {
  const cache = new PageCache(100);
  cache.keep('t', '/a', page(40));
  cache.keep('t', '/b', page(40));
  expect(cache.find('u', '/a')).toBeUndefined();
  expect(cache.find('t', '/a')).toHaveLength(40);
  cache.keep('t', '/c', page(40));
  expect(['/a', '/b', '/c'].map((path) => cache.find('t', path)?.length)).toEqual([40, undefined, 40]);
  cache.keep('t', '/a', page(60));
  expect(['/a', '/c'].map((path) => cache.find('t', path)?.length)).toEqual([60, 40]);
  cache.keep('t', '/d', page(101));
  expect(['/a', '/c', '/d'].map((path) => cache.find('t', path))).toEqual([undefined, undefined, undefined]);
});

test('no country has the address of a page of the site', () => {
  const ofRoutes = new Set(routes.map(({ path }) => path.split('/')[1] as string).filter((segment) => segment !== ''));
  expect([...ofRoutes].filter((segment) => !FIRST_SEGMENTS.includes(segment))).toEqual([]);
  const rows = readFileSync(join(import.meta.dirname, '../../data/countries.tsv'), 'utf8')
    .trim()
    .split('\n');
  const nameColumn = (rows[0] as string).split('\t').indexOf('name');
  const slugs = rows.slice(1).map((row) => slugOf(row.split('\t')[nameColumn] as string));
  expect(slugs.length).toBeGreaterThan(240);
  expect(slugs.filter((slug) => FIRST_SEGMENTS.includes(slug))).toEqual([]);
});
