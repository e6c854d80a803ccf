/** Full codes on the site: their pages, the lists of first parts and places, and the results of a search. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Country } from '../../src/core/snapshot/snapshot.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { type FixtureRow, lineOf } from '../fixtures/hand-made-release.js';
import { createRandom } from '../fixtures/random.mjs';
import {
  canonicalIn,
  createSite,
  linkedDataIn,
  linksIn,
  mapIn,
  readPage,
  type SiteScene,
  sectionIn,
  textOf,
} from './site-scene.js';

const ROWS: Readonly<Record<string, readonly FixtureRow[]>> = {
  GB: [
    ['SW1A', 'Westminster Abbey', 'England', 'Greater London', '', 51.5, -0.13],
    ['SW1A', 'Whitehall', 'England', 'Greater London', '', 51.504, -0.127],
    ['M1', 'Manchester', 'England', 'Greater Manchester', '', 53.47, -2.23],
    ['M2', 'Manchester', 'England', 'Greater Manchester', '', 53.48, -2.24],
    ['BT1', 'Belfast', 'Northern Ireland', '', '', 54.6, -5.93],
    // The path of a code's page.
    ['B1', 'SW1A 2AA', 'Postcode', '', '', 51.6, -0.2],
  ],
  NL: [['1012', 'Amsterdam', 'Noord-Holland', '', '', 52.37, 4.9]],
};
const LETTERS = [...'ABDEFGHJLNPQRSTUWXYZ'];
/** Of one sector of M1 more than a page has. */
const OF_M1 = LETTERS.flatMap((a) => LETTERS.slice(0, 13).map((b) => `M1 1${a}${b}`)).concat('M1 2AA');
const FULL: readonly (readonly [code: string, name: string, latitude: number, longitude: number])[] = [
  ['SW1A 1AA', 'Westminster Abbey', 51.501, -0.1416],
  ['SW1A 1AB', 'Westminster Abbey', 51.501, -0.1416],
  ['SW1A 1AC', 'Westminster Abbey', 51.5011, -0.14],
  ['SW1A 2AA', 'Whitehall', 51.50334, -0.12765],
  ['M2 1AA', 'Manchester', 53.48, -2.24],
  ...OF_M1.map((code, at) => [code, 'Manchester', 53.47 + at / 1e4, -2.23] as const),
];
const UK = '/united-kingdom';
const pathOf = (code: string): string => `${UK}/postcode${code === 'SW1A 2AA' ? ':' : '/'}${encodeURIComponent(code)}`;
const sectorPath = (sector: string): string => `${UK}/postcodes/${encodeURIComponent(sector)}`;

let site: SiteScene;
/** Without full codes. */
let plain: SiteScene;
beforeAll(async () => {
  const lines = FULL.map(([code, name, ...point]) => lineOf('GB', [code, name, 'England', '', '', ...point]));
  site = createSite(await openFixture({ ...ROWS, GB_full: lines }));
  plain = createSite(await openFixture(ROWS));
});

const read = (path: string, scene = site): Promise<string> => readPage(scene, path);
const linksOf = (page: string, id: string): string[] => linksIn(sectionIn(page, id), '/');
const isCodePath = (path: string): boolean => FULL.some(([code]) => pathOf(code) === path);

