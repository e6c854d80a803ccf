/**
 * Every parameter rule of every endpoint in one case list, sent over the wire byte for byte: what is accepted arrives
 * at the service in its normal form, what is not is a 400 that names the parameter.
 */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getRaw, PLACE_ID, startServer, type TestServer } from './harness.js';

let running: TestServer;
beforeAll(async () => {
  running = await startServer();
});
afterAll(() => running.close());

const country = '/v1/countries/de';
/** Every endpoint whose answers have names, with parameters that it needs. */
const WITH_NAMES = (place: string): readonly string[] => [
  ...['/v1/countries?', `${country}?`, `${country}/places?`, `${place}?`, `${place}/children?`],
  ...[`${country}/resolve?path=/a&`, `${country}/postcodes/1?`, '/v1/postcodes/1?', '/v1/autocomplete?q=ab&'],
  ...['/v1/reverse?lat=1&lng=1&', '/v1/nearby?lat=1&lng=1&', '/v1/distance?from=DE:1&to=DE:2&'],
  ...['/v1/match?address=ab&', '/v1/changes?since=2024-04&'],
];
const place = `${country}/places/${PLACE_ID}`;
const LONGEST_TAG = `de${'-abcdefg1'.repeat(3)}-xyzxy`;
const nearbyDefaults = { radiusKm: 25, limit: 10 };

