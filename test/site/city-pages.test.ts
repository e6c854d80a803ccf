/** Pages of cities: the rows of one name in one unit are one city, a chain of single children is one page. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { readListFields } from '../../src/core/snapshot/place-fields.js';
import type { CountryStructures } from '../../src/core/snapshot/snapshot.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { cityOf } from '../fixtures/gazetteer.js';
import type { RowsByCountry } from '../fixtures/hand-made-release.js';
import { createRandom } from '../fixtures/random.mjs';
import {
  canonicalIn,
  createSite,
  factIn,
  linkedDataIn,
  linksIn,
  mapIn,
  plainText,
  readPage,
  type SiteScene,
  sectionIn,
  textOf,
} from './site-scene.js';

type Row = RowsByCountry[string][number];

const ATTICA = ['Attica', 'Centre', ''] as const;
const city = (
  name: string,
  codes: readonly number[],
  [region, district, third]: readonly [string, string, string],
): Row[] =>
  codes.map((code, index) => [String(code), name, region, district, third, 48 + (code % 100) / 1000, 9 + index / 1000]);
const from = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first + index);

/** "Bigtown" is alone in its district, "Sametown" in a district of its name, "Other" and "Third" share one. */
const ROWS: RowsByCountry = {
  FR: [
    ...city('Bigtown', [...from(75001, 5), 75010, 75020], ATTICA),
    ['75408 CEDEX 08', 'Bigtown', ...ATTICA, 48.001, 9],
    ['75420 CEDEX 08', 'Bigtown', ...ATTICA, 48.001, 9],
    ...city('Sametown', [77001], ['Attica', 'Sametown', 'Sametown']),
    ...city('Other', [76001, 76003, 76005, 76007, 76009, 76011], ['Attica', 'Shared', '']),
    ...city('Third', [76002, 76004, 76006, 76008, 76010], ['Attica', 'Shared', '']),
    ...city('Huge', [...from(80001, 450), 81002], ['Picardy', 'Coast', '']),
    ...city('Small', [81001], ['Picardy', 'Coast', '']),
  ],
};

let site: SiteScene;
let addresses: ReadonlyMap<string, string>;
/** The name of each place. */
let names: readonly string[];

beforeAll(async () => {
  const snapshot = await openFixture(ROWS);
  site = createSite(snapshot);
  const { structures } = snapshot.countryByCode.get('FR') as { readonly structures: CountryStructures };
  const entries = Array.from({ length: structures.tree.placeCount }, (_, place) => readListFields(structures, place));
  names = entries.map(({ name }) => name);
  addresses = new Map(entries.map(({ name, postalCode, path }) => [`${name} ${postalCode}`, `/france${path}`]));
});

/** The address of the row of a city that has this code. */
function addressOf(row: string): string {
  const address = addresses.get(row);
  if (address === undefined) throw new Error(`there is no ${row}`);
  return address;
}

const read = (path: string): Promise<string> => readPage(site, path);
const answerOf = (page: string): string => plainText(/<p class="answer">(.*?)<\/p>/s.exec(page)?.[1] ?? '');
const factOf = (page: string, name: string): string => plainText(factIn(page, name));
const codesIn = (page: string): string[] =>
  linksIn(sectionIn(page, 'codes'), '/')
    .filter((link) => link.includes('/postcode/'))
    .map((link) => decodeURIComponent(link.slice(link.lastIndexOf('/') + 1)));

