/** Lists of what lies in a country or a place: areas first, other places behind them, page by page. */
import { describe, expect, test } from '@jest/globals';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import type { RowsByCountry } from '../fixtures/hand-made-release.js';
import { createSite, linksIn, mapIn, readPage, type SiteScene, sectionIn, textOf } from './site-scene.js';

type Row = RowsByCountry[string][number];

const inRegion = (code: string, region: string): Row => [code, `Town ${code}`, region, '', '', 47.14, 9.52];
const alone = (index: number): Row => [String(9000 + index), `Camp ${9000 + index}`, '', '', '', 47.2, 9.6];

async function siteOf(rows: readonly Row[]): Promise<SiteScene> {
  return createSite(await openFixture({ LI: [...rows] }));
}

/** Headings and links of what lies in the country or place at `path`, in their order on the page. */
async function listAt(site: SiteScene, path: string): Promise<{ headings: string[]; links: string[] }> {
  const list = sectionIn(await readPage(site, path), 'within');
  const headings = [...list.matchAll(/<(h3|p class="more"|summary)>.*?<\/(h3|p|summary)>/g)].map(([one, , element]) =>
    textOf(one, element as string),
  );
  const isListed = (link: string): boolean => !link.includes('?') && link !== '/liechtenstein';
  return { headings, links: linksIn(list, path).filter(isListed) };
}

describe('the list of a country', () => {
  test('has areas, and what lies in none of them behind a link', async () => {
    const site = await siteOf([alone(1), inRegion('9490', 'Oberland'), inRegion('9491', 'Unterland')]);
    expect(await listAt(site, '/liechtenstein')).toEqual({
      headings: ['2 municipalities', '1 city, town or village outside the municipalities'],
      links: ['/liechtenstein/oberland', '/liechtenstein/unterland'],
    });
    expect((await listAt(site, '/liechtenstein?page=2')).links).toEqual(['/liechtenstein/camp-9001']);
  });

  test('has every place once, areas on pages of their own where there are many', async () => {
    const regions = Array.from({ length: 101 }, (_, index) => inRegion(String(8000 + index), `Region ${1000 + index}`));
    const site = await siteOf([...regions, ...Array.from({ length: 120 }, (_, index) => alone(index))]);
    const pages = [];
    for (let page = 1; page <= 4; page++)
      pages.push(await listAt(site, `/liechtenstein${page === 1 ? '' : `?page=${page}`}`));
    expect(pages.map(({ headings, links }) => [...headings, links.length])).toEqual([
      ['101 municipalities', 100],
      ['101 municipalities', '120 cities, towns and villages outside the municipalities', 1],
      ['120 cities, towns and villages outside the municipalities', 100],
      ['120 cities, towns and villages outside the municipalities', 20],
    ]);
    expect(new Set(pages.flatMap(({ links }) => links)).size).toBe(221);
    expect((await site.get('/liechtenstein?page=2')).text).toContain(
      '<a href="/liechtenstein?page=3">120 cities, towns and villages outside the municipalities</a>',
    );
    expect((await site.get('/liechtenstein?page=5')).status).toBe(404);
  });

  test('without areas has its cities at once', async () => {
    const site = await siteOf([alone(1), alone(2)]);
    const { headings, links } = await listAt(site, '/liechtenstein');
    expect([headings, links]).toEqual([
      ['2 cities, towns and villages'],
      ['/liechtenstein/camp-9001', '/liechtenstein/camp-9002'],
    ]);
  });

  test('lists areas of a lower kind apart', async () => {
    const district: Row = ['9492', 'Ruggell', '', 'Somewhere', '', 47.24, 9.53];
    const site = await siteOf([inRegion('9490', 'Oberland'), district]);
    expect((await listAt(site, '/liechtenstein')).headings).toEqual(['1 municipality', '1 district']);
  });
});

test('beside an area with several cities stand the areas around it', async () => {
  const letters = Array.from({ length: 20 }, (_, index) => `Region ${String.fromCharCode(65 + index)}`);
  const rows = letters.flatMap((region, index) => [
    inRegion(String(8000 + index), region),
    inRegion(String(8100 + index), region),
  ]);
  const site = await siteOf([...rows, alone(1)]);
  const besideAt = async (path: string): Promise<string> =>
    linksIn(sectionIn(await readPage(site, path), 'beside'), path)
      .map((link) => link.replace('/liechtenstein/region-', ''))
      .join('');
  expect(await besideAt('/liechtenstein/region-a')).toBe('bcdefghijklm');
  expect(await besideAt('/liechtenstein/region-j')).toBe('defghiklmnop');
  expect(await besideAt('/liechtenstein/region-t')).toBe('hijklmnopqrs');
  expect(await besideAt('/liechtenstein/camp-9001')).toBe('');
});

describe('of a city with many organisations', () => {
  const town = (index: number): Row => [String(22001 + index), `Town ${index}`, 'Nord', '', '', 50 + index / 1000, 3];
  const office = (index: number): Row => [
    `${59001 + index} CEDEX`,
    `Office ${index}`,
    'Nord',
    '',
    '',
    50 + index / 1000,
    3.01,
  ];
  const siteWith = async (officeCount: number): Promise<string> => {
    const towns = Array.from({ length: 100 }, (_, index) => town(index));
    const offices = Array.from({ length: officeCount }, (_, index) => office(index));
    return (await createSite(await openFixture({ FR: [...towns, ...offices] })).get('/france/nord')).text;
  };
  const foldedIn = (text: string): string =>
    (text.match(/<details>.*?<\/details>/gs) ?? []).find((one) => one.includes('organisations with')) ?? '';

  test('the page has some with a link to all, and of few it has all', async () => {
    const many = foldedIn(await siteWith(51));
    expect(many.match(/<li>/g)).toHaveLength(10);
    expect(many).toContain('<a href="/france/nord?page=2">All 51 organisations</a>');
    const few = foldedIn(await siteWith(50));
    expect(few.match(/<li>/g)).toHaveLength(50);
    expect(few).not.toContain('class="more"');
  });

  test('the map has cells of the codes of places, and of no organisation', async () => {
    const text = await siteWith(51);
    const map = mapIn(text);
    const links = linksIn(map, '/');
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !link.startsWith('/france/postcode/'))).toEqual([]);
    expect(map).not.toContain('Office');
  });
});