describe('accepted', () => {
  test.each<[target: string, useCase: string, input: object]>([
    ['/v1/countries', 'listCountries', {}],
    ['/v1/countries/', 'listCountries', {}],
    ['/v1/countries?', 'listCountries', {}],
    ['/v1/countries?hasPostcodes=true', 'listCountries', { hasPostcodes: true }],
    ['/v1/countries?hasPostcodes=false', 'listCountries', { hasPostcodes: false }],
    ['/v1/countries?h%61sPostcodes=%74rue', 'listCountries', { hasPostcodes: true }],
    ['/v1/countries?other=1&other=2&%zz=%zz&&=&a[]=1', 'listCountries', {}],
    ['/v1/countries?hasPostcodes=true#?hasPostcodes=maybe', 'listCountries', { hasPostcodes: true }],
    ['http://example.test/v1/countries?hasPostcodes=true', 'listCountries', { hasPostcodes: true }],
    ['/v1/countries/de', 'getCountry', { country: 'DE' }],
    ['/v1/countries/%44e/', 'getCountry', { country: 'DE' }],
    [`${country}/places`, 'listPlaces', { country: 'DE', page: 1, pageSize: 50 }],
    [
      `${country}/places?level=4&page=007&pageSize=100`,
      'listPlaces',
      { country: 'DE', level: 4, page: 7, pageSize: 100 },
    ],
    [`${country}/places?page=9007199254740991`, 'listPlaces', { country: 'DE', page: 2 ** 53 - 1, pageSize: 50 }],
    [place, 'getPlace', { country: 'DE', id: PLACE_ID }],
    [
      place.toUpperCase().replace('/V1/COUNTRIES/DE/PLACES', `${country}/places`),
      'getPlace',
      { country: 'DE', id: PLACE_ID },
    ],
    [`${place}/children?pageSize=1`, 'listChildren', { country: 'DE', id: PLACE_ID, page: 1, pageSize: 1 }],
    [`${country}/resolve?path=/bavaria`, 'resolvePath', { country: 'DE', segments: ['bavaria'] }],
    [`${country}/resolve?path=%2Fa%2Fb/c/d/`, 'resolvePath', { country: 'DE', segments: ['a', 'b', 'c', 'd'] }],
    [`${country}/resolve?path=/a%252Fb`, 'resolvePath', { country: 'DE', segments: ['a%2Fb'] }],
    [`${country}/postcodes/%20sw1a%20%20%201aa%20`, 'findPostcode', { country: 'DE', postcode: 'SW1A 1AA' }],
    [`${country}/postcodes/a%2Fb+c`, 'findPostcode', { country: 'DE', postcode: 'A/B+C' }],
    [`${country}/postcodes/%C3%A0`, 'findPostcode', { country: 'DE', postcode: 'À' }],
    [`${country}/postcodes/12345678901234567890`, 'findPostcode', { country: 'DE', postcode: '12345678901234567890' }],
    [`${country}/postcodes/${'%F0%9F%98%80'.repeat(20)}`, 'findPostcode', { country: 'DE', postcode: '😀'.repeat(20) }],
    ['/v1/countries?lang=zh-TW,zh,en', 'listCountries', { lang: 'zh-TW,zh,en' }],
    [`/v1/countries?lang=${LONGEST_TAG}`, 'listCountries', { lang: LONGEST_TAG }],
    [
      `${country}?lang=x-private,i-klingon,DE-at-1996`,
      'getCountry',
      { country: 'DE', lang: 'x-private,i-klingon,DE-at-1996' },
    ],
    ['/v1/nearby', 'nearby', nearbyDefaults],
    ['/v1/nearby?lat=-90&lng=180', 'nearby', { lat: -90, lng: 180, ...nearbyDefaults }],
    [
      `/v1/nearby?country=de&place=${PLACE_ID.toUpperCase()}&radiusKm=0&limit=100&by=place`,
      'nearby',
      { country: 'DE', place: PLACE_ID, radiusKm: 0, limit: 100, by: 'place' },
    ],
    [
      '/v1/nearby?country=gb&postcode=+sw1a++1aa&radiusKm=200&by=postcode&types=recipient,locality',
      'nearby',
      {
        ...{ country: 'GB', postcode: 'SW1A 1AA', radiusKm: 200, limit: 10 },
        ...{ by: 'postcode', types: ['recipient', 'locality'] },
      },
    ],
    ['/v1/nearby?countries=de%2CAT,De', 'nearby', { countries: ['DE', 'AT'], ...nearbyDefaults }],
    [`${place}?include=codes`, 'getPlace', { country: 'DE', id: PLACE_ID, include: ['codes'] }],
    [
      `${place}?include=bounds,population%2Ctimezone,codes`,
      'getPlace',
      { country: 'DE', id: PLACE_ID, include: ['bounds', 'population', 'timezone', 'codes'] },
    ],
    [
      `${country}/resolve?path=/a&include=codes,codes`,
      'resolvePath',
      { country: 'DE', segments: ['a'], include: ['codes'] },
    ],
    [
      `${country}/postcodes/1?include=timezone`,
      'findPostcode',
      { country: 'DE', postcode: '1', include: ['timezone'] },
    ],
    ['/v1/reverse?lat=1&lng=2&include=bounds', 'reverse', { lat: 1, lng: 2, include: ['bounds'] }],
    ['/v1/nearby?include=population', 'nearby', { include: ['population'], ...nearbyDefaults }],
    [
      `/v1/distance?from=us:%2090210&to=De:${PLACE_ID.toUpperCase()}`,
      'distance',
      { from: { country: 'US', postcode: '90210' }, to: { country: 'DE', id: PLACE_ID } },
    ],
    [
      '/v1/distance?from=GB:sw1a%201aa&to=AD:a:b',
      'distance',
      { from: { country: 'GB', postcode: 'SW1A 1AA' }, to: { country: 'AD', postcode: 'A:B' } },
    ],
    [`${country}/postcodes/%20sw1a%20%20%201aa%20/check`, 'checkPostcode', { country: 'DE', postcode: ' sw1a   1aa ' }],
    [`${country}/postcodes/a%2Fb+c/check/`, 'checkPostcode', { country: 'DE', postcode: 'a/b+c' }],
    ['/v1/postcodes/sw1a%201aa', 'findPostcodes', { postcode: 'SW1A 1AA' }],
    ['/v1/postcodes/check/?country=de%2CAT,De', 'findPostcodes', { postcode: 'CHECK', country: ['DE', 'AT'] }],
    [`${country}/postcodes/check`, 'findPostcode', { country: 'DE', postcode: 'CHECK' }],
    [`${place}/postcodes`, 'listPostcodes', { country: 'DE', id: PLACE_ID, page: 1, pageSize: 50 }],
    [
      `${place}/postcodes?recipients=true&full=true&page=2&pageSize=100`,
      'listPostcodes',
      { country: 'DE', id: PLACE_ID, recipients: true, full: true, page: 2, pageSize: 100 },
    ],
    ['/v1/match?address=+10115+Berlin%0A', 'match', { address: '10115 Berlin' }],
    [
      '/v1/match?address=1%20Rue%20E%CC%81%0D%0A75004%20Paris%0AFrance&country=fr&include=codes',
      'match',
      { address: '1 Rue É\r\n75004 Paris\nFrance', country: 'FR', include: ['codes'] },
    ],
    [`/v1/match?address=${'%F0%9F%98%80'.repeat(500)}`, 'match', { address: '😀'.repeat(500) }],
    ['/v1/changes?since=2024-04', 'listChanges', { since: '2024-04', page: 1, pageSize: 50 }],
    [
      '/v1/changes/?since=a.b_C-1&country=de&change=moved,added,moved&page=3&pageSize=100',
      'listChanges',
      { since: 'a.b_C-1', country: 'DE', change: ['moved', 'added'], page: 3, pageSize: 100 },
    ],
    ['/v1/autocomplete?q=mu', 'autocomplete', { query: 'mu', limit: 10 }],
    [
      '/v1/autocomplete?q=san+fran%20cisco&limit=25&country=us',
      'autocomplete',
      { query: 'san fran cisco', country: ['US'], limit: 25 },
    ],
    [
      '/v1/autocomplete?q=ab&country=us,De&include=place&kinds=postcode,place&types=region&lat=-90&lng=180',
      'autocomplete',
      {
        ...{ query: 'ab', country: ['US', 'DE'], limit: 10, include: ['place'], kinds: ['postcode', 'place'] },
        ...{ types: ['region'], lat: -90, lng: 180 },
      },
    ],
    ['/v1/autocomplete?q=m%C3%BCnchen', 'autocomplete', { query: 'münchen', limit: 10 }],
    ['/v1/autocomplete?q=mu%CC%88', 'autocomplete', { query: 'mü', limit: 10 }],
    [`/v1/autocomplete?q=${'e%CC%81'.repeat(100)}`, 'autocomplete', { query: 'é'.repeat(100), limit: 10 }],
    [`/v1/autocomplete?q=+${'%F0%9F%98%80'.repeat(100)}+`, 'autocomplete', { query: '😀'.repeat(100), limit: 10 }],
    ['/v1/reverse?lat=-90&lng=180.000', 'reverse', { lat: -90, lng: 180 }],
    ['/v1/reverse?lat=48.137154&lng=-0.0&country=DE', 'reverse', { lat: 48.137154, lng: 0, country: 'DE' }],
  ])('%s', async (target, useCase, input) => {
    const { status } = await getRaw(running.port, target);
    expect([status, running.asked.splice(0)]).toEqual([200, [{ useCase, input }]]);
  });
});