describe('a city of several rows', () => {
  test('has one list of codes in natural order, as runs between which no other place has codes', async () => {
    const text = await read('/france/attica/centre');
    expect(codesIn(text)).toEqual(['75001', '75002', '75003', '75004', '75005', '75010', '75020']);
    expect(answerOf(text)).toBe('75001–75020 · 7 postal codes');
    expect(textOf(text, 'title')).toContain('Centre');
  });

  test('with codes of other places in between names each run, and only the number of stray codes', async () => {
    const answer = answerOf(await read(addressOf('Other 76001')));
    expect(answer).toBe('76001, 76003, 76005, 76007, 76009, 76011 · 6 postal codes');
    const huge = answerOf(await read(addressOf('Huge 80001')));
    expect(huge).toBe('80001–80450 and 1 more · 451 postal codes');
    const page = await read('/france/attica/shared');
    expect(answerOf(page)).toBe('76001–76011 · 11 postal codes');
    expect(plainText(sectionIn(page, 'within'))).toContain('Other 6 codes');
  });

  test('keeps each address, and one of them is canonical', async () => {
    const first = await read(addressOf('Bigtown 75001'));
    const second = await read(addressOf('Bigtown 75002'));
    expect([canonicalIn(first), textOf(first, 'h1'), textOf(second, 'h1')]).toEqual([
      canonicalIn(second),
      'Bigtown',
      'Bigtown',
    ]);
    expect(textOf(first, 'title')).toBe(textOf(second, 'title'));
    expect((await site.get(canonicalIn(first))).status).toBe(200);
    const known = (await site.get(addressOf('Bigtown 75002'))).headers.etag as string;
    expect((await site.get(addressOf('Bigtown 75001'), { 'if-none-match': known })).status).toBe(200);
    // The codes of a city lead to the city, whatever its rows.
    const linked = linksIn(await read('/france/postcode/75002'), '/').filter((link) => link.includes('/bigtown'));
    expect(new Set(linked)).toEqual(new Set([canonicalIn(first)]));
  });

  test('lists organisations in one line, folded up', async () => {
    const text = await read('/france/attica/centre');
    const folded = (text.match(/<details>.*?<\/details>/gs) ?? []).at(-1) ?? '';
    expect(textOf(folded, 'summary')).toBe('1 organisation with a code of its own');
    expect(folded).toContain('Bigtown</a> <span class="code">2 codes</span>');
    const [path = ''] = linksIn(folded, '/');
    const page = await read(path);
    expect(page).toContain('An organisation, post boxes or a delivery office');
    expect(linksIn(page, '/')).toEqual(
      expect.arrayContaining(['/france/postcode/75408%20CEDEX%2008', '/france/postcode/75420%20CEDEX%2008']),
    );
  });

  test('with many codes has them on pages of their own', async () => {
    const text = await read(addressOf('Huge 80001'));
    expect(codesIn(text)).toEqual([]);
    const [all = ''] = linksIn(text, '/').filter((link) => link.endsWith(':postcodes'));
    const listed: string[] = [];
    for (const query of ['', '?page=2', '?page=3']) {
      const page = await read(all + query);
      expect(canonicalIn(page)).toBe(all + query);
      listed.push(...linksIn(page, '/').filter((link) => link.includes('/postcode/')));
    }
    expect(listed).toEqual([...from(80001, 450), 81002].map((code) => `/france/postcode/${code}`));
    expect((await site.get(`${all}?page=4`)).status).toBe(404);
    expect((await site.get(`${all.toUpperCase()}`)).headers.location).toBe(all);
    expect((await site.get('/france/nowhere:postcodes')).status).toBe(404);
  });
});

describe('a chain of single children', () => {
  test('is one page that names its levels and leads onward', async () => {
    const paths = [
      '/france/attica/sametown',
      '/france/attica/sametown/sametown',
      '/france/attica/sametown/sametown/sametown',
    ];
    for (const path of paths) {
      const text = await read(path);
      expect(canonicalIn(text)).toBe('/france/attica/sametown');
      expect(answerOf(text)).toBe('Postal code 77001');
      expect(factOf(text, 'Levels')).toBe('Sametown department › Sametown arrondissement › Sametown locality');
      expect(linksIn(text, path)).toEqual(expect.arrayContaining(paths.filter((other) => other !== path)));
    }
  });

  test('of other names keeps its addresses apart', async () => {
    const unit = await read('/france/attica/centre');
    const [canonical] = [canonicalIn(unit), canonicalIn(await read(addressOf('Bigtown 75001')))];
    expect(canonical).toBe('/france/attica/centre');
    expect(factOf(unit, 'Levels')).toBe('Centre department › Bigtown locality');
  });

  test('ends where a unit has two cities', async () => {
    const text = await read('/france/attica/shared');
    expect(text).not.toContain('<dt>Levels</dt>');
    expect(plainText(sectionIn(text, 'within'))).toContain('2 cities, towns and villages');
  });
});

