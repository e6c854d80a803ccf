/** Searching, suggesting and locating. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { placeWords, search } from '../../src/site/reading/place-search.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { cityOf } from '../fixtures/gazetteer.js';
import { type FixtureRow, HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { createSite, linksIn, mapIn, type SiteScene, sectionIn, textOf } from './site-scene.js';

let snapshot: Snapshot;
let site: SiteScene;

beforeAll(async () => {
  snapshot = await openFixture(HAND_MADE_ROWS);
  site = createSite(snapshot);
});

interface Hit {
  readonly name: string;
  readonly where: string;
  readonly path: string;
}

async function suggest(query: string): Promise<Hit[]> {
  const { status, body, headers } = await site.get(`/suggest?q=${encodeURIComponent(query)}`);
  expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
  return body as Hit[];
}

describe('suggestions', () => {
  test('are told apart by what they lie in', async () => {
    const hits = await suggest('springfield');
    expect(hits.length).toBeGreaterThan(2);
    expect(new Set(hits.map(({ name, where }) => `${name}, ${where}`)).size).toBe(hits.length);
    for (const { path } of hits) expect((await site.get(path)).status).toBe(200);
  });

  test('of a country, of a code, and of a local name', async () => {
    expect((await suggest('united st'))[0]).toEqual({
      name: 'United States',
      where: 'Country',
      path: '/united-states',
    });
    expect((await suggest('ad100'))[0]).toEqual({
      name: 'AD100',
      where: 'Canillo, Andorra',
      path: '/andorra/postcode/AD100',
    });
    expect((await suggest('추자면')).map(({ path }) => path)[0]).toMatch(/^\/south-korea\//);
  });

  test.each([
    ['us', '/united-states'],
    [' USA ', '/united-states'],
    ['Ad', '/andorra'],
    ['gbr', '/united-kingdom'],
    ['UK', '/united-kingdom'],
    ['jp', '/japan'],
  ])('of the code %j begin with its country, once', async (code, path) => {
    const paths = (await suggest(code)).map((hit) => hit.path);
    expect([paths[0], paths.filter((one) => one === path).length]).toEqual([path, 1]);
  });

  test.each([
    ['japan', 'Japan'],
    ['日本', 'Japan'],
    ['Nara, Japan', 'Japan'],
    ['bahamas', 'The Bahamas'],
  ])('of %j, a country without data, say so, and so does the search page', async (query, name) => {
    const { path } = (await suggest(query))[0] as Hit;
    expect((await suggest(query))[0]).toMatchObject({ where: 'Country, not in this release' });
    const { text } = await site.get(`/search?q=${encodeURIComponent(query)}`);
    expect(text).toContain(`<p>${name} is not in this release.`);
    expect(linksIn(text, '/search')).toContain(path);
  });

  test.each(['springfield', 'andorra', 'York, United Kingdom', 'qqqq'])('of %j do not', async (query) => {
    const { text } = await site.get(`/search?q=${encodeURIComponent(query)}`);
    expect(text).not.toContain('not in this release');
  });

  test('of a city of a country without data say where it is, if nothing else has its name', async () => {
    const andorra = HAND_MADE_ROWS.AD ?? [];
    const cities = [
      cityOf('EG', 'Cairo', 30.06, 31.25, { population: 9_600_000, otherNames: ['القاهرة'] }),
      cityOf('NG', 'Canillo', 6.45, 3.39, { population: 15_000_000 }),
    ];
    const scene = createSite(await openFixture({ AD: andorra }, cities));
    const search = async (query: string): Promise<string> =>
      (await scene.get(`/search?q=${encodeURIComponent(query)}`)).text;
    const says = (name: string): string =>
      `<p><span dir="auto">${name}</span> is in Egypt, of which this release has no postal codes.</p>`;
    for (const query of ['cairo', 'القاهرة']) {
      expect(await search(query)).toContain(says(query));
      const { body } = await scene.get(`/suggest?q=${encodeURIComponent(query)}`);
      expect(body).toEqual([{ name: 'Egypt', where: `Country of ${query}, not in this release`, path: '/egypt' }]);
    }
    expect(await search('<b>Cairo</b>')).not.toContain('of which');
    expect(await search('"<Cairo>')).toContain(says('&quot;&lt;Cairo&gt;'));
    expect((await scene.get('/search?q=Cairo&country=AD')).text).not.toContain('of which');
    expect(await search('Cairo hotel')).not.toContain('of which');
    const found = await search('canillo');
    expect(found).toContain('<p>Nigeria is not in this release.</p>');
    expect(linksIn(found, '/search')).toContain('/andorra/canillo');
    expect(found).not.toContain('of which');
  });

  test('of words that hold a code do not', async () => {
    expect((await suggest('us springfield')).map(({ path }) => path)).not.toContain('/united-states');
  });

  test('have a name once, however it is spelled', () => {
    expect(placeWords('Réunion', ['97400', 'Réunion', 'Reunion'])).toBe('97400');
    expect(placeWords('Saint-Denis', [null, 'Réunion', 'Réunion', 'Reunion'])).toBe('Réunion');
    expect(placeWords('Monaco', [null, 'Monaco'])).toBe('Monaco');
  });

  test.each(['', ' ', '***', '\u0000', 'x'.repeat(500), '%', '<script>', '🏝'])('%j is answered', async (query) => {
    expect(Array.isArray(await suggest(query))).toBe(true);
  });
});

describe('the search page', () => {
  test('lists what is found, keeps what was typed, and is not for search engines', async () => {
    const { text, headers } = await site.get('/search?q=New+York');
    expect(linksIn(text, '/search')).toContain('/united-states/new-york');
    expect(text).toContain('value="New York"');
    expect(text).toContain('content="noindex"');
    expect(headers['cache-control']).toBe('no-store');
  });

  test('limited to a country without data says so, and of one with data to spell differently', async () => {
    const absent = (await site.get('/search?q=10115&country=JP')).text;
    expect(absent).toContain('<p>Japan is not in this release.</p>');
    expect(absent).not.toContain('No results');
    expect(linksIn(absent, '/search')).not.toContain('/japan');
    const covered = (await site.get('/search?q=qqqqqqqq&country=AD')).text;
    expect(covered).toContain('Try fewer letters or another spelling.');
    expect(covered).not.toContain('not in this release');
  });

  test('says so where nothing is found, or nothing was typed', async () => {
    expect((await site.get('/search?q=qqqqqqqq')).text).toContain('No results for “<span dir="auto">qqqqqqqq</span>”');
    expect(textOf((await site.get('/search')).text, 'h1')).toBe('Search');
    expect((await site.get('/search?q=%E0%A4%A')).status).toBe(200);
    expect((await site.get('/search?q=%3Cscript%3Ealert(1)%3C/script%3E')).text).not.toContain('<script>alert');
  });
});

describe('results', () => {
  let cities: SiteScene;
  beforeAll(async () => {
    const row = (code: string, name: string, region: string) =>
      [code, name, region, '', '', 47 + Number(code) / 1e5, 9.5] as const;
    cities = createSite(
      await openFixture({
        DE: [row('10115', 'Berlin', 'Berlin'), row('10117', 'Berlin', 'Berlin'), row('20095', 'Hamburg', 'Hamburg')],
        EE: [row('10115', 'Tallinn', 'Harju')],
        LT: [row('10115', 'Driezai', 'Alytaus'), row('10117', 'Berlin', 'Alytaus')],
      }),
    );
  });
  const hits = async (query: string): Promise<string[]> => {
    const { text } = await cities.get(`/search?q=${query}`);
    const [, list = ''] = /<ol class="hits">(.*?)<\/ol>/s.exec(text) ?? [];
    return [...list.matchAll(/<li>(.*?)<\/li>/gs)].map(([, line = '']) => line.replace(/<[^>]*>/g, ''));
  };

  test('have one line for each code, that of the country with the most people first, and none for its places', async () => {
    expect(await hits('10115')).toEqual([
      '10115 Berlin, Germany',
      '10115 Driezai, Lithuania',
      '10115 Tallinn, Estonia',
    ]);
  });

  test('have the same order on the page of the code in another country', async () => {
    const { text } = await cities.get('/germany/postcode/10115');
    expect(linksIn(sectionIn(text, 'elsewhere'), '/')).toEqual([
      '/lithuania/postcode/10115',
      '/estonia/postcode/10115',
    ]);
  });

  test('of one name in one country are one line, but a city with far more codes than the others', async () => {
    const row = (code: string, name: string, region: string, latitude: number, district = '') =>
      [code, name, region, district, '', latitude, 9.5] as const;
    const many = Array.from({ length: 30 }, (_, at) => row(String(40_000 + at), 'Altstadt', 'Hessen', 50));
    const scene = createSite(
      await openFixture({
        DE: [
          row('10001', 'Neustadt', 'Bayern', 48),
          row('20001', 'Neustadt', 'Hessen', 50, 'Kassel'),
          row('30001', 'Neustadt', 'Sachsen', 51),
          ...['50001', '60001', '70001'].map((code, at) =>
            row(code, 'Altstadt', ['Bayern', 'Berlin', 'Sachsen'][at] ?? '', 48 + at),
          ),
          ...many,
        ],
        EE: [row('10001', 'Neustadtsee', 'Harju', 59)],
      }),
    );
    const find = async (query: string): Promise<{ lines: string[]; maps: string[] }> => {
      const { text } = await scene.get(`/search?q=${query}`);
      const lists = [...text.matchAll(/<ol class="hits">(.*?)<\/ol>/gs)].map(([, list = '']) => list).join('');
      const words = lists.replace(/<\/?li>|<\/?ul>/g, '|').replace(/<[^>]*>/g, '');
      const lines = words
        .split(/\|+/)
        .map((line) => line.trim())
        .filter((line) => line !== '');
      return { lines, maps: [...text.matchAll(/<figure class="map">.*?<\/figure>/gs)].map(([map]) => map) };
    };
    const neustadt = await find('neustadt');
    expect(neustadt.lines).toEqual([
      'Neustadt 3 states of Germany',
      'Sachsen 30001',
      'Bayern 10001',
      'Hessen 20001',
      'Neustadtsee 10001, Harju, Estonia',
    ]);
    expect(linksIn(neustadt.maps[0] ?? '', '/')).toHaveLength(3);
    for (const state of ['Bayern', 'Hessen', 'Sachsen']) expect(neustadt.maps[0]).toContain(`>${state}</text>`);
    expect(linksIn(neustadt.maps[1] ?? '', '/')).toEqual(['/estonia/harju/neustadtsee']);
    expect(neustadt.maps[1]).toContain('>Estonia</text>');
    const altstadt = await find('altstadt');
    expect(altstadt.lines).toEqual([
      'Altstadt 30 codes, Hessen, Germany',
      'Altstadt 3 states of Germany',
      'Berlin 60001',
      'Bayern 50001',
      'Sachsen 70001',
    ]);
    expect(altstadt.maps[0]).toMatch(/<g class="own"><text [^>]*>Altstadt<\/text><\/g>/);
  });

  test('are on a map: the first marked, of a country the country', async () => {
    const mapOf = async (query: string): Promise<string> => mapIn((await cities.get(`/search?q=${query}`)).text);
    const map = await mapOf('20095');
    expect(map).toContain('<path class="here"');
    expect(map).toContain('<b dir="auto">20095</b> in Germany. The map is 600 km wide.');
    expect(await mapOf('101')).toContain('and other results.');
    expect(await mapOf('germany')).toContain('/DE.svg"');
    expect(await mapOf('qqqq')).toBe('');
  });

  test('have one line for each city, at its canonical address', async () => {
    const lines = await hits('berlin');
    expect(lines.filter((line) => line.includes('Germany'))).toHaveLength(1);
    expect(new Set(lines).size).toBe(lines.length);
  });

  test('are limited to a country and to a kind', async () => {
    expect(await hits('10115&country=EE')).toEqual(['10115 Tallinn, Estonia']);
    expect(await hits('10115&kind=place')).toEqual([]);
    expect(await hits('10115&kind=postcode&country=DE')).toEqual(['10115 Berlin, Germany']);
    expect(await hits('10115&country=XX&kind=none')).toHaveLength(3);
    const { text } = await cities.get('/search?q=10115&country=EE');
    expect(linksIn(text, '/search')).toEqual(expect.arrayContaining(['/search?q=10115', '/search?q=10115&country=DE']));
    expect(text).toContain('<a href="/search?q=10115&amp;country=EE" aria-current="true" dir="auto">Estonia</a>');
  });
});

test.each(['germany', 'japan', 'san', 'york', 'Nara, Japan', 'ad100', 'AD', 'springfield'])(
  'no link that limits the results of %j leads to none',
  async (query) => {
    const seen = new Set<string>();
    const visit = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      seen.add(path);
      const { text } = await site.get(path);
      expect({ path, hasResults: text.includes('<ol class="hits">') }).toEqual({ path, hasResults: true });
      const rows = [...text.matchAll(/<nav class="filters".*?<\/nav>/gs)].map(([row]) => row).join('');
      for (const link of linksIn(rows, path)) await visit(link);
    };
    await visit(`/search?q=${encodeURIComponent(query)}`);
  },
);

test('a code that the data lack leads to the town of its block, and says so, unless a country has it', async () => {
  const PL = ['00-002', '00-003', '00-910', '01-001', '01-002'].map(
    (code): FixtureRow => [code, 'Warszawa', 'Mazowieckie', '', '', 52, 21],
  );
  const ofBlocks = createSite(await openFixture({ ...HAND_MADE_ROWS, PL }));
  const find = async (query: string): Promise<Hit> =>
    ((await ofBlocks.get(`/suggest?q=${encodeURIComponent(query)}`)).body as Hit[])[0] as Hit;
  for (const query of ['00-950', 'pl 00-950']) {
    const { name, where, path } = await find(query);
    const code = query.toUpperCase();
    expect([name, where]).toEqual([
      'Warszawa',
      `Inferred from the codes around ${code}, which this release lacks, Poland`,
    ]);
    expect((await ofBlocks.get(path)).status).toBe(200);
    expect((await ofBlocks.get(`/search?q=${encodeURIComponent(query)}`)).text).toContain(where);
  }
  expect((await find('00-910')).name).toBe('00-910');
  expect((await ofBlocks.get('/search?q=00-910')).text).not.toContain('Inferred');
  expect((await ofBlocks.get('/search?q=05-950')).text).not.toContain('Inferred');
});

describe('the nearest place', () => {
  test('is found in whatever country', async () => {
    const { body } = await site.get('/nearest?lat=42.501&lng=1.5');
    expect(body).toMatchObject({ name: 'Andorra la Vella', path: '/andorra/andorra-la-vella' });
    expect(body.distanceKm).toBeCloseTo(0.111, 2);
    expect((await site.get(body.path)).status).toBe(200);
  });

  test.each(['lat=0.5&lng=-120', '', 'lat=91&lng=0', 'lat=NaN&lng=0', 'lat=1e1&lng=0', 'lat=&lng='])(
    '%j is none',
    async (query) => {
      const { status, body } = await site.get(`/nearest?${query}`);
      expect([status, body]).toEqual([200, null]);
    },
  );
});

test('the start of codes is not the code that it is without its space or with zeros before it', async () => {
  const searched = await openFixture({
    GB: [
      ['EH1', 'Edinburgh', 'Scotland', '', '', 55.95, -3.19],
      ['EH11', 'Gorgie', 'Scotland', '', '', 55.93, -3.24],
    ],
    US: [
      ['09021', 'Agawam', 'Massachusetts', '', '', 42.07, -72.63],
      ['90210', 'Beverly Hills', 'California', '', '', 34.09, -118.41],
    ],
  });
  const country = searched.countryByCode.get('US');
  const namesOf = (text: string, filter = {}): string[] =>
    search(searched, text, 10, filter).hits.map(({ name }) => name);
  expect(namesOf('EH1 1')).toEqual(['Edinburgh', 'Gorgie']);
  expect(namesOf('EH11')[0]).toBe('EH11');
  expect(namesOf('9021', { country })).toEqual(['Beverly Hills', 'Agawam']);
});