const integers = ['', ...'-1 +1 %2B1 1.0 1e3 0x10 %201 1%20 one 0 NaN Infinity ٣ 1,2'.split(' ')];

const FLAG = 'true or false';
const POINT = 'a country code, a colon';
const ID = 'a place id in UUID form';
const COUNTRY = 'a two-letter ISO 3166-1 alpha-2 country code';
/** What each parameter must be, in the words of its error; behind its name, where endpoints differ, of which it is. */
const MUST_BE = {
  ...{ hasPostcodes: FLAG, recipients: FLAG, full: FLAG, from: POINT, to: POINT, id: ID, place: ID, country: COUNTRY },
  'country of several': `${COUNTRY}, or up to 10 separated by commas`,
  countries: '1 to 10 two-letter ISO 3166-1 alpha-2 country codes, separated by commas',
  level: 'an integer from 1 to 4',
  page: 'an integer of 1 or more',
  pageSize: 'an integer from 1 to 100',
  limit: 'an integer from 1 to 100',
  'limit of suggestions': 'an integer from 1 to 25',
  path: 'a path of 1 to 4 segments',
  postcode: 'a postcode of 1 to 20 characters',
  q: 'text of 2 to 100 characters',
  address: 'an address of 2 to 500 characters',
  lat: 'a decimal number from -90 to 90, such as -12.34 (no exponent, at most 32 characters)',
  lng: 'a decimal number from -180 to 180, such as -12.34 (no exponent, at most 32 characters)',
  radiusKm: 'a decimal number from 0 to 200, such as 12.34 (',
  include: 'one or more of codes, timezone, population, bounds, city, separated by commas',
  'include of suggestions': 'place; got',
  kinds: 'one or more of place, postcode, country, separated by commas',
  types: 'one or more of locality, recipient, separated by commas',
  'types of suggestions': 'one or more of region, district',
  by: 'place or postcode',
  lang: '1 to 3 language tags such as de or zh-TW, separated by commas, each of at most 35 characters',
};