describe('the facts and the map of a city', () => {
  let town: SiteScene;
  let text: string;
  let pages: readonly string[];
  beforeAll(async () => {
    const row = (code: string, name: string, latitude: number): Row => [code, name, 'Bayern', '', '', latitude, 11.5];
    const rows = [row('80331', 'München', 48.1), row('80333', 'München', 48.11), row('82319', 'Starnberg', 47.7)];
    const more = { population: 1_260_391, timezone: 'Europe/Berlin', adminCodes: ['02', ''] as const };
    const snapshot = await openFixture({ DE: [...rows, row('90402', 'Far away', 49.4)] }, [
      cityOf('DE', 'München', 48.1, 11.5, more),
    ]);
    town = createSite(snapshot);
    const { structures } = snapshot.countryByCode.get('DE') as { readonly structures: CountryStructures };
    const entries = Array.from({ length: structures.tree.placeCount }, (_, place) => readListFields(structures, place));
    const paths = entries.filter(({ name }) => name === 'München').map(({ path }) => `/germany${path}`);
    pages = await Promise.all(paths.map(async (path) => (await town.get(path)).text));
    text = pages[0] ?? '';
  });

  test('are its people, its time zone and the ISO code of its region', () => {
    expect(factOf(text, 'Population')).toBe('1,260,391');
    expect(factOf(text, 'Time zone')).toBe('Europe/Berlin');
    expect(factOf(text, 'Region code')).toBe('DE-BY ISO 3166-2');
  });

  test('are those of the city at the address of each of its rows', () => {
    expect(pages.map((page) => factOf(page, 'Population'))).toEqual(['1,260,391', '1,260,391']);
  });

  test('leave out what is not known', async () => {
    const page = await read('/france/attica/centre');
    expect(factIn(page, 'Coordinates')).toMatch(
      /href="https:\/\/www\.openstreetmap\.org\/\?mlat=(\S+)&amp;mlon=(\S+)#map=13\/\1\/\2"/,
    );
    expect([factOf(page, 'Population'), factOf(page, 'Region code')]).toEqual(['', '']);
  });

  test('show the places near it, without its own', () => {
    const list = sectionIn(text, 'nearest');
    expect(linksIn(list, '/')).toHaveLength(1);
    expect(linksIn(mapIn(text), '/')).toContain('/germany/postcode/82319');
    expect(list).toContain('Starnberg');
  });

  test('stand above the calls that give them, its codes and what is near', () => {
    const [, id] = /\/places\/([0-9a-f-]{36})\?include=population,timezone,codes/.exec(text) ?? [];
    expect(text).toContain(`/v1/countries/DE/places/${id}/postcodes`);
    expect(text).toContain(`/v1/nearby?country=DE&amp;place=${id}`);
  });
});

test('a city that the release has only in parts has their codes, and lists them', async () => {
  const rowOf = (at: number): Row => [`D0${at}`, `Dublin ${at}`, 'Leinster', '', '', 53.33 + at / 100, -6.25];
  const parts = [1, 2, 3, 4, 5, 6].map(rowOf);
  const dublin = cityOf('IE', 'Dublin', 53.333, -6.249, { population: 1_024_027, adminCodes: ['L', ''] });
  const irish = createSite(await openFixture({ IE: parts }, [dublin]));
  const { text } = await irish.get('/ireland/leinster/dublin');
  const list = sectionIn(text, 'codes');
  expect(linksIn(list, '/')).toEqual([1, 2, 3, 4, 5, 6].map((at) => `/ireland/postcode/D0${at}`));
  expect(plainText(sectionIn(text, 'within'))).toContain('6 places Dublin 1 D01Dublin 2 D02');
  const part = (await irish.get('/ireland/leinster/dublin-1')).text;
  expect(linksIn(factIn(part, 'City'), '/')).toEqual(['/ireland/leinster/dublin']);
  expect(plainText(sectionIn(part, 'nearest'))).toContain('D02 Dublin 2');
});

