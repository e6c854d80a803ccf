/** Sitemaps: every page once, at an address that answers, in files of the size that is allowed. */

import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import type { Response } from 'supertest';
import request from 'supertest';
import type { CountryStructures } from '../../src/core/snapshot/snapshot.js';
import { readDocs } from '../../src/site/docs/docs-library.js';
import { createSitemaps, MAX_ADDRESSES, sitemapIndex } from '../../src/site/http/sitemaps.js';
import { canonicalPlace } from '../../src/site/reading/single-child-chains.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS, lineOf } from '../fixtures/hand-made-release.js';
import { createRecordingLogger } from '../fixtures/recording-logger.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { API_URL, createSite, decodeEntities, SITE_URL, type SiteScene } from './site-scene.js';

const locations = (xml: string): string[] =>
  [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => decodeEntities(url as string).slice(SITE_URL.length));

function getFile(site: SiteScene, file: string): Promise<Response> {
  return request(site.app)
    .get(file)
    .buffer(true)
    .parse((response, done) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.on('end', () => done(null, Buffer.concat(chunks)));
    });
}

/** As a crawler does it: asks again as long as the file is not made. */
async function addressesIn(site: SiteScene, file: string): Promise<string[]> {
  let response = await getFile(site, file);
  await waitUntil(`${file} to be made`, async () => {
    if (response.status === 503) response = await getFile(site, file);
    return response.status !== 503;
  });
  const { status, body, type } = response;
  expect([status, type]).toEqual([200, 'application/gzip']);
  return locations(gunzipSync(body as Buffer).toString());
}

test('all files of a release are made once, and until then the answer is 503', async () => {
  const site = createSite(await openFixture(HAND_MADE_ROWS));
  const { status, headers } = await getFile(site, '/sitemaps/AD-places-1.xml.gz');
  expect([status, headers['retry-after'], headers['cache-control']]).toEqual([503, '60', 'no-store']);
  expect(await addressesIn(site, '/sitemaps/AD-places-1.xml.gz')).not.toEqual([]);
  await waitUntil('the last file', () => site.logger.lines.some(({ message }) => message === 'the sitemaps are made'));
  const files = locations((await site.get('/sitemap.xml')).text);
  // Each is there at once, and none is made again.
  const responses = await Promise.all([...files, ...files].map((file) => getFile(site, file)));
  expect(new Set(responses.map((response) => response.status))).toEqual(new Set([200]));
  expect(site.logger.lines).toHaveLength(1);
  expect((await getFile(site, '/sitemaps/AD-places-2.xml.gz')).status).toBe(404);
  const known = { 'if-none-match': responses[0]?.headers.etag as string };
  expect((await site.get(files[0] as string, known)).status).toBe(304);
});

test('what could not be made is logged, and made at the next request', async () => {
  let isBroken = true;
  const docs = {
    ...readDocs(),
    get paths(): readonly string[] {
      if (isBroken) throw new Error('broken');
      return ['/docs'];
    },
  };
  const site = createSite(await openFixture(HAND_MADE_ROWS), { docs });
  await getFile(site, '/sitemaps/site.xml.gz');
  await waitUntil('the error', () => site.logger.lines.length > 0);
  expect(site.logger.lines).toMatchObject([{ level: 'error', message: 'the sitemaps could not be made' }]);
  isBroken = false;
  expect(await addressesIn(site, '/sitemaps/site.xml.gz')).not.toEqual([]);
});

test('the files of the index have every page once, and each address is that of a page', async () => {
  const snapshot = await openFixture(HAND_MADE_ROWS);
  const site = createSite(snapshot);
  const files = locations((await site.get('/sitemap.xml')).text);
  const all = (await Promise.all(files.map((file) => addressesIn(site, file)))).flat();
  expect(new Set(all).size).toBe(all.length);
  const covered = snapshot.countries.flatMap(({ structures }) => structures ?? []);
  const canonical = (structures: CountryStructures): number[] =>
    Array.from({ length: structures.tree.placeCount }, (_, place) => canonicalPlace(structures, place));
  const pages = covered.reduce((sum, one) => sum + new Set(canonical(one)).size + one.postcodes.codeCount, 0);
  const ofSite = await addressesIn(site, '/sitemaps/site.xml.gz');
  expect(ofSite).toEqual(
    expect.arrayContaining(['/', '/coverage', '/docs', '/andorra/postcodes', '/andorra', '/japan']),
  );
  expect(all).toHaveLength(pages + ofSite.length);
  for (const path of all) {
    const { status, text } = await site.get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    expect(text).toContain(`<link rel="canonical" href="${SITE_URL}${path}">`);
  }
  expect((await site.get('/robots.txt')).text).toContain(`Sitemap: ${SITE_URL}/sitemap.xml\n`);
});

test('full codes are left out', async () => {
  const full = ['DC1 1AA', 'DC1 1AB'].map((code) => lineOf('GB', [code, 'Town', '', '', '', 51, -1]));
  const site = createSite(await openFixture({ GB: [['DC1', 'Town', '', '', '', 51, -1]], GB_full: full }));
  const files = locations((await site.get('/sitemap.xml')).text);
  const all = (await Promise.all(files.map((file) => addressesIn(site, file)))).flat();
  expect(all.filter((path) => path.includes('DC1'))).toEqual(['/united-kingdom/postcode/DC1']);
});

test('a country with more pages than one file may have has more files', async () => {
  expect(MAX_ADDRESSES).toBe(50_000);
  const most = 100;
  const rows = Array.from({ length: most + 30 }, (_, index) => {
    const code = String(100_000 + index);
    return [code, `Place ${index}`, '', '', '', 10 + index / 100, 20] as const;
  });
  const snapshot = await openFixture({ RO: rows });
  const site = { siteUrl: SITE_URL, apiUrl: API_URL, hasAccounts: false };
  const docs = readDocs();
  const sources = { snapshots: { current: () => snapshot }, addresses: site, docs, logger: createRecordingLogger() };
  const sitemaps = createSitemaps(sources, most);
  const files = locations(sitemapIndex({ site, snapshot, docs }, most)).filter((file) => file.includes('RO-'));
  expect(files).toEqual(
    ['places-1', 'places-2', 'postcodes-1', 'postcodes-2'].map((name) => `/sitemaps/RO-${name}.xml.gz`),
  );
  const paths: string[][] = [];
  for (const file of files) {
    const name = file.slice('/sitemaps/'.length);
    const bytes = await waitUntil(name, () => {
      const found = sitemaps.find(snapshot, name);
      return found !== 'not yet' && found;
    });
    paths.push(locations(gunzipSync(bytes).toString()));
  }
  expect(paths.map(({ length }) => length)).toEqual([most, 30, most, 30]);
  expect(new Set(paths.flat()).size).toBe(2 * rows.length);
  expect(sitemaps.find(snapshot, 'RO-places-3.xml.gz')).toBeUndefined();
});
