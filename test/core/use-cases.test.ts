/** The use cases by their answers, and the fields of a place on request. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { INCLUDED_FIELDS, type IncludedField } from '../../src/core/answers/place-detail.js';
import { readResponseData } from '../../src/core/answers/response-data.js';
import { type Service, service } from '../../src/core/answers/service.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import {
  compileFrom,
  createTemporaryFolder,
  openFixture,
  type TemporaryFolder,
  writeRelease,
} from '../fixtures/fixture-snapshot.js';
import { cityLineOf, cityOf } from '../fixtures/gazetteer.js';
import { HAND_MADE_ROWS, type RowsByCountry } from '../fixtures/hand-made-release.js';
import { codeOf, parseAnswer } from './answer.js';
import { createOracle, type OracleCountry, oracleAncestors, oracleChildren, oracleLevel } from './oracle.js';

/** The nine use cases over the hand-made release: shapes, bounds and domain errors. */
describe('answers', () => {
  let snapshot: Snapshot;
  let oracle: Map<string, OracleCountry>;
  beforeAll(async () => {
    snapshot = await openFixture(HAND_MADE_ROWS);
    oracle = new Map(createOracle(snapshot).map((country) => [country.code, country]));
  });

  const oracleOf = (code: string): OracleCountry => oracle.get(code) as OracleCountry;
  const plain = ({ number: _, ...answer }: { readonly number: number }): object => answer;

  describe('countries', () => {
    test('all, and those with postal codes', () => {
      const all = parseAnswer(service.listCountries(snapshot, { hasPostcodes: undefined }));
      expect(all).toHaveLength(250);
      expect(parseAnswer(service.listCountries(snapshot, { hasPostcodes: false }))).toEqual(all);
      const some = parseAnswer(service.listCountries(snapshot, { hasPostcodes: true }));
      expect(some).toEqual(all.filter(({ hasPostcodes }: { hasPostcodes: boolean }) => hasPostcodes));
      expect(some.map(({ code }: { code: string }) => code)).toEqual([...oracle.keys()]);
    });

    test('one with stats, one without', () => {
      const lithuania = parseAnswer(service.getCountry(snapshot, { country: 'LT' }));
      expect(Object.keys(lithuania)).toEqual([
        ...['code', 'alpha3', 'name', 'slug', 'region', 'subRegion', 'currencyCode', 'timezone'],
        ...['latitude', 'longitude', 'postalCodeFormat', 'hasPostcodes', 'url', 'stats'],
      ]);
      expect(lithuania.stats).toEqual({
        totalPlaces: 122,
        distinctPostcodes: 120,
        levels: [
          { level: 1, count: 1 },
          { level: 2, count: 1 },
          { level: 3, count: 120 },
        ],
      });
      const emirates = parseAnswer(service.getCountry(snapshot, { country: 'AE' }));
      expect(emirates).toMatchObject({ code: 'AE', hasPostcodes: false });
      expect(emirates).not.toHaveProperty('stats');
    });
  });

  describe('pages', () => {
    const page = (level: number | undefined, pageNumber: number, pageSize: number) =>
      parseAnswer(service.listPlaces(snapshot, { country: 'PE', level, page: pageNumber, pageSize }));

    test.each([1, 7, 50, 100, 1000])('of %d: complete, in order, without repeats', (pageSize) => {
      const expected = oracleLevel(oracleOf('PE'), undefined).map(plain);
      const totalPages = Math.ceil(expected.length / pageSize);
      const items: unknown[] = [];
      for (let number = 1; number <= totalPages; number++) {
        const { items: part, ...rest } = page(undefined, number, pageSize);
        items.push(...part);
        expect(rest).toEqual({
          pageNumber: number,
          pageSize,
          totalCount: expected.length,
          totalPages,
          hasPreviousPage: number > 1,
          hasNextPage: number < totalPages,
        });
      }
      expect(items).toEqual(expected);
    });

    test.each([5, 1_000_000, Number.MAX_SAFE_INTEGER])(
      'page %d is past the end: empty, with a page before it',
      (number) => {
        expect(page(3, number, 50)).toEqual({
          items: [],
          pageNumber: number,
          pageSize: 50,
          totalCount: 130,
          totalPages: 3,
          hasPreviousPage: true,
          hasNextPage: false,
        });
      },
    );

    test('a level without places', () => {
      const empty = { items: [], pageNumber: 1, pageSize: 50, totalCount: 0, totalPages: 0 };
      expect(page(4, 1, 50)).toEqual({ ...empty, hasPreviousPage: false, hasNextPage: false });
    });

    test('children of every place', () => {
      for (const country of ['AD', 'DE', 'LT']) {
        for (const place of oracleOf(country).places) {
          const children = oracleChildren(oracleOf(country), place.id).map(plain);
          const request = { country, id: place.id, pageSize: 100 };
          const first = parseAnswer(service.listChildren(snapshot, { ...request, page: 1 }));
          expect(first.items).toEqual(children.slice(0, 100));
          expect(first.totalCount).toBe(children.length);
          const second = parseAnswer(service.listChildren(snapshot, { ...request, page: 2 }));
          expect(second.items).toEqual(children.slice(100));
        }
      }
    });
  });

  describe('one place', () => {
    test('by id and by path: with its ancestors, root first, and the number of its children', () => {
      for (const country of oracle.values()) {
        for (const place of country.places) {
          const expected = {
            ...plain(place),
            ancestors: oracleAncestors(country, place).map(plain),
            childCount: oracleChildren(country, place.id).length,
          };
          expect(parseAnswer(service.getPlace(snapshot, { country: country.code, id: place.id }))).toEqual(expected);
          const segments = place.path.slice(1).split('/');
          expect(parseAnswer(service.resolvePath(snapshot, { country: country.code, segments }))).toEqual(expected);
        }
      }
    });

    test('a path is compared in its slug form', () => {
      const resolve = (...segments: string[]) =>
        parseAnswer(service.resolvePath(snapshot, { country: 'BG', segments })).name;
      expect(resolve('Burgas', 'Айтос', 'Ajtos')).toBe('Ajtos');
      expect(resolve('BURGAS')).toBe('Burgas');
    });
  });

  describe('postal codes', () => {
    const find = (country: string, postcode: string) =>
      parseAnswer(service.findPostcode(snapshot, { country, postcode }));

    test('at most 100 places, the first by name', () => {
      const { places, ...rest } = find('PE', '21825');
      expect(rest).toEqual({ countryCode: 'PE', postcode: '21825' });
      const names = places.map(({ name }: { name: string }) => name);
      expect(names).toEqual(Array.from({ length: 100 }, (_, index) => `Caserío ${String(index).padStart(3, '0')}`));
      expect(places[0]).toMatchObject({ childCount: 0, ancestors: [{ name: 'Puno' }, { name: 'Sandia' }] });
    });
  });

  describe('suggestions', () => {
    const suggest = (query: string, country?: string, limit = 10) =>
      parseAnswer(service.autocomplete(snapshot, { query, country, limit }));

    test('the fields of each', () => {
      expect(suggest('ajt')[0]).toEqual({
        kind: 'place',
        name: 'Ajtos',
        countryCode: 'BG',
        countryName: 'Bulgaria',
        postalCode: '8500',
        path: '/burgas/aytos/ajtos',
        url: 'https://site.test/bulgaria/burgas/aytos/ajtos',
      });
    });

    test('many leaves of one name and parent are one suggestion, of the lowest code', () => {
      const leaves = suggest('vilnius', 'LT').filter(
        ({ postalCode }: { postalCode: string | null }) => postalCode !== null,
      );
      expect(leaves).toMatchObject([{ name: 'Vilnius', postalCode: '01100' }]);
    });

    test('in any script, and only in the country asked for', () => {
      for (const q of ['서울', 'seoul', 'seoulteug']) {
        expect(suggest(q)[0]).toMatchObject({ name: 'Seoul', countryCode: 'KR' });
      }
      // As it is romanised, and as its letters are folded one by one.
      for (const q of ['추자면', 'chuja-myeon', 'chujamyeon']) {
        expect(suggest(q)[0]).toMatchObject({ name: 'Chuja-myeon', countryCode: 'KR' });
      }
      expect(suggest('МЮНХ')).toEqual([]);
      expect(suggest('MÜNCH')[0]).toMatchObject({ name: 'München' });
      expect(suggest('münchen', 'KR')).toEqual([]);
      expect(suggest('a', undefined, 3)).toHaveLength(3);
    });
  });

  describe('domain errors', () => {
    const id = '00000000-0000-5000-8000-000000000000';
    const calls: [string, (country: string) => unknown][] = [
      ['listPlaces', (country) => service.listPlaces(snapshot, { country, level: 1, page: 1, pageSize: 50 })],
      ['getPlace', (country) => service.getPlace(snapshot, { country, id })],
      ['listChildren', (country) => service.listChildren(snapshot, { country, id, page: 1, pageSize: 50 })],
      ['resolvePath', (country) => service.resolvePath(snapshot, { country, segments: ['x'] })],
      ['findPostcode', (country) => service.findPostcode(snapshot, { country, postcode: 'X' })],
      ['autocomplete', (country) => service.autocomplete(snapshot, { query: 'x', country, limit: 10 })],
      ['reverse', (country) => service.reverse(snapshot, { lat: 0, lng: 0, country })],
    ];
    test.each(calls)('%s: no such country, and a country without data', (_, call) => {
      expect(codeOf(() => call('ZZ'))).toBe('COUNTRY_NOT_FOUND');
      expect(codeOf(() => call('AN'))).toBe('COUNTRY_NOT_FOUND');
      expect(codeOf(() => call('AE'))).toBe('NO_POSTCODE_DATA');
    });

    test('no such place, path or code', () => {
      expect(codeOf(() => service.getCountry(snapshot, { country: 'ZZ' }))).toBe('COUNTRY_NOT_FOUND');
      expect(codeOf(() => service.getPlace(snapshot, { country: 'AD', id }))).toBe('PLACE_NOT_FOUND');
      const foreign = oracleOf('DE').places[0]?.id as string;
      expect(codeOf(() => service.getPlace(snapshot, { country: 'AD', id: foreign }))).toBe('PLACE_NOT_FOUND');
      expect(codeOf(() => service.getPlace(snapshot, { country: 'AD', id: 'nonsense' }))).toBe('VALIDATION_FAILED');
      expect(codeOf(() => service.resolvePath(snapshot, { country: 'AD', segments: ['x', 'y', 'z', 'a'] }))).toBe(
        'PLACE_NOT_FOUND',
      );
      expect(codeOf(() => service.resolvePath(snapshot, { country: 'AD', segments: ['***'] }))).toBe('PLACE_NOT_FOUND');
      expect(codeOf(() => service.findPostcode(snapshot, { country: 'AD', postcode: '' }))).toBe('POSTCODE_NOT_FOUND');
    });
  });
});

