/**
 * What a suggestion tells on request, and what can be suggested: labels, postal codes and countries, several countries,
 * types of places, and places near a point; over a small release with a gazetteer.
 */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { type AutocompleteRequest, autocomplete } from '../../src/core/answers/autocomplete.js';
import { labelPlaces } from '../../src/core/answers/suggestion-labels.js';
import { findAbsentCountry } from '../../src/core/lookup/absent-countries.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { cityOf } from '../fixtures/gazetteer.js';
import type { RowsByCountry } from '../fixtures/hand-made-release.js';
import { parseAnswer } from './answer.js';

const ROWS: RowsByCountry = {
  DE: [
    ['10115', 'Berlin', 'Berlin', '', '', 52.53, 13.38],
    ['10117', 'Berlin', 'Berlin', '', '', 52.52, 13.39],
    ['67433', 'Neustadt', 'Rheinland-Pfalz', '', '', 49.35, 8.14],
    ['96465', 'Neustadt', 'Bayern', '', '', 50.33, 11.12],
    ['93333', 'Neustadt', 'Hessen', '', '', 50.85, 9.11],
    ['11011', 'Deutscher Bundestag', 'Berlin', '', '', 52.52, 13.37],
  ],
  GB: [['SW1A', 'Westminster', 'England', 'Greater London', '', 51.5, -0.13, ['ENG', 'GLA', '']]],
  FR: [
    ['75001', 'Paris', 'Ile-de-France', '', '', 48.86, 2.35],
    ['59000', 'Neustadt sur Mer', 'Hauts-de-France', '', '', 50.6, 3.0],
    ['25000', 'Borlin', 'Doubs', '', '', 47.2, 6.0],
  ],
  US: [
    ['10115', 'New York', 'New York', 'New York', '', 40.81, -73.96, ['NY', '061', '']],
    ['62701', 'Springfield', 'Illinois', 'Sangamon', '', 39.8, -89.65, ['IL', '167', '']],
    ['65801', 'Springfield', 'Missouri', 'Greene', '', 37.22, -93.3, ['MO', '077', '']],
    ['45501', 'Springfield', 'Ohio', 'Clark', '', 39.92, -83.81, ['OH', '023', '']],
    ['75460', 'Paris', 'Texas', 'Lamar', '', 33.66, -95.55, ['TX', '277', '']],
    ['38242', 'Paris', 'Tennessee', 'Henry', '', 36.3, -88.3, ['TN', '079', '']],
  ],
};

const CITIES = [
  cityOf('DE', 'Berlin', 52.52, 13.4, { population: 3_400_000, featureCode: 'PPLC' }),
  cityOf('FR', 'Paris', 48.85, 2.35, { population: 2_100_000, featureCode: 'PPLC' }),
  cityOf('US', 'New York', 40.71, -74.0, { population: 8_800_000 }),
  cityOf('US', 'Springfield', 39.8, -89.64, { population: 114_000, adminCodes: ['IL', '167'] }),
  cityOf('US', 'Springfield', 37.21, -93.29, { population: 170_000, adminCodes: ['MO', '077'] }),
  cityOf('US', 'Springfield', 39.92, -83.81, { population: 58_000, adminCodes: ['OH', '023'] }),
  cityOf('JP', 'Tokyo', 35.69, 139.69, { population: 8_300_000, otherNames: ['東京'] }),
  cityOf('JP', 'Nara', 34.69, 135.8, { population: 40_000 }),
  cityOf('GR', 'Athens', 37.98, 23.73, { population: 664_000 }),
  cityOf('US', 'Athens', 33.96, -83.38, { population: 127_000, adminCodes: ['GA', ''] }),
  cityOf('TL', 'Dili', -8.56, 125.57, { population: 277_000, otherNames: ['Springfield'] }),
  cityOf('IL', 'Jerusalem', 31.77, 35.22, { population: 971_000, otherNames: ['Springfield'] }),
];

let snapshot: Snapshot;
beforeAll(async () => {
  snapshot = await openFixture(ROWS, CITIES);
});

type Asked = Partial<Omit<AutocompleteRequest, 'query'>>;

// biome-ignore lint/suspicious/noExplicitAny: the fields are what the tests are about
function ask(query: string, asked: Asked = {}): any[] {
  return parseAnswer(autocomplete(snapshot, { query, country: undefined, limit: 10, ...asked }));
}

const labels = (query: string, asked: Asked = {}): string[] =>
  ask(query, { include: ['place'], ...asked }).map(({ label }) => label);

