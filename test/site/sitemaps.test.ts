/** Sitemaps: every page once, at an address that answers, in files of the size that is allowed. */

import { expect, test } from '@jest/globals';
import type { CountryStructures } from '../../src/core/snapshot/snapshot.js';
import { readDocs } from '../../src/site/docs/docs-library.js';
import { canonicalPlace } from '../../src/site/reading/single-child-chains.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS, lineOf } from '../fixtures/hand-made-release.js';
import { canonicalIn, createSite, locationsIn, readPage, SITE_URL, type SiteScene, sitemapOf } from './site-scene.js';

/** The pages in all files of the index. */
async function pagesIn(site: SiteScene): Promise<string[]> {
  const files = locationsIn((await site.get('/sitemap.xml')).text);
  return (await Promise.all(files.map((file) => sitemapOf(site, file)))).flat();
}

test('a file is made once, also for requests at the same time, and again after a failure', async () => {
  let madeCount = 0;
  const docs = {
    ...readDocs(),
    get paths(): readonly string[] {
      madeCount++;
      if (madeCount === 1) throw new Error('broken');
      return ['/docs'];
    },
  };
  const site = createSite(await openFixture(HAND_MADE_ROWS), { docs });
  const path = '/sitemaps/site.xml.gz';
  expect((await site.get(path)).status).toBe(500);
  expect(site.logger.lines).toMatchObject([{ level: 'error', message: 'a page could not be made' }]);
  const files = await Promise.all([path, path, path].map((each) => sitemapOf(site, each)));
  expect(files[0]).toContain('/docs');
  expect([files[1], files[2], madeCount]).toEqual([files[0], files[0], 2]);
  const { headers } = await site.get(path);
  expect((await site.get(path, { 'if-none-match': headers.etag as string })).status).toBe(304);
  expect((await site.get('/sitemaps/AD-places-2.xml.gz')).status).toBe(404);
});

test('the files of the index have every page once, and each address is that of a page', async () => {
  const snapshot = await openFixture(HAND_MADE_ROWS);
  const site = createSite(snapshot);
  const all = await pagesIn(site);
  expect(new Set(all).size).toBe(all.length);
  const covered = snapshot.countries.flatMap(({ structures }) => structures ?? []);
  const canonical = (structures: CountryStructures): number[] =>
    Array.from({ length: structures.tree.placeCount }, (_, place) => canonicalPlace(structures, place));
  const pages = covered.reduce((sum, one) => sum + new Set(canonical(one)).size + one.postcodes.codeCount, 0);
  const ofSite = await sitemapOf(site, '/sitemaps/site.xml.gz');
  expect(ofSite).toEqual(
    expect.arrayContaining(['/', '/coverage', '/docs', '/andorra/postcodes', '/andorra', '/japan']),
  );
  expect(all).toHaveLength(pages + ofSite.length);
  for (const path of all) {
    expect(canonicalIn(await readPage(site, path))).toBe(path);
  }
  expect((await site.get('/robots.txt')).text).toContain(`Sitemap: ${SITE_URL}/sitemap.xml\n`);
});

test('full codes are left out', async () => {
  const full = ['DC1 1AA', 'DC1 1AB'].map((code) => lineOf('GB', [code, 'Town', '', '', '', 51, -1]));
  const site = createSite(await openFixture({ GB: [['DC1', 'Town', '', '', '', 51, -1]], GB_full: full }));
  const all = await pagesIn(site);
  expect(all.filter((path) => path.includes('DC1'))).toEqual(['/united-kingdom/postcode/DC1']);
});

test('a country with more pages than one file may have has more files', async () => {
  const rows = Array.from({ length: 50_030 }, (_, index) => {
    const code = String(100_000 + index);
    return [code, `Place ${index}`, '', '', '', 10 + index / 1e4, 20] as const;
  });
  const site = createSite(await openFixture({ RO: rows }));
  const files = locationsIn((await site.get('/sitemap.xml')).text).filter((file) => file.includes('RO-'));
  expect(files).toEqual(
    ['places-1', 'places-2', 'postcodes-1', 'postcodes-2'].map((name) => `/sitemaps/RO-${name}.xml.gz`),
  );
  const paths = await Promise.all(files.map((file) => sitemapOf(site, file)));
  expect(paths.map(({ length }) => length)).toEqual([50_000, 30, 50_000, 30]);
  expect(new Set(paths.flat()).size).toBe(2 * rows.length);
});