/** Endpoint, wrong ends of the target, and the rule that each breaks. */
const refused: [endpoint: string, wrong: string[], rule: keyof typeof MUST_BE][] = [
  ['/v1/countries?hasPostcodes=', ['', '1', '0', 'TRUE', 'True', 'yes', 'true%20'], 'hasPostcodes'],
  ['/v1/countries/', 'deu d d1 %20de d%C3%A9 %zz % d%00 %ED%A0%80'.split(' '), 'country'],
  [`${country}/places?level=`, [...integers, '5', '99999999999999999999'], 'level'],
  [`${country}/places?page=`, [...integers, '9007199254740993', '9'.repeat(400)], 'page'],
  [`${country}/places?pageSize=`, [...integers, '101'], 'pageSize'],
  [
    `${country}/places/`,
    ['1', `${PLACE_ID}0`, `{${PLACE_ID}}`, PLACE_ID.replace('b', 'g'), PLACE_ID.replaceAll('-', ''), '%ff'],
    'id',
  ],
  [`${place}/children?page=`, integers, 'page'],
  [`${place}/postcodes?recipients=`, ['', '1', 'TRUE', 'yes', 'true%20'], 'recipients'],
  [`${place}/postcodes?full=`, ['', '1', 'TRUE', 'yes', 'true%20'], 'full'],
  [`${place}/postcodes?page=`, integers, 'page'],
  [`${place}/postcodes?pageSize=`, [...integers, '101'], 'pageSize'],
  [`${country}/places/1`, ['/postcodes'], 'id'],
  [
    `${country}/resolve?x=1&path=`,
    ['', ...'/ // a a/b /a// /a//b //a /a/b/c/d/e /a%00 /%C0%AF /%ED%A0%80'.split(' '), `/${'a'.repeat(1000)}`],
    'path',
  ],
  [`${country}/postcodes/`, ['1'.repeat(21), ...'%20 %20%20 1%002 1%0a2 %09 1%C2%85 %E2%82'.split(' ')], 'postcode'],
  [
    '/v1/autocomplete?q=',
    ['', ...'a %C3%A9 e%CC%81 +a+ +++ %F0%9F%98%80 ab%00 ab%7f %ff%fe %ab% ab%u0041'.split(' '), 'a'.repeat(101)],
    'q',
  ],
  [
    '/v1/autocomplete?q=ab&country=',
    ['', 'deu', 'd%20', ...'de, ,de de,deu de%20at AA,AB,AC,AD,AE,AF,AG,AH,AI,AJ,AK'.split(' ')],
    'country of several',
  ],
  [
    '/v1/match?address=',
    ['', 'a'.repeat(501), ...'a +a%0A %0A%0D ab%00 ab%09 ab%7f ab%C2%85 a%ff'.split(' ')],
    'address',
  ],
  ['/v1/match?address=ab&country=', ['', 'deu', 'any', 'de,at'], 'country'],
  ['/v1/autocomplete?q=ab&include=', ['', 'Place', 'place,codes', 'place,place'], 'include of suggestions'],
  ['/v1/autocomplete?q=ab&kinds=', ['', 'city', 'place,', 'places'], 'kinds'],
  ['/v1/autocomplete?q=ab&types=', ['', 'city', 'region,,locality'], 'types of suggestions'],
  ['/v1/autocomplete?q=ab&lng=0&lat=', ['', '-90.1', '91', 'x'], 'lat'],
  ['/v1/autocomplete?q=ab&limit=', [...integers, '26'], 'limit of suggestions'],
  [
    '/v1/reverse?lng=1&lat=',
    ['', `0.${'0'.repeat(31)}`, ...'90.0000001 -91 1e1 .5 5. +5 0x1 NaN Infinity 1,5 --1'.split(' ')],
    'lat',
  ],
  ['/v1/reverse?lat=1&lng=', ['', '180.5', '-181', '1e1', '-', '1.2.3'], 'lng'],
  ['/v1/reverse?lat=1&lng=2&country=', ['', 'D', '12'], 'country'],
  ['/v1/nearby?lat=', ['', '91', '-90.1', '1e1', '+1', 'NaN'], 'lat'],
  ['/v1/nearby?lng=', ['', '181', 'Infinity', '0x1'], 'lng'],
  ['/v1/nearby?radiusKm=', ['', '-1', '200.01', '1e2', '1,5'], 'radiusKm'],
  ['/v1/nearby?limit=', ['', '0', '101', '1.5'], 'limit'],
  ['/v1/nearby?country=', ['', 'DEU', 'D%00'], 'country'],
  ['/v1/nearby?postcode=', ['', '%20', '1'.repeat(21)], 'postcode'],
  ['/v1/nearby?place=', ['', '1', `${PLACE_ID}0`], 'place'],
  [
    '/v1/nearby?countries=',
    ['', ...', DE, ,DE DE;AT DE,%20AT DEU'.split(' '), `DE${',DE'.repeat(10)}`, ','.repeat(5000)],
    'countries',
  ],
  ...[place, `${country}/resolve`, `${country}/postcodes/1`, '/v1/reverse', '/v1/nearby', '/v1/match'].map(
    (endpoint): (typeof refused)[number] => [
      `${endpoint}?path=/a&lat=1&lng=1&address=ab&include=`,
      ['', ',', 'codes,', 'Codes', 'codes;bounds', 'codes,%20bounds', 'toString', `codes${',codes'.repeat(5)}`],
      'include',
    ],
  ),
  ['/v1/nearby?types=', ['', 'region', 'locality,', 'Locality'], 'types'],
  ['/v1/nearby?by=', ['', 'code', 'POSTCODE', 'toString'], 'by'],
  [
    '/v1/distance?to=DE:10115&from=',
    ['', ...'DE DE: DE:%20 :10115 DEU:10115 D1:10115 DE10115 DE%3A%FF'.split(' '), `DE:${'1'.repeat(21)}`],
    'from',
  ],
  ['/v1/distance?from=DE:10115&to=', ['10115', 'DE-10115', 'DE:1%0a'], 'to'],
  ...WITH_NAMES(place).map((endpoint): (typeof refused)[number] => [
    `${endpoint}lang=`,
    [
      ...['', ...', de, ,de * de,* de_DE de,%20en de- -de de--DE %C3%A4 1 abcdefghi'.split(' ')],
      ...['de,en,fr,it', `${LONGEST_TAG}z`, `de${',en'.repeat(1_000)}`, 'de-abcdefghi', 'd%0ae', 'd%00e', 'de%7F'],
    ],
    'lang',
  ]),
  [
    `${country}/postcodes/`,
    ['%20', '1'.repeat(21), '%20'.repeat(30), '1%002', '1%0a2', '%E2%82'].map((postcode) => `${postcode}/check`),
    'postcode',
  ],
];