describe('include=place', () => {
  test('adds what identifies a place, behind the contract’s fields', () => {
    const [plain] = ask('springfield');
    const [detailed] = ask('springfield', { include: ['place'] });
    expect(Object.keys(plain)).toEqual(['kind', 'name', 'countryCode', 'countryName', 'postalCode', 'path', 'url']);
    expect(detailed).toEqual({
      ...plain,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...{
        level: 3,
        type: 'locality',
        localName: 'Springfield',
        latitude: 37.22,
        longitude: -93.3,
        population: 170_000,
      },
      context: [
        { level: 1, name: 'Missouri', iso3166_2: 'US-MO' },
        { level: 2, name: 'Greene', iso3166_2: null },
      ],
      label: 'Springfield, Missouri, United States',
      city: { id: detailed.id, name: 'Springfield', path: detailed.path, url: detailed.url },
    });
    expect(Object.keys(detailed).slice(0, 7)).toEqual(Object.keys(plain));
  });

  test('labels a place alone by its country, and of one name and country by the unit', () => {
    expect(labels('new york')).toEqual(['New York, United States']);
    expect(labels('springfield')).toEqual([
      'Springfield, Missouri, United States',
      'Springfield, Illinois, United States',
      'Springfield, Ohio, United States',
    ]);
    expect(labels('paris')).toEqual([
      'Paris, France',
      'Paris, Tennessee, United States',
      'Paris, Texas, United States',
    ]);
  });

  test('is left out of what was not asked for', () => {
    for (const suggestion of ask('springfield', { kinds: ['place'] })) expect(suggestion).not.toHaveProperty('label');
  });
});

describe('labels', () => {
  const place = (name: string, postalCode: string, ...units: string[]) => ({
    ...{ name, postalCode, city: name, units, country: 'X' },
  });
  const within = (city: string, ...units: string[]) => ({ ...place('A', '', ...units), city });
  test.each([
    ['the city', [within('C', 'U'), within('D', 'U'), place('A', '')], ['A, C, X', 'A, D, X', 'A, X']],
    ['a unit beside the city', [within('C', 'C', 'V'), within('C', 'C', 'W')], ['A, C, V, X', 'A, C, W, X']],
    ['no city where there is none', [within('')], ['A, X']],
    ['a unit without a city from a town of its name', [within(''), place('A', '1', 'U', 'V')], ['A, X', 'A, U, X']],
    ['another country', [place('A', ''), { ...place('A', ''), country: 'Y' }], ['A, X', 'A, Y']],
    ['a unit, and the place outside of all', [place('A', '', 'U'), place('A', '')], ['A, U, X', 'A, X']],
    ['the first unit that differs', [place('A', '', 'U', 'V'), place('A', '', 'U', 'W')], ['A, V, U, X', 'A, W, U, X']],
    [
      'the first-level unit alone, where it differs',
      [place('A', '', 'U', 'V'), place('A', '', 'T', 'V')],
      ['A, U, X', 'A, T, X'],
    ],
    [
      'a unit in the middle with the first-level unit',
      [place('A', '', 'U', 'V', 'Y'), place('A', '', 'U', 'W', 'Y')],
      ['A, V, U, X', 'A, W, U, X'],
    ],
    [
      'all units, if no single one differs',
      [place('A', '', 'U', 'V'), place('A', '', 'U', 'W'), place('A', '', 'T', 'V')],
      ['A, V, U, X', 'A, W, U, X', 'A, T, X'],
    ],
    ['the code', [place('A', '1', 'U', 'V'), place('A', '2', 'U', 'V')], ['A, 1, U, X', 'A, 2, U, X']],
    ['nothing: they look the same', [place('A', '1', 'U'), place('A', '1', 'U')], ['A, 1, U, X', 'A, 1, U, X']],
  ])('tell places apart by %s', (_, places, expected) => {
    expect(labelPlaces(places)).toEqual(expected);
  });
});

