/** The pages that a snapshot has: at the addresses of its answers, whole, escaped, and told apart. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { listPlaces } from '../../src/core/answers/places.js';
import { readResponseData } from '../../src/core/answers/response-data.js';
import type { PlaceResource } from '../../src/core/snapshot/rendered-places.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { createApiKey } from '../../src/keys/key/api-key.js';
import { homePage } from '../../src/site/pages/home-page.js';
import { describeFormat } from '../../src/site/reading/address-example.js';
import { BLOCK_ROWS } from '../fixtures/block-codes.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS, type RowsByCountry } from '../fixtures/hand-made-release.js';
import { NAMED_ROWS } from '../fixtures/named-release.js';
import {
  canonicalIn,
  createSite,
  decodeEntities,
  linkedDataIn,
  linksIn,
  SITE_URL,
  type SiteScene,
  sectionIn,
  textOf,
} from './site-scene.js';

type Row = RowsByCountry[string][number];

const MAX_PAGE_BYTES = 40_000;

let snapshot: Snapshot;
let site: SiteScene;
let places: PlaceResource[];

beforeAll(async () => {
  snapshot = await openFixture(HAND_MADE_ROWS);
  site = createSite(snapshot);
  places = snapshot.countries
    .filter(({ structures }) => structures !== undefined)
    .flatMap(({ entry }) => placesOf(entry.code));
});

function placesOf(country: string): PlaceResource[] {
  const read = (page: number): PlaceResource[] => {
    const input = { country, level: undefined, page, pageSize: 100 };
    const { items, hasNextPage } = JSON.parse(readResponseData(listPlaces(snapshot, input)));
    return hasNextPage ? [...items, ...read(page + 1)] : items;
  };
  return read(1);
}

const pathOf = ({ url }: PlaceResource): string => new URL(url).pathname;
const one = (path: string): PlaceResource => places.find((place) => pathOf(place) === path) as PlaceResource;

/** The section of what is nearest, and the kilometres in it. */
function nearestIn(text: string): { readonly list: string; readonly distances: number[] } {
  const list = sectionIn(text, 'nearest');
  return { list, distances: [...list.matchAll(/class="km">([\d.]+) km/g)].map(([, km]) => Number(km)) };
}

