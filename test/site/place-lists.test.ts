/** Lists of what lies in a country or a place: areas first, other places behind them, page by page. */
import { describe, expect, test } from '@jest/globals';
import type { RowsByCountry } from '../fixtures/hand-made-release.js';
import { createSite, linksIn, openFixture, type SiteScene, textOf } from './site-scene.js';

type Row = RowsByCountry[string][number];

const inRegion = (code: string, region: string): Row => [code, `Town ${code}`, region, '', '', 47.14, 9.52];
const alone = (index: number): Row => [String(9000 + index), `Camp ${9000 + index}`, '', '', '', 47.2, 9.6];

async function siteOf(rows: readonly Row[]): Promise<SiteScene> {
  return createSite(await openFixture({ LI: [...rows] }));
}

/** Headings and links of what lies in the country or place at `path`, in their order on the page. */
async function listAt(site: SiteScene, path: string): Promise<{ headings: string[]; links: string[] }> {
  const { status, text } = await site.get(path);
  expect(status).toBe(200);
  const [, list = ''] = /(<section aria-labelledby="within">.*?<\/section>)/s.exec(text) ?? [];
  const headings = [...list.matchAll(/<h3>.*?<\/h3>|<p class="note">.*?<\/p>/g)].map(([one]) =>
    textOf(one, one.startsWith('<h3') ? 'h3' : 'p'),
  );
  return { headings, links: linksIn(list, path).filter((link) => !link.includes('?') && link !== '/liechtenstein') };
}

describe('the list of a country', () => {
  test('has areas before other places, whatever their names', async () => {
    const site = await siteOf([alone(1), inRegion('9490', 'Oberland'), inRegion('9491', 'Unterland')]);
    expect(await listAt(site, '/liechtenstein')).toEqual({
      headings: ['2 regions', '1 place that belongs to no region'],
      links: ['/liechtenstein/oberland', '/liechtenstein/unterland', '/liechtenstein/camp-9001'],
    });
  });

  test('has every place once, areas on pages of their own where there are many', async () => {
    const regions = Array.from({ length: 101 }, (_, index) => inRegion(String(8000 + index), `Region ${1000 + index}`));
    const site = await siteOf([...regions, ...Array.from({ length: 120 }, (_, index) => alone(index))]);
    const pages = [];
    for (let page = 1; page <= 4; page++)
      pages.push(await listAt(site, `/liechtenstein${page === 1 ? '' : `?page=${page}`}`));
    expect(pages.map(({ headings, links }) => [...headings, links.length])).toEqual([
      ['101 regions', 100],
      ['101 regions', '120 more places that belong to no region', 1],
      ['120 places that belong to no region', 100],
      ['120 places that belong to no region', 20],
    ]);
    expect(new Set(pages.flatMap(({ links }) => links)).size).toBe(221);
    expect((await site.get('/liechtenstein?page=2')).text).toContain(
      '<a href="?page=3">120 more places that belong to no region</a>',
    );
    expect((await site.get('/liechtenstein?page=5')).status).toBe(404);
  });

  test('of one sort has no headings', async () => {
    const site = await siteOf([alone(1), alone(2)]);
    expect((await listAt(site, '/liechtenstein')).headings).toEqual(['2 places, by name']);
  });

  test('calls areas of different kinds areas', async () => {
    const district: Row = ['9492', 'Ruggell', '', 'Somewhere', '', 47.24, 9.53];
    const site = await siteOf([inRegion('9490', 'Oberland'), district]);
    expect((await listAt(site, '/liechtenstein')).headings).toEqual(['2 areas, by name']);
  });
});

test('beside an area stand areas, and beside another place such places', async () => {
  const regions = ['Alpha', 'Beta', 'Camp 8500', 'Delta'].map((name, index) => inRegion(String(8000 + index), name));
  const site = await siteOf([...regions, ...Array.from({ length: 20 }, (_, index) => alone(index))]);
  const besideAt = async (path: string): Promise<string[]> => {
    const [, list = ''] = /<section aria-labelledby="beside">(.*?)<\/section>/s.exec((await site.get(path)).text) ?? [];
    return linksIn(list, path).map((link) => link.replace('/liechtenstein/', ''));
  };
  expect(await besideAt('/liechtenstein/beta')).toEqual(['alpha', 'camp-8500', 'delta']);
  const camps = (from: number, to: number): string[] =>
    Array.from({ length: to - from + 1 }, (_, index) => `camp-${9000 + from + index}`);
  expect(await besideAt('/liechtenstein/camp-9000')).toEqual(camps(1, 12));
  expect(await besideAt('/liechtenstein/camp-9010')).toEqual([...camps(4, 9), ...camps(11, 16)]);
  expect(await besideAt('/liechtenstein/camp-9019')).toEqual(camps(7, 18));
});
