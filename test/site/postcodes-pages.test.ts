/** Browsing the codes of a country, what a code is, where it is, and other names of countries. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Route, routeTemplateOf } from '../../src/api/description/define-route.js';
import { routes } from '../../src/api/description/routes.js';
import { groupCodes } from '../../src/site/reading/codes-by-prefix.js';
import { findCountryByAlias } from '../../src/site/reading/country-aliases.js';
import { type CoveredCountry, isCovered } from '../../src/site/reading/covered-country.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import type { RowsByCountry } from '../fixtures/hand-made-release.js';
import {
  createSite,
  decodeEntities,
  factIn,
  linksIn,
  readPage,
  type SiteScene,
  sectionIn,
  textOf,
} from './site-scene.js';

const pad = (code: number): string => String(code).padStart(5, '0');

/** Codes 01000 to 01199 in Saxony, 02000 to 02009 half in Berlin, 99999 alone; "Halle" at one point with two codes. */
const ROWS: RowsByCountry = {
  DE: [
    ...Array.from(
      { length: 200 },
      (_, at) => [pad(1000 + at), `Town ${at}`, 'Saxony', '', '', 51 + at / 1000, 13] as const,
    ),
    ...Array.from(
      { length: 10 },
      (_, at) => [pad(2000 + at), `Part ${at}`, at < 4 ? 'Berlin' : 'Saxony', '', '', 52.5, 13 + at / 100] as const,
    ),
    ['99999', 'Alone', 'Berlin', '', '', 52.4, 13.3],
    ['06100', 'Halle', 'Anhalt', '', '', 51.48, 11.97],
    ['06108', 'Halle', 'Anhalt', '', '', 51.48, 11.97],
    ['06108', 'Halle Mitte', 'Anhalt', '', '', 51.4833, 11.9667],
  ],
  EE: [['02003', 'Kesklinn', 'Harju', '', '', 59.43, 24.75]],
  FR: [
    ['75007', 'Paris', 'Paris', '', '', 48.8534, 2.3488],
    ['75008', 'Paris', 'Paris', '', '', 48.8534, 2.3488],
    ['75008', 'Paris 08', 'Paris', '', '', 48.8763, 2.3183],
    ['75365 CEDEX 08', 'Paris 08', 'Paris', '', '', 48.8763, 2.3183],
    ['75386 CEDEX 08', 'Paris 08', 'Paris', '', '', 48.8763, 2.3183],
  ],
  GB: ['SW1A', 'SW2', 'SW10', 'SW1', 'SW1E'].map(
    (code, at) => [code, 'Westminster', 'England', 'London', '', 51.5 + at / 100, -0.13] as const,
  ),
  NL: [['1012', 'Amsterdam', 'Noord-Holland', '', '', 52.37, 4.9]],
};

const MANY_CODES: RowsByCountry = {
  DE: Array.from({ length: 600 }, (_, at) => [pad(10_000 + 50 * at), 'Town', 'Saxony', '', '', 51, 13] as const),
};

let site: SiteScene;

beforeAll(async () => {
  site = createSite(await openFixture(ROWS));
});

const read = (path: string): Promise<string> => readPage(site, path);

/** The lines of the first list of a page's content, without markup. */
function linesOf(text: string): string[] {
  const [, list = ''] = /<ul class="places groups">(.*?)<\/ul>/s.exec(text) ?? [];
  return [...list.matchAll(/<li>(.*?)<\/li>/gs)].map(([, line = '']) => line.replace(/<[^>]*>/g, '').trim());
}