describe('several countries', () => {
  test('are searched as the world is, and nothing else is found', () => {
    const paths = (query: string, country: string[]): string[] =>
      ask(query, { country }).map(({ countryCode, path }) => countryCode + path);
    expect(paths('paris', ['FR', 'US'])).toEqual(ask('paris').map(({ countryCode, path }) => countryCode + path));
    expect(paths('paris', ['FR', 'DE'])).toEqual(['FR/ile-de-france/paris']);
    expect(paths('neu', ['FR', 'DE'])).toHaveLength(4);
    expect(paths('pariss', ['US', 'DE'])[0]).toBe('US/tennessee/henry/paris');
    expect(paths('10115', ['FR', 'US'])).toEqual(['US/new-york/new-york/new-york']);
    expect(paths('paris, france', ['DE', 'US'])).not.toContain('FR/ile-de-france/paris');
    expect(paths('paris, france', ['DE', 'FR'])).toEqual(['FR/ile-de-france/paris']);
  });

  test('must exist and have data', () => {
    expect(() => ask('paris', { country: ['FR', 'JP'] })).toThrow(
      expect.objectContaining({ code: 'NO_POSTCODE_DATA' }),
    );
    expect(() => ask('paris', { country: ['FR', 'QQ'] })).toThrow(
      expect.objectContaining({ code: 'COUNTRY_NOT_FOUND' }),
    );
    expect(() => ask('tokyo', { country: 'JP' })).toThrow(expect.objectContaining({ code: 'NO_POSTCODE_DATA' }));
  });
});

describe('lat and lng', () => {
  test.each([
    ['the nearest of alike cities first', 'springfield', 39.8, -89.6, 'Springfield, Illinois, United States'],
    ['a local one before larger ones elsewhere', 'springfield', 39.9, -83.8, 'Springfield, Ohio, United States'],
    ['likewise, by the start of the name', 'springf', 39.9, -83.8, 'Springfield, Ohio, United States'],
    ['but no smaller city that is not local', 'springfield', 40.6, -83.8, 'Springfield, Illinois, United States'],
    ['nor a village before a metropolis', 'paris', 33.66, -95.55, 'Paris, France'],
    ['of villages the nearest', 'neustadt', 50.3, 11.1, 'Neustadt, Bayern, Germany'],
    ['likewise', 'neustadt', 49.3, 8.1, 'Neustadt, Rheinland-Pfalz, Germany'],
    ['of places of a code the nearest', '10115', 52.5, 13.4, 'Berlin, Germany'],
    ['likewise', '10115', 40.8, -74, 'New York, United States'],
  ])('%s: %s', (_, query, lat, lng, label) => {
    expect(labels(query, { lat, lng })[0]).toBe(label);
  });

  test('put a near town before a far one of the same size', () => {
    expect(labels('paris', { lat: 33.66, lng: -95.55 })[1]).toBe('Paris, Texas, United States');
    expect(labels('paris', { lat: 36.3, lng: -88.3 })[1]).toBe('Paris, Tennessee, United States');
  });

  test('are given together', () => {
    expect(() => ask('paris', { lat: 1 })).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  });
});