test('a city of numbered parts has them by their name, and what is near', async () => {
  const row = (code: string, name: string, latitude: number): Row =>
    [code, name, 'Île-de-France', 'Paris', 'Paris', latitude, 2.35] as Row;
  const rows = [
    ...[row('75001', 'Paris 01', 48.86), row('75002', 'Paris 02', 48.87), row('75000', 'Paris', 48.85)],
    row('75007', 'Paris 07', 48.856),
    ['94250', 'Gentilly', 'Île-de-France', 'Val-de-Marne', '', 48.81, 2.34] as Row,
  ];
  const paris = cityOf('FR', 'Paris', 48.8534, 2.3488, { population: 2_138_551, adminCodes: ['11', '75'] });
  const gentilly = cityOf('FR', 'Gentilly', 48.81, 2.34, { population: 16_000, adminCodes: ['11', '94'] });
  const page = await readPage(
    createSite(await openFixture({ FR: rows }, [paris, gentilly])),
    '/france/ile-de-france/paris',
  );
  expect(answerOf(page)).toBe('75000–75007 · 4 postal codes');
  expect(factOf(page, 'Kind')).toBe('City or town');
  expect(plainText(sectionIn(page, 'within'))).toContain('3 arrondissements Paris 01');
  expect(plainText(sectionIn(page, 'nearest'))).toContain('Gentilly');
});

describe('a city with parts', () => {
  const row = (code: string, name: string, latitude: number, [unit, district]: readonly [string, string]): Row =>
    [...[code, name, 'England', unit, district, latitude, -0.12]] as unknown as Row;
  const [CITY, COUNTY] = [
    ['Greater London', ''],
    ['Essex', ''],
  ] as const;
  const ENGLAND = '/united-kingdom/england';
  let london: string;
  let read: (path: string) => Promise<string>;

  beforeAll(async () => {
    const rows = [
      row('EC1A', 'London', 51.51, CITY),
      row('EC2A', 'London', 51.52, CITY),
      row('E1', 'Shoreditch', 51.525, CITY),
      row('E2', 'Shoreditch', 51.53, CITY),
      row('E1', 'Wapping', 51.505, CITY),
      row('N1', 'Upper End', 51.55, ['Greater London', 'Islington']),
      row('N2', 'Lower End', 51.56, ['Greater London', 'Islington']),
      row('E18', 'Woodford', 51.54, COUNTY),
      row('CM1', 'Chelmsford', 51.95, COUNTY),
      row('CM2', 'Chelmsford', 51.96, COUNTY),
    ];
    const city = cityOf('GB', 'London', 51.508, -0.126, { population: 8_961_989, adminCodes: ['ENG', ''] });
    const british = createSite(await openFixture({ GB: rows }, [city]));
    read = (path) => readPage(british, path);
    london = await read(`${ENGLAND}/greater-london/london`);
  });

  test('has the codes of all its places, in any unit, and no others', () => {
    expect(codesIn(london)).toEqual(['E1', 'E2', 'E18', 'EC1A', 'EC2A', 'N1', 'N2']);
    expect(answerOf(london)).toBe('E1–E18, EC1A, EC2A, N1, N2 · 7 postal codes');
  });

  test('lists its districts and its localities of other names, each once, with their codes', () => {
    const list = sectionIn(london, 'within');
    expect(plainText(list)).toBe(
      'In London 1 district Islington N1, N23 places Shoreditch E1, E2Wapping E1Woodford E18',
    );
    // Cells of its codes, and its district named.
    const map = linksIn(mapIn(london), '/');
    expect(map).toContain('/united-kingdom/postcode/E1');
    expect(map.at(-1)).toBe('/united-kingdom/england/greater-london/islington');
  });

  test('is named by its parts and their codes, which link to it', async () => {
    const city = [`${ENGLAND}/greater-london/london`];
    for (const path of ['greater-london/shoreditch', 'greater-london/islington', 'essex/woodford']) {
      const part = await read(`${ENGLAND}/${path}`);
      expect([path, linksIn(factIn(part, 'City'), '/')]).toEqual([path, city]);
    }
    expect(textOf(await read(`${ENGLAND}/essex/woodford`), 'title')).toContain('Woodford E18, London, Essex, England');
    const code = await read('/united-kingdom/postcode/E18');
    expect(textOf(code, 'h1')).toBe('E18 · London');
    expect(textOf(code, 'title')).toContain('E18 · London, United Kingdom');
    expect(linkedDataIn(code)[0]).toMatchObject({ itemListElement: [{}, { name: 'E18 · London' }] });
    expect(linksIn(factIn(code, 'City'), '/')).toEqual(city);
    expect(plainText(sectionIn(code, 'places'))).toContain('Woodford');
    expect(await read('/search?q=E18')).toContain('London, United Kingdom');
    expect(plainText(await read('/united-kingdom/postcodes'))).toMatch(/E18 London.*N1 London/);
  });

  test('leaves other towns alone: a village is its own city', async () => {
    const town = await read(`${ENGLAND}/essex/chelmsford`);
    expect([codesIn(town), factOf(town, 'City')]).toEqual([['CM1', 'CM2'], '']);
    expect(textOf(await read('/united-kingdom/postcode/CM1'), 'h1')).toBe('CM1 · Chelmsford');
    expect(sectionIn(town, 'nearest')).toContain('>London</a>');
  });
});