describe('the page of a full code', () => {
  test('has its position, its place with the units around it, its first part and its neighbours', async () => {
    const page = await read(pathOf('SW1A 1AB'));
    expect(textOf(page, 'h1')).toBe('SW1A 1AB · Westminster Abbey');
    expect(page).toContain('>51.501, -0.1416</code>');
    const units = [`${UK}/england/greater-london`, `${UK}/england`];
    expect(linksOf(page, 'places')).toEqual([`${UK}/england/greater-london/westminster-abbey`, ...units]);
    const near = ['SW1A 1AA', 'SW1A 1AC', 'SW1A 2AA'].map(pathOf);
    expect(linksOf(page, 'nearest')).toEqual(near);
    expect(sectionIn(page, 'nearest').replace(/<[^>]*>/g, '')).toMatch(
      /1AA .*here\s*SW1A 1AC .* 110 m\s*SW1A 2AA .* 1\.0 km/s,
    );
    // One code of each point has a cell.
    for (const link of near.slice(1)) expect(linksIn(mapIn(page), '/')).toContain(link);
    expect(mapIn(page)).toMatch(/<g class="cells own"><a href="\/united-kingdom\/postcode\/SW1A%201AB"/);
    const trail = linksIn(/<nav class="trail".*?<\/nav>/s.exec(page)?.[0] ?? '', '/');
    expect(trail).toEqual([UK, `${UK}/postcodes`, pathOf('SW1A'), sectorPath('SW1A 1')]);
    expect(linksIn(/<dl class="facts">.*?<\/dl>/s.exec(page)?.[0] ?? '', '/')).toEqual([
      `${UK}/england/greater-london/westminster-abbey`,
      ...['SW1A 1AA', 'SW1A 1AC'].map(pathOf),
    ]);
    expect(canonicalIn(page)).toBe(pathOf('SW1A 1AB'));
    expect(linkedDataIn(page)[0]).toMatchObject({ itemListElement: { length: 4 } });
    for (const path of linksIn(page, '/').filter((one) => one.startsWith(UK))) await read(path);
    expect(await read(pathOf('SW1A 2AA'))).toContain('>51.50334, -0.12765</code>');
  });

  test.each([
    ['/uk/postcode/sw1a1ab', pathOf('SW1A 1AB')],
    [`${UK}/postcode/GB-SW1A-1AB`, pathOf('SW1A 1AB')],
    [`${UK}/postcode:SW1A%201AB`, pathOf('SW1A 1AB')],
    // The path of a place.
    [`${UK}/postcode:sw1a2aa`, pathOf('SW1A 2AA')],
    [`${UK}/postcode/sw1a9zz`, pathOf('SW1A 9ZZ')],
    [`${UK}/postcode/gb-bt1%201aa`, pathOf('BT1 1AA')],
    ['/the-netherlands/postcode/1012%20AB', '/the-netherlands/postcode/1012'],
    [`${UK}/postcodes/sw1a%202`, sectorPath('SW1A 2')],
  ])('%s leads to %s', async (path, expected) => {
    const { status, headers } = await site.get(path);
    expect([status, headers.location]).toEqual([308, expected]);
  });

  test('that the data lack is that of its first part, and names the code', async () => {
    for (const [code, first] of [
      ['SW1A 9ZZ', 'SW1A'],
      ['BT1 1AA', 'BT1'],
    ] as const) {
      const [page, own] = [await read(pathOf(code)), await read(pathOf(first))];
      expect(canonicalIn(page)).toBe(pathOf(first));
      expect(page.replace(/<p>[^\n]*?<b class="whole">.*?<\/p>/, '')).toBe(own);
      expect(page).toContain(`>${code}</b>`);
      const known = { 'if-none-match': (await site.get(pathOf(code))).headers.etag as string };
      expect((await site.get(pathOf(code), known)).status).toBe(304);
    }
    expect((await site.get(`${UK}/postcode/ZE1%209ZZ`)).status).toBe(404);
    expect((await plain.get(pathOf('SW1A 9ZZ'))).headers.location).toBe(pathOf('SW1A'));
  });
});

describe('full codes are listed', () => {
  test('by sector, on the pages of a first part and of a place with it, which has its own', async () => {
    const codesOn = async (path: string): Promise<string[]> => linksOf(await read(path), 'full-codes');
    expect(await codesOn(pathOf('SW1A'))).toEqual(['SW1A 1AA', 'SW1A 1AB', 'SW1A 1AC', 'SW1A 2AA'].map(pathOf));
    const headings = sectionIn(await read(pathOf('SW1A')), 'full-codes').match(/<h3>.*?<\/h3>/g);
    expect(headings).toEqual(['<h3>SW1A 1</h3>', '<h3>SW1A 2</h3>']);
    expect(await codesOn(`${UK}/england/greater-london/whitehall`)).toEqual([pathOf('SW1A 2AA')]);
    expect(await codesOn(`${UK}/england/greater-london/westminster-abbey`)).toHaveLength(3);
    expect(await codesOn(`${UK}/england/greater-manchester/manchester`)).toEqual(
      ['M1 1', 'M1 2', 'M2 1'].map(sectorPath),
    );
    for (const path of [pathOf('BT1'), pathOf('SW1A 1AA'), '/the-netherlands/postcode/1012'])
      expect(await codesOn(path)).toEqual([]);
    expect(await read(pathOf('BT1'))).toMatch(/first part of codes .* no full codes of BT1\./);
    expect(linksOf(await read(pathOf('SW1A'), plain), 'full-codes')).toEqual([]);
  });

  test('of many only the sectors, whose pages have each code once', async () => {
    const sectors = linksOf(await read(pathOf('M1')), 'full-codes');
    expect(sectors).toEqual(['M1 1', 'M1 2'].map(sectorPath));
    const pages = [sectorPath('M1 1'), `${sectorPath('M1 1')}?page=2`, sectorPath('M1 2')];
    const listed: string[] = [];
    for (const path of pages) {
      const page = await read(path);
      expect(canonicalIn(page)).toBe(path);
      expect(page.length).toBeLessThan(40_000);
      listed.push(...linksIn(page, '/').filter(isCodePath));
    }
    expect(listed).toEqual(OF_M1.map(pathOf));
    for (const path of [`${sectorPath('M1 1')}?page=3`, sectorPath('M1 3'), sectorPath('M1 1A'), sectorPath('X9 1')])
      expect([path, (await site.get(path)).status]).toEqual([path, 404]);
    expect((await plain.get(sectorPath('M1 1'))).status).toBe(404);
  });
});