/** The fields of a place on request: their values, their order, and that nothing changes without them. */
describe('included fields', () => {
  const ROWS: RowsByCountry = {
    FJ: [
      ['00011', 'Suva', 'Central', 'Rewa', '', -18.1416, 178.4415, ['01', '', '']],
      ['00012', 'Nasinu', 'Central', 'Rewa', '', -18.0667, 178.5, ['01', '', '']],
      ['00021', 'Taveuni', 'Northern', '', '', -16.85, -179.95, ['03', '', '']],
      ['00022', 'Labasa', 'Northern', '', '', -16.4333, 179.3667, ['03', '', '']],
      ['00031', 'Rotuma', '', '', '', -12.5, 177.0667, ['', '', '']],
    ],
  };
  const CITIES = [
    cityOf('FJ', 'Suva', -18.1416, 178.4415, { population: 88_271, timezone: 'Pacific/Fiji' }),
    cityOf('FJ', 'Labasa', -16.4333, 179.3667, { population: 0, timezone: 'Pacific/Fiji' }),
  ];

  let folder: TemporaryFolder;
  let snapshot: Snapshot;
  let ids: Record<string, string>;
  beforeAll(async () => {
    folder = createTemporaryFolder();
    writeRelease(join(folder.path, 'release'), ROWS);
    writeFileSync(join(folder.path, 'release', 'cities500.txt'), `${CITIES.map(cityLineOf).join('\n')}\n`);
    await compileFrom(join(folder.path, 'release'), join(folder.path, 'fiji.snapshot'));
    snapshot = openSnapshot(join(folder.path, 'fiji.snapshot'));
    const list = { country: 'FJ', level: undefined, page: 1, pageSize: 100 };
    const { items } = parseAnswer(service.listPlaces(snapshot, list));
    ids = Object.fromEntries(items.map(({ path, id }: { path: string; id: string }) => [path, id]));
  });
  afterAll(() => folder.remove());

  function factsOf(path: string): Record<IncludedField, unknown> {
    const place = parseAnswer(
      service.getPlace(snapshot, { country: 'FJ', id: ids[path] as string, include: [...INCLUDED_FIELDS] }),
    );
    const facts = Object.fromEntries(INCLUDED_FIELDS.map((field) => [field, place[field]]));
    return { ...facts, city: place.city?.path ?? null } as Record<IncludedField, unknown>;
  }

  describe('the values', () => {
    const central = { iso3166_2: 'FJ-C', release: '01' };
    const none = { iso3166_2: null, release: null };
    const timezone = 'Pacific/Fiji';

    const box = [178.4415, -18.1416, 178.5, -18.0667];
    const northern = { iso3166_2: 'FJ-N', release: '03' };
    const northernBox = [179.3667, -16.85, -179.95, -16.4333];
    test.each<[string, Record<IncludedField, unknown>]>([
      ['/central', { codes: central, timezone, population: null, bounds: box, city: null }],
      ['/central/rewa', { codes: central, timezone, population: null, bounds: box, city: null }],
      [
        '/central/rewa/suva',
        { codes: central, timezone, population: 88_271, bounds: null, city: '/central/rewa/suva' },
      ],
      [
        '/central/rewa/nasinu',
        { codes: central, timezone, population: null, bounds: null, city: '/central/rewa/nasinu' },
      ],
      ['/northern', { codes: northern, timezone, population: null, bounds: northernBox, city: null }],
      ['/northern/labasa', { codes: northern, timezone, population: null, bounds: null, city: '/northern/labasa' }],
      ['/rotuma', { codes: none, timezone, population: null, bounds: null, city: '/rotuma' }],
    ])('%s', (path, facts) => expect(factsOf(path)).toEqual(facts));
  });

  describe('every endpoint with place details', () => {
    const none = { lat: undefined, lng: undefined, postcode: undefined, place: undefined, countries: undefined };
    const calls: readonly [keyof Service, Readonly<Record<string, unknown>>][] = [
      ['getPlace', { country: 'FJ', id: '/central' }],
      ['resolvePath', { country: 'FJ', segments: ['central', 'rewa', 'suva'] }],
      ['findPostcode', { country: 'FJ', postcode: '00011' }],
      ['reverse', { lat: -18.1, lng: 178.4, country: 'FJ' }],
      ['nearby', { ...none, country: 'FJ', postcode: '00011', radiusKm: 200, limit: 3, types: undefined, by: 'place' }],
    ];
    const ask = (
      name: keyof Service,
      { id, ...input }: Readonly<Record<string, unknown>>,
      include?: readonly IncludedField[],
    ): string => {
      const given = { ...input, id: ids[id as string], include };
      return readResponseData((service[name] as (from: Snapshot, given: object) => string)(snapshot, given));
    };
    const PLACE_END = /"childCount":\d+/g;

    test.each(calls)('%s adds the fields behind childCount in one order, and nothing else', (name, input) => {
      const without = ask(name, input);
      for (const field of INCLUDED_FIELDS) expect(without).not.toContain(`"${field}"`);
      const whole = ask(name, input, INCLUDED_FIELDS);
      expect(whole.match(/"childCount":\d+,"codes":\{[^}]*\},"timezone":[^,]*,"population":[^,]*,"bounds":/g)).toEqual(
        expect.arrayContaining([expect.any(String)]),
      );
      expect(ask(name, input, [...INCLUDED_FIELDS].reverse())).toBe(whole);
      const bare = whole.replace(
        /,"codes":\{[^}]*\},"timezone":[^,]*,"population":[^,]*,"bounds":(?:null|\[[^\]]*\]),"city":(?:null|\{[^}]*\})/g,
        '',
      );
      expect(bare).toBe(without);
      expect(whole.match(/"timezone":/g)).toHaveLength(without.match(PLACE_END)?.length ?? 0);
      for (const field of INCLUDED_FIELDS) {
        const one = JSON.stringify(JSON.parse(ask(name, input, [field])));
        expect(INCLUDED_FIELDS.filter((other) => one.includes(`"${other}":`))).toEqual([field]);
      }
      expect(ask(name, input, [])).toBe(without);
    });

    test('postal codes nearby have none of them', () => {
      const byCode = {
        ...none,
        country: 'FJ',
        postcode: '00011',
        radiusKm: 200,
        limit: 3,
        types: undefined,
        by: 'postcode',
      };
      expect(ask('nearby', byCode, INCLUDED_FIELDS)).toBe(ask('nearby', byCode));
    });
  });
});