describe('the page of a place', () => {
  test('is at the url of every answer, with its name, and needs less than 40 kB', async () => {
    expect(places.length).toBeGreaterThan(300);
    const titles = new Map<string, string>();
    for (const place of places) {
      const { status, text, type } = await site.get(pathOf(place));
      expect({ path: pathOf(place), status, type }).toEqual({ path: pathOf(place), status: 200, type: 'text/html' });
      expect(textOf(text, 'h1').startsWith(place.name)).toBe(true);
      expect(Buffer.byteLength(text)).toBeLessThan(MAX_PAGE_BYTES);
      const canonical = canonicalIn(text);
      expect(places.map(pathOf)).toContain(canonical);
      titles.set(canonical, textOf(text, 'title'));
    }
    expect(new Set(titles.values()).size).toBe(titles.size);
  });

  test('lists its names in other languages, each once with its languages; so does that of a country', async () => {
    const named = createSite(await openFixture(NAMED_ROWS));
    const listIn = ({ text }: { readonly text: string }): string =>
      /<ul class="names">(.*?)<\/ul>/s.exec(text)?.[1] ?? '';
    const munich = listIn(await named.get('/germany/bayern/oberbayern/munchen'));
    expect(munich).toContain('<li><bdi lang="en">Munich</bdi> <small>English, French</small></li>');
    expect(munich).toContain('<bdi lang="he">מינכן</bdi> <small>Hebrew</small>');
    expect(munich).not.toMatch(/München|Monaco<|Minga|MUC/);
    const [germany, liechtenstein] = [await named.get('/germany'), await named.get('/liechtenstein/vaduz')];
    expect(listIn(germany)).toContain('<bdi lang="ja">ドイツ</bdi> <small>Japanese</small>');
    expect(liechtenstein.text).not.toContain('Also called');
  });

  test('has the way down to it, its local name, its code, and what lies in it', async () => {
    const { text } = await site.get('/andorra/canillo/vall/soldeu');
    expect(linksIn(text, '/andorra/canillo/vall/soldeu')).toEqual(
      expect.arrayContaining([
        '/andorra',
        '/andorra/canillo',
        '/andorra/canillo/vall',
        '/andorra/canillo/vall/soldeu/ransol',
      ]),
    );
    expect(text).toContain('href="/andorra/postcode/AD100"');
    const korean = places.find(({ localName }) => localName === '추자면') as PlaceResource;
    const page = (await site.get(pathOf(korean))).text;
    expect(page).toContain('<span class="local" dir="auto" lang="ko">추자면</span>');
    expect(page).toContain(`${korean.latitude}, ${korean.longitude}</code>`);
    expect(page).toContain(`/v1/countries/KR/places/${korean.id}`);
    expect(page).toContain('CC BY 4.0');
    expect(page).toContain('Release <a href="/coverage">fixture</a>');
  });

  test('has the nearest cities, the nearest first, each name once, and itself not among them', async () => {
    const { text } = await site.get('/andorra/canillo/canillo');
    const { list, distances } = nearestIn(text);
    expect(distances.length).toBeGreaterThan(4);
    expect(distances).toEqual([...distances].sort((a, b) => a - b));
    expect(list).not.toContain('"/andorra/canillo/canillo"');
    const names = [...list.matchAll(/dir="auto">([^<]+)</g)].map(([, name]) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('has linked data of the breadcrumb and the place', async () => {
    const place = one('/andorra/canillo/canillo');
    const [crumbs, thing] = linkedDataIn((await site.get(pathOf(place))).text);
    expect(crumbs).toMatchObject({
      '@type': 'BreadcrumbList',
      itemListElement: [
        { position: 1, name: 'Andorra', item: `${SITE_URL}/andorra` },
        { position: 2, name: 'Canillo', item: `${SITE_URL}/andorra/canillo` },
        { position: 3, name: 'Canillo', item: place.url },
      ],
    });
    expect(thing).toMatchObject({
      '@type': 'Place',
      url: place.url,
      address: { postalCode: 'AD100', addressCountry: 'AD' },
      geo: { latitude: place.latitude, longitude: place.longitude },
    });
  });

  test('escapes what a release may hold', async () => {
    const place = places.find(({ name }) => name.includes('"Maarian\\hamina"')) as PlaceResource;
    const { text } = await site.get(pathOf(place));
    expect(text).toContain('Mariehamn &quot;Maarian\\hamina&quot;');
    expect(textOf(text, 'h1')).toBe(place.name);
    const hostile = createSite(
      await openFixture({ LI: [['9490', '</title><script>alert(1)</script>', '<b>"\'&', '', '', 47.14, 9.52]] }),
    );
    const [path = ''] = linksIn((await hostile.get('/search?q=script')).text, '/search').filter((link) =>
      link.startsWith('/liechtenstein'),
    );
    const page = (await hostile.get(path)).text;
    expect(page).not.toMatch(/<script>|<b>"/);
    expect(textOf(page, 'h1')).toBe('</title><script>alert(1)</script>');
  });

  test('has pages of many children, and no page beyond', async () => {
    const path = '/liechtenstein/oberland';
    const rows = Array.from({ length: 120 }, (_, index) => {
      return [String(9000 + index), `Town ${9000 + index}`, 'Oberland', '', '', 47.1, 9.5] as const;
    });
    const many = createSite(await openFixture({ LI: rows }));
    const shown = new Set<string>();
    for (const query of ['', '?page=2']) {
      const { status, text } = await many.get(path + query);
      expect(status).toBe(200);
      expect(canonicalIn(text)).toBe(path + query);
      for (const link of linksIn(text, path)) if (link.startsWith(`${path}/`)) shown.add(link);
    }
    expect(shown.size).toBe(120);
    for (const query of ['?page=3', '?page=0', '?page=x', '?page=1e1']) {
      expect((await many.get(path + query)).status).toBe(404);
    }
  });
});

describe('addresses', () => {
  test.each([
    ['/Andorra', '/andorra'],
    ['/andorra/', '/andorra'],
    ['//andorra', '/andorra'],
    ['/andorra/CANILLO/', '/andorra/canillo'],
    ['/andorra//canillo', '/andorra/canillo'],
    ['//andorra///canillo//', '/andorra/canillo'],
    ['/andorra/canillo?page=1', undefined],
    ['/docs/', '/docs'],
    ['/DOCS', '/docs'],
    ['/docs//Operations/', '/docs/operations'],
    ['/coverage/', '/coverage'],
    ['/Coverage', '/coverage'],
    ['/search/?q=a', '/search?q=a'],
    ['/Search?q=new%20york', '/search?q=new+york'],
    ['/%53earch', '/search'],
    ['//', '/'],
    ['/aland-islands/%C3%85land', '/aland-islands/aland'],
    ['/united-kingdom/postcode/sw1a1aa', '/united-kingdom/postcode/SW1A%201AA'],
    ['/andorra/postcode/ad100', '/andorra/postcode/AD100'],
    ['/andorra/postcode:AD100', '/andorra/postcode/AD100'],
    ['/andorra/ad100', '/andorra/postcode/AD100'],
    ['/andorra/Postcode/AD100?x=1', '/andorra/postcode/AD100?x=1'],
  ])('%s is moved to %s', async (from, to) => {
    const { status, headers } = await site.get(from);
    expect([status, headers.location]).toEqual(to === undefined ? [200, undefined] : [308, to]);
  });

  test.each([
    '/nowhere',
    '/andorra/nowhere',
    '/andorra/canillo/vall/soldeu/ransol/more',
    '/andorra/postcode',
    '/andorra/%zz',
    '/%',
    `/andorra/${'x'.repeat(3000)}`,
    '/germany/postcode/',
    '/france/paris',
    '/docs/none',
    '/docs/None/',
    '/Maps/x/AD.svg',
    '/Account',
    '/maps/x/ZZ.svg',
    '/assets/x/none.js',
    '/sitemaps/AD-places-2.xml.gz',
  ])('%s is a page that searches', async (path) => {
    const { status, text, headers } = await site.get(path);
    expect([status, textOf(text, 'h1')]).toEqual([404, 'There is no page at this address']);
    expect(headers['cache-control']).toBe('no-store');
    expect(text).toContain('name="robots" content="noindex"');
  });

  test.each([
    ['/andorra/postcode/xx1', 'xx1', '/andorra'],
    ['/japan/postcode:100-0001', '100-0001', '/japan'],
    ['/andorra/postcode/%3Cb%3E', '<b>', '/andorra'],
  ])('%s is a code that its country does not have', async (path, code, country) => {
    const { status, text } = await site.get(path);
    expect([status, textOf(text, 'h1')]).toEqual([
      404,
      `No postal code ${code} in ${textOf((await site.get(country)).text, 'h1')}`,
    ]);
    expect(linksIn(text, path)).toContain(country);
    expect(text).not.toContain('<b>');
  });

  test('a code that the data lack is told with the town of its block', async () => {
    const ofBlocks = createSite(await openFixture(BLOCK_ROWS));
    const { status, text } = await ofBlocks.get('/poland/postcode/00-950');
    expect([status, textOf(text, 'h1')]).toEqual([404, 'No postal code 00-950 in Poland']);
    const [, town = ''] = /The codes around it belong to <a href="([^"]+)"[^>]*>Warszawa<\/a>/.exec(text) ?? [];
    expect(textOf((await ofBlocks.get(town)).text, 'h1')).toBe('Warszawa');
    expect((await ofBlocks.get('/poland/postcode/26-604')).text).not.toContain('The codes around it');
  });

  test('a code with a page that it does not have is there', async () => {
    const { status, text } = await site.get('/andorra/postcode/AD100?page=0');
    expect([status, textOf(text, 'h1')]).toEqual([404, 'There is no page at this address']);
  });

  test('what is not there is searched for', async () => {
    expect(linksIn((await site.get('/somewhere/new-york')).text, '/')).toContain('/united-states/new-york');
  });

  test('a postal code gives way to a place at its very path, and both have a page', async () => {
    const other = createSite(
      await openFixture({
        LI: [
          ['9490', '9490', 'Postcode', '', '', 47.14, 9.52],
          ['9491', 'Ruggell', 'Postcode', '', '', 47.24, 9.53],
        ],
      }),
    );
    const place = await other.get('/liechtenstein/postcode/9490');
    expect([place.status, linkedDataIn(place.text)[1]?.['@type']]).toEqual([200, 'Place']);
    const code = await other.get('/liechtenstein/postcode:9490');
    expect([code.status, textOf(code.text, 'h1'), linkedDataIn(code.text).length]).toEqual([200, '9490 · 9490', 1]);
    expect(linksIn(place.text, '/liechtenstein/postcode/9490')).toContain('/liechtenstein/postcode:9490');
    // A code whose path no place has is where codes are.
    expect((await other.get('/liechtenstein/postcode/9491')).status).toBe(200);
    expect((await other.get('/liechtenstein/postcode:9491')).headers.location).toBe('/liechtenstein/postcode/9491');
    expect((await other.get('/liechtenstein/postcode')).status).toBe(200);
  });
});

describe('the page of a postal code', () => {
  test('has its places, at most 100', async () => {
    const { text } = await site.get('/peru/postcode/21825');
    expect(textOf(text, 'h1')).toBe('21825 · Caserío 000');
    expect(text).toContain('The first 100 of 130 places');
    expect(linksIn(sectionIn(text, 'places'), '/')).toHaveLength(100);
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_PAGE_BYTES);
  });

  test('has its position, the codes beside it, and the nearest codes with their distances', async () => {
    const { text } = await site.get('/andorra/postcode/AD102');
    const place = places.find(({ postalCode }) => postalCode === 'AD102') as PlaceResource;
    expect(places.filter(({ postalCode }) => postalCode === 'AD102')).toHaveLength(1);
    expect(text).toContain(`<dt>Position</dt><dd><code class="copy">${place.latitude}, ${place.longitude}</code>`);
    expect(text).toMatch(/Previous code<\/dt><dd><a href="\/andorra\/postcode\/AD101"/);
    expect(text).toMatch(/Next code<\/dt><dd><a href="\/andorra\/postcode\/AD103"/);
    const { list, distances } = nearestIn(text);
    expect(distances.length).toBeGreaterThan(3);
    expect(distances).toEqual([...distances].sort((a, b) => a - b));
    expect(linksIn(list, '/')).not.toContain('/andorra/postcode/AD102');
    expect((await site.get('/andorra/postcode/AD100')).text).not.toContain('Previous code');
  });

  test('of codes that differ in spaces only, each has its own', async () => {
    const names = { 'AB1 2CD': 'Spaced', AB12CD: 'Joined', 'AB-12CD': 'Hyphened' };
    for (const [code, name] of Object.entries(names)) {
      const { status, text } = await site.get(`/united-kingdom/postcode/${encodeURIComponent(code)}`);
      expect([status, textOf(text, 'h1')]).toEqual([200, `${code} · ${name}`]);
    }
  });
});

describe('the page of a country', () => {
  test('has its facts, its roots and its lights', async () => {
    const { text } = await site.get('/andorra');
    expect(text).toContain('AD, AND');
    expect(linksIn(text, '/andorra')).toEqual(expect.arrayContaining(['/andorra/canillo', '/andorra/escaldes']));
    const [, map = ''] = /<image href="([^"]+)"/.exec(text) ?? [];
    const { status, type, body, headers } = await site.get(map);
    expect([status, type]).toEqual([200, 'image/svg+xml']);
    expect(headers['cache-control']).toContain('immutable');
    expect(String(body)).toMatch(/^<svg [^>]+><filter .*<path stroke=[^>]+\/><\/g><\/g><\/svg><\/svg>$/);
  });

  test('has an image that is another one for each release', async () => {
    const { snapshot } = site;
    const current = await site.get(`/maps/${snapshot.id}/AD.svg`);
    const before = await site.get('/maps/0123456789abcdef/AD.svg');
    expect([before.status, before.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(String(before.body)).toBe(String(current.body));
    for (const name of ['ZZ.svg', 'BV.svg', 'ad.svg', 'AD', 'AD-whole.svg', 'AD-land.svg']) {
      const { status } = await site.get(`/maps/${snapshot.id}/${name}`);
      expect([name, status]).toEqual([name, 404]);
    }
  });

  test('leads to its codes: to each where they are few, by their first characters where they are many', async () => {
    const codesOf = async (path: string): Promise<string[]> =>
      linksIn((await site.get(path)).text, path).filter((link) => link.includes('/postcode/'));
    expect(await codesOf('/andorra')).toEqual(
      ['AD100', 'AD101', 'AD102', 'AD103', 'AD104', 'AD500', 'AD501'].map((code) => `/andorra/postcode/${code}`),
    );
    const codes = Array.from({ length: 160 }, (_, index) => String(9400 + index));
    const many = createSite(await openFixture({ LI: codes.map((code) => [code, code, '', '', '', 47.1, 9.5]) }));
    const { text } = await many.get('/liechtenstein');
    const browsed = linksIn(text, '/').filter((link) => link.startsWith('/liechtenstein/postcodes/'));
    expect(browsed[0]).toBe('/liechtenstein/postcodes/940');
    expect(browsed).toHaveLength(16);
    expect(linksIn(text, '/')).toContain('/liechtenstein/postcodes');
  });

  test('has its levels in its own terms', async () => {
    expect((await site.get('/andorra')).text).toMatch(/<p class="answer">\d parishes › /);
  });

  test('counts its units as people do, and lists others apart', async () => {
    const names = ['Ohio', 'Utah', 'District of Columbia', 'Marshall Islands'];
    const rows = names.map((name, at): Row => [`1000${at}`, `Town ${at}`, name, '', '', 40 + at, -90]);
    const usa = (await createSite(await openFixture({ US: rows })).get('/united-states')).text;
    expect(/<p class="answer">(.*?)<\/p>/.exec(usa)?.[1]).toBe(
      '2 states and the District of Columbia › 4 postal codes',
    );
    expect([...usa.matchAll(/<h3>(.*?)<\/h3>/g)].map(([, heading]) => heading)).toEqual([
      '2 states and the District of Columbia',
      '1 freely associated state',
    ]);
  });

  test.each([
    [
      'US',
      ['95014', 'Cupertino', 'California', 'Santa Clara', '', 37.32, -122],
      ['Cupertino, CA 95014', 'UNITED STATES'],
    ],
    ['GB', ['EC1Y', 'London', 'England', '', '', 51.5, -0.1], ['London', 'EC1Y 8SY', 'UNITED KINGDOM']],
    ['CH', ['8001', 'Zürich', 'Kanton Zürich', '', '', 47.4, 8.5], []],
  ] as [string, Row, string[]][])('shows an envelope with a real code: %s', async (code, row, lines) => {
    const one = createSite(await openFixture({ [code]: [row] }));
    const { text } = await one.get((await one.get(`/${code}`)).headers.location as string);
    const [, shown = ''] = /<address[^>]*>(.*?)<\/address>/s.exec(text) ?? [];
    expect(shown.split('\n').slice(2)).toEqual(lines);
  });

  test.each([
    ['US', '#####|#####-####', '5 digits, or 5 digits, a hyphen and 4 digits'],
    ['CA', '@#@ #@#', 'a letter, a digit, a letter, a space, a digit, a letter and a digit'],
    ['AD', 'AD###', '“AD” and 3 digits'],
    ['GB', '@# #@@|@## #@@|@@# #@@|GIR 0AA', 'letters and digits'],
  ])('tells the format of its codes in words: %s', (country, format, words) => {
    expect(describeFormat(country, format)).toBe(words);
  });

  test('without data says so', async () => {
    const { status, text } = await site.get('/japan');
    expect([status, text.includes('No postal codes are included for Japan')]).toEqual([200, true]);
    expect(text).not.toContain('<img');
  });
});

test('the icon is also where no page says it is', async () => {
  const { status, type, headers } = await site.get('/favicon.ico');
  expect([status, type]).toEqual([200, 'image/svg+xml']);
  expect((await site.get('/favicon.ico', { 'if-none-match': headers.etag as string })).status).toBe(304);
});

test('the first page leads to a key of one’s own where there are accounts', () => {
  const bodyOf = (hasAccounts: boolean): string =>
    homePage({ snapshot, site: { siteUrl: '', apiUrl: '', hasAccounts } }).body.text;
  const [given, refused] = [linksIn(bodyOf(true), '/'), linksIn(bodyOf(false), '/')];
  expect(given.filter((path) => path === '/account')).toHaveLength(2);
  expect(refused).not.toContain('/account');
  expect(bodyOf(true)).toContain('<span class="hl-attr">&quot;countryCode&quot;</span>: ');
  for (const { entry, structures } of snapshot.countries)
    expect(refused.includes(`/${entry.slug}`)).toBe(structures !== undefined);
});

test('the coverage page has every country, and says whose codes are short', async () => {
  const { text } = await site.get('/coverage');
  const links = linksIn(text, '/coverage');
  for (const { entry } of snapshot.countries) expect(links).toContain(`/${entry.slug}`);
  const [, others = ''] = text.split('<h2>Countries without postal codes</h2>');
  const names = [...others.matchAll(/<a href="[^"]+">([^<]+)<\/a>/g)].map(([, name]) => decodeEntities(name as string));
  const shown = names.slice(0, snapshot.countries.filter(({ structures }) => structures === undefined).length);
  expect(shown).toEqual([...shown].sort((a, b) => a.localeCompare(b, 'en')));
  expect(shown.length).toBeGreaterThan(100);
  expect(decodeEntities(text)).toMatch(/United Kingdom<\/a> <i>short<\/i>/);
  expect(text).not.toMatch(/Andorra<\/a> <i>short/);
});

describe('headers', () => {
  test('every answer has the strict policy, no cookie, and nothing of other hosts', async () => {
    for (const path of [
      '/',
      '/andorra',
      '/nowhere',
      '/search?q=a',
      '/suggest?q=ab',
      '/docs',
      '/robots.txt',
      '/ANDORRA',
    ]) {
      const { headers, text } = await site.get(path);
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect([headers['set-cookie'], headers['x-powered-by']]).toEqual([undefined, undefined]);
      const loaded = [...text.matchAll(/<(?:script|link|image|img)[^>]+(?:src|href)="([^"]+)"/g)].map(
        ([, url]) => url as string,
      );
      expect(loaded.filter((url) => !url.startsWith('/') && !url.startsWith(SITE_URL))).toEqual([]);
      expect(text).not.toMatch(/ (?:style|on\w+)="|<style|javascript:/);
    }
  });

  test('a page may be kept by anybody, and is not sent twice', async () => {
    const { headers } = await site.get('/andorra/canillo');
    expect(headers['cache-control']).toBe('public, max-age=60, s-maxage=3600');
    const tag = headers.etag as string;
    for (const known of [tag, tag.slice(2), `"x", ${tag}`, '*']) {
      const again = await site.get('/andorra/canillo', { 'if-none-match': known });
      expect([again.status, again.text]).toEqual([304, '']);
    }
    expect((await site.get('/andorra/canillo', { 'if-none-match': '"x"' })).status).toBe(200);
    for (const missing of ['/andorra/nowhere', '/andorra/canillo?page=999']) {
      for (const known of [tag, '*']) expect((await site.get(missing, { 'if-none-match': known })).status).toBe(404);
    }
    expect((await site.get('/andorra', { 'if-none-match': tag })).status).toBe(200);
  });

  test('another snapshot has other tags and pages from the next request on', async () => {
    const scene = createSite(await openFixture({ LI: [['9490', 'Vaduz', '', '', '', 47.14, 9.52]] }));
    const before = await scene.get('/liechtenstein/vaduz');
    scene.snapshot = await openFixture({ LI: [['9491', 'Vaduz', '', '', '', 47.14, 9.52]] });
    const after = await scene.get('/liechtenstein/vaduz', { 'if-none-match': before.headers.etag as string });
    expect(after.status).toBe(200);
    expect([before.text.includes('9491'), after.text.includes('9491')]).toEqual([false, true]);
  });

  test('HEAD is answered as GET without the body, and no other method at all', async () => {
    const head = await request(site.app).head('/andorra');
    expect([head.status, head.text]).toEqual([200, undefined]);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(1000);
    const post = await request(site.app).post('/andorra');
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

test('a page that can not be made is a page all the same, is logged, and has the file checked', async () => {
  let failureCount = 0;
  const broken = createSite(
    new Proxy(snapshot, { get: (target, name) => (name === 'worldNames' ? undefined : Reflect.get(target, name)) }),
    { onFailure: () => void failureCount++ },
  );
  const { status, text } = await broken.get('/search?q=york');
  expect([status, textOf(text, 'h1')]).toEqual([500, 'Something went wrong']);
  expect(text).not.toContain('undefined');
  expect([broken.logger.lines.map(({ level }) => level), failureCount]).toEqual([['error'], 1]);
});

test('the log of an error has no key in it, however its URL is written', async () => {
  const key = createApiKey();
  const broken = createSite(
    new Proxy(snapshot, { get: (target, name) => (name === 'worldNames' ? undefined : Reflect.get(target, name)) }),
  );
  for (const path of [`/search?q=${key}`, `/search?q=york&key=${key}`, `/${key}`]) await broken.get(path);
  expect(broken.logger.lines).toHaveLength(3);
  expect(JSON.stringify(broken.logger.lines)).not.toContain(key.slice(3, -3));
});

test.each([
  '/docs/%E0%A4%A',
  '/docs/%',
  '/%ff',
  '/andorra/%c0%af',
  '/maps/%E0/x',
  '/account/keys/%E0/reveal',
  '/assets/%zz/x',
])('an address with bad percent-encoding is not there, and is not worth a line: %s', async (path) => {
  const scene = createSite(snapshot);
  const { status, text } = await scene.get(path);
  expect([status, textOf(text, 'h1')]).toEqual([404, 'There is no page at this address']);
  expect((await request(scene.app).post(path)).status).toBe(404);
  expect(scene.logger.lines).toEqual([]);
});

test('a country whose answer is damaged costs no search of the others', async () => {
  const text = Buffer.from(snapshot.renderedCountries.text);
  const at = text.indexOf('"alpha3":"AND"');
  text.fill('x', at, at + 20);
  const damaged = createSite({ ...snapshot, renderedCountries: { ...snapshot.renderedCountries, text } });
  for (const query of ['ad', 'li', 'lie', 'and']) {
    expect({ query, status: (await damaged.get(`/search?q=${query}`)).status }).toEqual({ query, status: 200 });
  }
  expect(linksIn((await damaged.get('/search?q=lie')).text, '/')).toContain('/liechtenstein');
  expect(linksIn((await damaged.get('/search?q=ad')).text, '/')).toContain('/andorra');
  expect((await damaged.get('/andorra')).status).toBe(500);
});