describe('the codes of a country', () => {
  test('stand by their first characters, each group with its count and its regions, those with most codes first', async () => {
    const text = await read('/germany/postcodes');
    expect(textOf(text, 'h1')).toBe('Postal codes of Germany');
    const lines = linesOf(text);
    expect(lines).toContain('0200 10 codes · Sachsen, Berlin');
    expect(lines).toContain('0100 10 codes · Sachsen');
    // The only code of a group is a link to its page.
    expect(lines.at(-1)).toBe('99999 Alone');
    expect(linksIn(text, '/')).toContain('/germany/postcode/99999');
  });

  test('are listed with their cities where they are few', async () => {
    const text = await read('/germany/postcodes/0200');
    expect(linesOf(text)).toEqual(Array.from({ length: 10 }, (_, at) => `0200${at} Part ${at}`));
    expect(linesOf(await read('/germany/postcodes/061'))).toEqual(['06100 Halle', '06108 Halle and 1 more']);
  });

  test('are in the order in which each has the next', async () => {
    const text = await read('/united-kingdom/postcodes/SW');
    expect(text).toContain('<b>SW1 – SW10</b> · 5 postal codes');
    const links = linksIn(text, '/').filter((link) => link.includes('/postcode/'));
    expect(links.map((link) => link.replace('/united-kingdom/postcode/', ''))).toEqual([
      'SW1',
      'SW1A',
      'SW1E',
      'SW2',
      'SW10',
    ]);
    for (const [at, link] of links.slice(0, -1).entries()) {
      expect(linksIn(factIn(await read(link), 'Next code'), '/')).toEqual([links[at + 1]]);
    }
  });

  test('stand in groups in the same order', async () => {
    const rows = [10, 9, 1, 2].flatMap((area) =>
      Array.from(
        { length: 40 },
        (_, at) => [`SW${area} ${at}`, `Place ${area} ${at}`, 'England', '', '', 51 + at / 100, area / 10] as const,
      ),
    );
    const groups = linesOf((await createSite(await openFixture({ GB: rows })).get('/united-kingdom/postcodes')).text);
    const firstOf = groups.map((line) => Number(/^SW(\d+)/.exec(line)?.[1]));
    expect(firstOf).toEqual([...firstOf].sort((a, b) => a - b));
    expect(new Set(firstOf)).toEqual(new Set([1, 2, 9, 10]));
  });

  test('that is the only one is the answer, and its own address the only one that it has', async () => {
    const redirected = await site.get('/germany/postcodes/06108');
    expect([redirected.status, redirected.headers.location]).toEqual([308, '/germany/postcode/06108']);
    expect(await read('/the-netherlands/postcodes')).toContain('<b>1012</b> · 1 postal code<');
    // Other codes begin with SW1.
    expect(linesOf(await read('/united-kingdom/postcodes/SW1'))).toHaveLength(4);
    expect((await site.get('/france/postcodes/75365%20cedex%2008')).headers.location).toBe(
      '/france/postcode/75365%20CEDEX%2008',
    );
  });

  test('of organisations alone stand with the region of these', async () => {
    const rows = Array.from(
      { length: 160 },
      (_, at) => [String(60000 + at), `Town ${at}`, 'Oise', '', '', 49 + at / 1000, 2] as const,
    );
    const offices = ['75901 CEDEX 15', '75902 CEDEX 15'].map(
      (code) => [code, `Office ${code}`, 'Paris', '', '', 48.85, 2.3] as const,
    );
    const french = createSite(await openFixture({ FR: [...rows, ...offices] }));
    expect(linesOf((await french.get('/france/postcodes')).text).at(-1)).toMatch(/^7.* 2 codes · Paris$/);
  });

  test.each([
    '/germany/postcodes/05',
    '/germany/postcodes/020000',
    '/germany/postcodes/02/00',
    '/germany/postcodes?page=2',
    '/japan/postcodes',
    '/germany/postcodes/%00',
  ])('%s is not there', async (path) => {
    expect((await site.get(path)).status).toBe(404);
  });

  test('of every group lead to every code of the country', async () => {
    const seen = new Set<string>();
    const visit = async (path: string): Promise<void> => {
      for (const link of linksIn((await read(path)).replace(/<nav.*?<\/nav>/gs, ''), path)) {
        if (seen.has(link)) continue;
        if (link.startsWith('/germany/postcode/')) seen.add(link);
        if (link.startsWith('/germany/postcodes/')) {
          seen.add(link);
          await visit(link);
        }
      }
    };
    await visit('/germany/postcodes');
    expect([...seen].filter((link) => link.startsWith('/germany/postcode/'))).toHaveLength(213);
  });

  test('are at most 257 groups, however many first characters a damaged file has', async () => {
    const snapshot = await openFixture(MANY_CODES);
    const [country] = snapshot.countries.filter(isCovered) as [CoveredCountry];
    const { postcodes } = country.structures;
    const codes = { start: 0, end: postcodes.codeCount };
    expect(groupCodes(country, '', codes)).toHaveLength(30);
    // Each code begins with a character of its own.
    const codeText = Buffer.from(
      Array.from({ length: 600 }, (_, at) => `${String.fromCharCode(0x100 + at)}0`).join(''),
    );
    const codeOffsets = Uint32Array.from({ length: 601 }, (_, at) => 3 * at);
    const postcodesOfDamaged = { ...postcodes, codeText, codeOffsets };
    const damaged = { ...country, structures: { ...country.structures, postcodes: postcodesOfDamaged } };
    expect(groupCodes(damaged, '', codes)?.length).toBe(257);
  });

  test('give way to a place called as their page', async () => {
    const other = createSite(await openFixture({ LI: [['9490', 'Vaduz', 'Postcodes', '', '', 47.14, 9.52]] }));
    expect((await other.get('/liechtenstein/postcodes')).text).toContain('"@type":"Place"');
    const { status, text } = await other.get('/liechtenstein:postcodes');
    expect([status, textOf(text, 'h1')]).toEqual([200, 'Postal codes of Liechtenstein']);
    expect((await other.get('/liechtenstein:postcodes/94')).status).toBe(200);
    expect((await site.get('/germany:postcodes')).headers.location).toBe('/germany/postcodes');
  });
});