describe('kinds', () => {
  const lookOf = ({ kind, name, countryCode, path }: Record<string, string>): string =>
    `${kind} ${name} ${countryCode} ${path}`;

  test('a code once for each country, the most populous first, then its places', () => {
    const found = ask('10115', { kinds: ['place', 'postcode', 'country'] });
    expect(found.map(lookOf)).toEqual([
      'postcode 10115 US /postcode/10115',
      'postcode 10115 DE /postcode/10115',
      ...found
        .slice(2)
        .map(lookOf)
        .filter((look) => look.startsWith('place ')),
    ]);
    expect(found).toHaveLength(4);
    expect(found[1]).toEqual({
      ...{ kind: 'postcode', name: '10115', countryCode: 'DE', countryName: 'Germany', postalCode: '10115' },
      ...{
        path: '/postcode/10115',
        url: 'https://site.test/germany/postcode/10115',
        placeName: 'Berlin',
        placeCount: 1,
      },
    });
    expect(ask('10115', { kinds: ['postcode'], lat: 52.5, lng: 13.4 })[0].countryCode).toBe('DE');
  });

  test('the start of a code, and a code with its town', () => {
    expect(ask('1011', { kinds: ['postcode'], country: 'DE' }).map(({ name }) => name)).toEqual(['10115', '10117']);
    expect(ask('berlin 1011', { kinds: ['postcode'] }).map(({ name }) => name)).toEqual(['10115', '10117']);
    expect(ask('10115 berlin', { kinds: ['postcode', 'place'] }).map(lookOf)[0]).toBe(
      'postcode 10115 DE /postcode/10115',
    );
    expect(ask('berlin', { kinds: ['postcode'] })).toEqual([]);
  });

  test.each([
    ['germany', 'DE'],
    ['Deutschland', 'DE'],
    ['de', 'DE'],
    ['DEU', 'DE'],
    ['germ', 'DE'],
    ['states', 'US'],
    ['日本', 'JP'],
    ['jpn', 'JP'],
    ['uk', 'GB'],
    ['GB', 'GB'],
    ['ukr', 'UA'],
    ['uae', 'AE'],
  ])('a country by %s', (query, code) => {
    const [first] = ask(query, { kinds: ['country'] });
    expect(first).toMatchObject({ kind: 'country', countryCode: code, postalCode: null, path: '/' });
  });

  test('UK is the United Kingdom before countries whose names start so, and no start of a code', () => {
    const codesOf = (query: string): string[] =>
      ask(query, { kinds: ['country'] }).map(({ countryCode }) => countryCode);
    expect(codesOf('UK')).toEqual(['GB', 'UA']);
    expect(codesOf('uks')).toEqual([]);
  });

  test('a country that is meant first, one whose name starts so last, and none of others', () => {
    expect(ask('france', { kinds: ['country', 'place'] })[0]).toMatchObject({ kind: 'country', countryCode: 'FR' });
    expect(ask('par', { kinds: ['country', 'place'] }).map(({ kind }) => kind)).toEqual([
      ...['place', 'place', 'place', 'country'],
    ]);
    expect(ask('qqq', { kinds: ['country'] })).toEqual([]);
    expect(ask('france', { kinds: ['country'], country: ['DE', 'US'] })).toEqual([]);
  });

  test('with details have a position and a label', () => {
    const include = ['place'] as const;
    const [code] = ask('10117', { kinds: ['postcode'], include });
    expect(code).toMatchObject({ label: '10117, Berlin, Germany', latitude: 52.52, longitude: 13.39 });
    const [country] = ask('france', { kinds: ['country'], include });
    expect(country).toMatchObject({ label: 'France', latitude: expect.any(Number), longitude: expect.any(Number) });
  });

  test('keep slots for one another', () => {
    const kinds = ['place', 'country'] as const;
    expect(ask('neus', { kinds, limit: 5 }).every(({ kind }) => kind === 'place')).toBe(true);
    // NE is the code of Niger; the last is one of the countries whose name starts so.
    expect(ask('ne', { kinds, limit: 5 }).map(({ kind }) => kind)).toEqual([
      ...['country', 'place', 'place', 'place', 'country'],
    ]);
  });

  test.each<[limit: number, kinds: string[]]>([
    [1, ['place']],
    [2, ['place', 'country']],
    [3, ['place', 'place', 'country']],
  ])('a country whose name starts so has a slot among %i, but not the only one', (limit, expected) => {
    expect(ask('par', { kinds: ['country', 'place'], limit }).map(({ kind }) => kind)).toEqual(expected);
    expect(ask('par', { kinds: ['place'], limit }).every(({ kind }) => kind === 'place')).toBe(true);
  });
});

describe('types', () => {
  test('leave out all places of other types', () => {
    expect(ask('berlin', { types: ['region'] }).map(({ path }) => path)).toEqual(['/berlin']);
    expect(ask('ill', { types: ['region'] }).map(({ path }) => path)).toEqual(['/illinois']);
    expect(ask('springfield', { types: ['region', 'district'] })).toEqual([]);
    expect(ask('springfield', { types: ['locality'] })).toHaveLength(3);
    expect(ask('borlin').map(({ path }) => path)).toEqual(['/doubs/borlin', '/berlin']);
    expect(ask('borlin', { types: ['locality'] }).map(({ path }) => path)).toEqual(['/doubs/borlin']);
    expect(ask('10115', { types: ['region'] })).toEqual([]);
    expect(ask('10115', { types: ['locality'] }).length).toBeGreaterThan(0);
  });
});

test('a country without data is known by its name, its big cities, and the end of a line', () => {
  const absent = (line: string, mayEnd = false): string | undefined =>
    findAbsentCountry(snapshot, line, mayEnd)?.country.entry.code;
  expect(['Tokyo', '東京', 'Japan', '日本'].map((line) => absent(line))).toEqual(['JP', 'JP', 'JP', 'JP']);
  expect([absent('Nara, Japan'), absent('Nara, Japan', true)]).toEqual([undefined, 'JP']);
  // The largest city of the name counts, and less by another name.
  expect([absent('Athens'), absent('Springfield')]).toEqual(['GR', undefined]);
  expect(['Nara', 'Berlin', 'Germany', 'Paris, France', '***', 'to'].map((line) => absent(line, true))).toEqual(
    Array(6).fill(undefined),
  );
  const isCity = (line: string): boolean | undefined => findAbsentCountry(snapshot, line, true)?.hasCity;
  expect(['Tokyo', ' TOKYO! ', '東京'].map(isCity)).toEqual([true, true, true]);
  expect(['Japan', '日本', 'Tokyo, Japan', 'Tokyo hotel'].map(isCity)).toEqual([false, false, false, undefined]);
});