/** A site over other structures of France. */
function siteWith(change: (structures: CountryStructures) => Partial<CountryStructures>): SiteScene {
  const { snapshot } = site;
  const countries = snapshot.countries.map((country) => {
    const { structures } = country;
    return structures === undefined ? country : { ...country, structures: { ...structures, ...change(structures) } };
  });
  const countryByCode = new Map(countries.map((country) => [country.entry.code, country]));
  return createSite({ ...snapshot, countries, countryByCode });
}

test('a city that is the only town of another city is no part of it', async () => {
  const unit = names.indexOf('Centre');
  const two = siteWith(({ cities }) => ({ cities: { ...cities, cities: cities.cities.with(unit, unit) } }));
  for (const path of ['/france/attica/centre', addressOf('Bigtown 75001')]) {
    const page = await readPage(two, path);
    expect([path, factOf(page, 'City')]).toEqual([path, '']);
  }
  expect(textOf(await readPage(two, addressOf('Bigtown 75001')), 'title')).toContain(
    'Bigtown 75001–75020, Centre, Attica',
  );
});

test('damaged cities give wrong pages, and no errors or long ones', async () => {
  const random = createRandom(7);
  const noise = (numbers: Uint32Array, below: number): Uint32Array => numbers.map(() => Math.floor(random() * below));
  for (const name of ['cities', 'members'] as const) {
    for (const below of [names.length, 2 ** 32]) {
      const damaged = siteWith(({ cities }) => ({ cities: { ...cities, [name]: noise(cities[name], below) } }));
      for (const path of [
        ...['/france', '/france/attica', '/france/attica/centre', '/france/picardy/coast'],
        ...['Bigtown 75002', 'Bigtown 75420 CEDEX 08', 'Other 76001', 'Huge 80002', 'Small 81001'].map(addressOf),
        ...['75001', '76002', '80001'].map((code) => `/france/postcode/${code}`),
        ...['/france/postcodes', '/search?q=huge', '/search?q=80001'],
      ]) {
        const { status, text } = await damaged.get(path);
        expect({ name, below, path, status }).toEqual({ name, below, path, status: 200 });
        expect(text.length).toBeLessThan(50_000);
      }
    }
  }
});

test('where a code of a damaged file claims all places, the rows of a city are read once', async () => {
  let readCount = 0;
  const counted = (cities: Uint32Array): Uint32Array =>
    new Proxy(cities, {
      get(target, key) {
        if (key === 'length') return target.length;
        readCount++;
        return target[Number(key)];
      },
    });
  const damaged = siteWith(({ cities, postcodes }) => {
    const placeStarts = postcodes.placeStarts.map((_, code) => (code === 0 ? 0 : postcodes.places.length));
    return { cities: { ...cities, cities: counted(cities.cities) }, postcodes: { ...postcodes, placeStarts } };
  });
  expect(await readPage(damaged, '/france/postcode/75001')).toContain('Huge');
  expect(readCount).toBeLessThan(20 * names.length);
});

test('linked data tells the place of the address, and its own code', async () => {
  const [, thing] = linkedDataIn(await read(addressOf('Bigtown 75002')));
  expect(thing).toMatchObject({ '@type': 'Place', name: 'Bigtown', address: { postalCode: '75002' } });
});