describe('refused', () => {
  test.each(refused.flatMap(([endpoint, wrong, rule]) => wrong.map((value) => [endpoint + value, rule] as const)))(
    '%s',
    async (target, rule) => {
      const [param] = rule.split(' ');
      const { status, body } = await getRaw(running.port, target);
      const { error } = JSON.parse(body);
      expect([status, error.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(error.message).toContain(`${param} must be ${MUST_BE[rule]}`);
      expect(error.message).toContain('; got ');
      expect(error.details[0]).toEqual({ param, message: error.message, expected: expect.any(String) });
      expect(error.message.startsWith(`${param} must be ${error.details[0].expected}`)).toBe(true);
    },
  );

  test.each([
    ['/v1/autocomplete', 'q is required (2 to 100 characters)'],
    ['/v1/autocomplete?Q=ab', 'q is required'],
    ['/v1/match', 'address is required (2 to 500 characters)'],
    [`${country}/resolve`, 'path is required (a path of 1 to 4 segments'],
    ['/v1/reverse?lng=1', 'lat is required (a decimal number from -90 to 90'],
    ['/v1/reverse?lat=1', 'lng is required'],
    ['/v1/distance?from=DE:1', 'to is required (a country code, a colon'],
    ['/v1/nearby?lat=1&lat=2', 'given once and as lat=…'],
    [`${country}/places?pageSize=101`, 'pageSize must be an integer from 1 to 100; got "101"'],
    [
      `${country}/places?level=1&level=2`,
      'level must be an integer from 1 to 4, given once and as level=…; got "level=1&level=2"',
    ],
    [`${country}/places?level[]=1`, 'given once and as level=…; got "level[]=1"'],
    [`${country}/places?level%5B%5D=1`, 'given once and as level=…; got "level%5B%5D=1"'],
    [`${country}/places?level[a]=1`, 'given once and as level=…'],
    [`${country}/places?level=1&lev%65l=1`, 'given once and as level=…'],
    ['/v1/countries/germany?hasPostcodes=1', 'country must be a two-letter'],
    [`${country}/places?pageSize=0&page=0&level=0`, 'level must be'],
    ['/v1/countries/d%C3%BC', 'got "dü"'],
    ['/v1/countries/%22%3Cb%3E', 'got "\\"<b>"'],
    [`/v1/autocomplete?q=${'%F0%9F%98%80'.repeat(101)}`, `got "${'😀'.repeat(100)}"`],
  ])('%s says: %s', async (target, message) => {
    const { status, body } = await getRaw(running.port, target);
    expect(status).toBe(400);
    expect(JSON.parse(body).error.message).toContain(message);
  });

  test('what was sent is cut to 100 characters', async () => {
    const { body } = await getRaw(running.port, `${country}/places?level=${'x'.repeat(5000)}`);
    expect(JSON.parse(body).error.message).toBe(`level must be an integer from 1 to 4; got "${'x'.repeat(100)}"`);
  });
});