/** Whether a call is of a route, by the segments of its path. */
function isPathOf(call: string, route: Route): boolean {
  const [segments, parts] = [(call.split('?')[0] as string).split('/'), routeTemplateOf(route).split('/')];
  return segments.length === parts.length && parts.every((part, at) => part.startsWith('{') || part === segments[at]);
}

describe('a code', () => {
  test('lies at its own places, and not at the point that its city has for all codes', async () => {
    expect(await read('/germany/postcode/06108')).toContain('>51.4833, 11.9667</code>');
    expect(await read('/germany/postcode/06100')).toContain('>51.48, 11.97</code>');
    // Organisations at the point of a district don't make it a point for all codes.
    expect(await read('/france/postcode/75008')).toContain('>48.8763, 2.3183</code>');
    expect(await read('/france/postcode/75007')).toContain('>48.8534, 2.3488</code>');
  });

  test('shows calls that the API answers, with spaces encoded', async () => {
    const text = await read('/france/postcode/75365%20CEDEX%2008');
    const calls = [...text.matchAll(/<li><code class="copy"[^>]*>([^<]*)<\/code>/g)].map(([, call]) =>
      decodeEntities(call ?? ''),
    );
    expect(calls).toEqual([
      '/v1/countries/FR/postcodes/75365%20CEDEX%2008',
      '/v1/postcodes/75365%20CEDEX%2008',
      '/v1/nearby?country=FR&postcode=75365%20CEDEX%2008&by=postcode',
    ]);
    for (const call of calls) expect(routes.filter((route) => isPathOf(call, route))).toHaveLength(1);
  });

  test('that is the first part of codes says so', async () => {
    const text = await read('/united-kingdom/postcode/SW1A');
    expect(text).toContain('<b>SW1A</b> is the first part of codes such as <span class="whole">SW1A 1AA</span>.');
    expect(text).toContain('This release has no full codes of the United Kingdom.');
    expect(await read('/the-netherlands/postcode/1012')).toContain('such as <span class="whole">1012 AA</span>.');
    expect(await read('/germany/postcode/06108')).not.toContain('first part of codes');
  });

  test('of other countries is linked, best known countries or not', async () => {
    const list = sectionIn(await read('/germany/postcode/02003'), 'elsewhere');
    expect(linksIn(list, '/')).toEqual(['/estonia/postcode/02003']);
    expect(list).toContain('Kesklinn, Estonia');
    expect(await read('/germany/postcode/02004')).not.toContain('id="elsewhere"');
  });
});

test.each([
  ['/netherlands', '/the-netherlands'],
  ['/holland', '/the-netherlands'],
  ['/uk', '/united-kingdom'],
  ['/UK/postcode/sw1a1aa', '/united-kingdom/postcode/SW1A'],
  ['/usa', '/united-states'],
  ['/deutschland', '/germany'],
  ['/Deutschland/postcodes/01', '/germany/postcodes/01'],
  ['/de', '/germany'],
])('%s leads to %s', async (alias, path) => {
  const { status, headers } = await site.get(alias);
  expect([status, headers.location]).toEqual([308, path]);
});

test('names that two countries share, and no names, lead nowhere', () => {
  const { snapshot } = site;
  expect(findCountryByAlias(snapshot, 'congo')).toBeUndefined();
  expect(findCountryByAlias(snapshot, '')).toBeUndefined();
  expect(findCountryByAlias(snapshot, 'germany')?.entry.code).toBe('DE');
});