describe('a search', () => {
  const suggest = async (query: string, scene = site): Promise<{ name: string; where: string; path: string }[]> =>
    (await scene.get(`/suggest?q=${encodeURIComponent(query)}`)).body as never;

  test.each([
    ['SW1A 1AA', ['SW1A 1AA']],
    ['sw1a2aa', ['SW1A 2AA']],
    ['10 Downing Street, London SW1A 2AA', ['SW1A 2AA']],
    ['sw1a 1a', ['SW1A 1AA', 'SW1A 1AB', 'SW1A 1AC']],
    ['SW1A', ['SW1A', 'SW1A 1AA', 'SW1A 1AB', 'SW1A 1AC']],
  ])('for %s finds %j, before any place', async (query, expected) => {
    const found = (await suggest(query)).slice(0, expected.length);
    expect(found.map(({ name }) => name)).toEqual(expected);
    expect(found.map(({ path }) => path)).toEqual(expected.map(pathOf));
  });

  test.each(['SW1A 9ZZ', 'sw1a9zz', 'BT1 1AA', '1012 AB'])(
    'for %s says what the found first part is',
    async (query) => {
      const full = query.toUpperCase().replace('A9Z', 'A 9Z');
      for (const scene of [site, plain]) {
        const [found] = await suggest(query, scene);
        expect(found?.name).toBe(full.slice(0, full.indexOf(' ')));
        expect(found?.where).toContain(full);
      }
      // The code without anything else is no part of a longer one.
      expect((await suggest('1012'))[0]?.where).toBe('Amsterdam, The Netherlands');
    },
  );
});

test('coverage calls no country short whose full codes are there', async () => {
  expect(await read('/coverage')).toContain('<a href="/united-kingdom">United Kingdom</a></th>');
});

test('the footer of every page credits the source of full codes, if there are any', async () => {
  const footerOf = (page: string): string => /<footer>.*<\/footer>/s.exec(page)?.[0] ?? '';
  const { sources } = site.snapshot.manifest;
  expect(sources.map(({ name }) => name)).toEqual(['GeoNames', 'Code-Point Open']);
  for (const path of ['/', '/coverage', pathOf('SW1A 1AA')]) {
    const footer = footerOf(await read(path));
    expect(footer).toContain(sources[1]?.attribution);
    for (const { url, license } of sources)
      for (const one of [url, license.url]) expect(footer).toContain(`href="${one}"`);
    expect((await plain.get(path)).text).not.toContain('Crown copyright');
  }
  expect(await read('/coverage/releases.atom')).toContain(sources[1]?.attribution);
});

test('damaged full codes give wrong pages, and no errors or long ones', async () => {
  const random = createRandom(5);
  const noise = <Numbers extends Uint16Array | Uint32Array | Int32Array>(numbers: Numbers): Numbers =>
    numbers.map(() => Math.floor(random() * 2 ** 32)) as Numbers;
  for (const name of ['starts', 'seconds', 'places', 'positions', 'order'] as const) {
    const countries = site.snapshot.countries.map((country) => {
      const { fullCodes, ...structures } = country.structures ?? {};
      if (fullCodes === undefined) return country;
      const damaged = { ...fullCodes, [name]: noise(fullCodes[name]) };
      return { ...country, structures: { ...structures, fullCodes: damaged } } as Country;
    });
    const countryByCode = new Map(countries.map((country) => [country.entry.code, country]));
    const scene = createSite({ ...site.snapshot, countries, countryByCode });
    for (const path of [
      ...['SW1A', 'SW1A 1AA', 'SW1A 2AA', 'SW1A 9ZZ', 'M1', 'M1 1AA', 'BT1'].map(pathOf),
      ...['SW1A 1', 'M1 1'].map(sectorPath),
      ...['greater-london', 'greater-london/whitehall'].map((place) => `${UK}/england/${place}`),
      ...['sw1a', 'sw1a+1', 'm1+1aa'].map((query) => `/search?q=${query}`),
    ]) {
      const { status, text } = await scene.get(path);
      expect([name, path, [200, 308, 404].includes(status)]).toEqual([name, path, true]);
      expect(text.length).toBeLessThan(40_000);
    }
  }
});
