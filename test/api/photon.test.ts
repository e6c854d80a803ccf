/**
 * Photon's protocol over a small snapshot with cities: what comes back, and what is refused. Whatever the server answers
 * is held against the description.
 */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { service } from '../../src/core/answers/service.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { cityOf } from '../fixtures/gazetteer.js';
import type { FixtureRow } from '../fixtures/hand-made-release.js';
import { GOOD_KEY, getRaw, startServer, type TestServer } from './harness.js';

/** Konstanz and Kreuzlingen lie on both sides of a border. */
const ROWS: Readonly<Record<string, readonly FixtureRow[]>> = {
  CH: [
    ['8280', 'Kreuzlingen', 'Thurgau', '', 'Bezirk Kreuzlingen', 47.645, 9.178],
    ['8000', 'Zürich', 'Zürich', '', '', 47.366, 8.55],
  ],
  DE: [
    ['78462', 'Konstanz', 'Baden-Württemberg', 'Freiburg', 'Landkreis Konstanz', 47.663, 9.175],
    ['78464', 'Konstanz', 'Baden-Württemberg', 'Freiburg', 'Landkreis Konstanz', 47.68, 9.19],
    ['78465', 'Dingelsdorf', 'Baden-Württemberg', 'Freiburg', 'Landkreis Konstanz', 47.735, 9.15],
    ['80331', 'München', 'Bayern', 'Oberbayern', 'München', 48.137, 11.575],
    ['80469', 'Isarvorstadt', 'Bayern', 'Oberbayern', 'München', 48.13, 11.57],
  ],
};
const CITIES = [
  cityOf('CH', 'Kreuzlingen', 47.645, 9.178, { population: 22_000 }),
  cityOf('DE', 'Konstanz', 47.663, 9.175, { population: 85_000 }),
  cityOf('DE', 'München', 48.137, 11.575, { population: 1_260_000 }),
];

interface Feature {
  readonly geometry: { readonly coordinates: readonly number[] };
  readonly properties: Readonly<Record<string, unknown>>;
}

let snapshot: Snapshot;
let server: TestServer;
beforeAll(async () => {
  snapshot = await openFixture(ROWS, CITIES);
  server = await startServer(undefined, undefined, service, [], { photon: true });
  server.snapshot = snapshot;
});
afterAll(() => server?.close());

const get = (url: string) => request(server.server).get(url).set('x-api-key', GOOD_KEY);

async function featuresOf(url: string): Promise<Feature['properties'][]> {
  const { status, body } = await get(url);
  expect([url, status, body.type ?? body.message]).toEqual([url, 200, 'FeatureCollection']);
  return (body.features as Feature[]).map(({ properties }) => properties);
}

const namesOf = async (url: string) => (await featuresOf(url)).map(({ name }) => name);

describe('reverse', () => {
  test('finds the nearest settlement on this side of the border, with its own code and every unit above', async () => {
    const { body } = await get('/reverse?lat=47.66&lon=9.176');
    expect(body.features).toEqual([
      {
        type: 'Feature',
        properties: {
          ...{ osm_id: expect.any(Number), osm_key: 'place', osm_value: 'town', type: 'city', postcode: '78462' },
          ...{ countrycode: 'DE', name: 'Konstanz', country: 'Germany', city: 'Konstanz' },
          ...{ state: 'Baden-Württemberg', county: 'Freiburg', district: 'Landkreis Konstanz' },
        },
        geometry: { type: 'Point', coordinates: [9.175, 47.663] },
      },
    ]);
    expect(Number.isSafeInteger(body.features[0].properties.osm_id)).toBe(true);
    expect(await namesOf('/reverse?lat=47.65&lon=9.178')).toEqual(['Kreuzlingen']);
  });

  test('a place without people of its own inside of a city is a part of it', async () => {
    const [feature] = await featuresOf('/reverse/?lat=48.13&lon=11.57');
    expect(feature).toMatchObject({
      name: 'Isarvorstadt',
      city: 'München',
      district: 'Isarvorstadt',
      type: 'district',
    });
  });

  test.each<[string, unknown[]]>([
    ['limit=2', ['Konstanz', 'Dingelsdorf']],
    ['limit=3&radius=3', ['Konstanz']],
    ['limit=3&radius=3&dedupe=0', ['Konstanz', 'Konstanz']],
    ['limit=0', ['Konstanz']],
    ['limit=999&radius=1e1', ['Konstanz', 'Dingelsdorf']],
    ['limit=3&layer=city', ['Konstanz', 'Dingelsdorf']],
    ['radius=0.1', []],
    ['layer=state', ['Baden-Württemberg']],
    ['layer=country&layer=county&limit=5', ['Freiburg', 'Germany']],
    ['layer=house', []],
    ['osm_tag=place:village&limit=5', ['Dingelsdorf']],
    ['osm_tag=place:town', ['Konstanz']],
    ['osm_tag=:!town&limit=5', ['Dingelsdorf']],
    ['osm_tag=place:!town&limit=1', ['Dingelsdorf']],
    ['osm_tag=!place', []],
    ['osm_tag=amenity:pharmacy', []],
    ['osm_tag=!amenity', ['Konstanz']],
    ['distance_sort=true&debug=1&dedupe=0&geometry=false', ['Konstanz']],
  ])('%s', async (query, names) => {
    expect(await namesOf(`/reverse?lat=47.66&lon=9.176&${query}`)).toEqual(names);
  });

  test('what the Ruby gem geocoder sends is answered with what it reads', async () => {
    const [found] = await featuresOf('/reverse?distance_sort=true&lang=en&lat=47.66&limit=10&lon=9.176&radius=1');
    for (const read of ['name', 'postcode', 'city', 'state', 'country', 'osm_id', 'osm_key', 'osm_value']) {
      expect(found).toHaveProperty(read);
    }
    expect(
      await namesOf(
        '/api?bbox=9%2C47%2C10%2C48&lang=en&lat=47.6&location_bias_scale=0.5&lon=9.1&q=konstanz&layer=city',
      ),
    ).toEqual(['Konstanz']);
  });

  test('finds nothing far from everything', async () => {
    expect(await namesOf('/reverse?lat=-45&lon=-120')).toEqual([]);
    expect(await namesOf('/reverse?lat=90&lon=-1e-7&radius=5000')).toEqual([]);
  });

  test('finds nothing in a country without data, however near a border is', async () => {
    expect(await namesOf('/reverse?lat=47.26&lon=9.59')).toEqual([]);
    expect(await namesOf('/reverse?lat=47.26&lon=9.59&layer=country')).toEqual([]);
  });
});

describe('search', () => {
  test.each<[string, unknown[]]>([
    ['/api?q=konstanz&layer=city&limit=1', ['Konstanz']],
    ['/api/?q=kon&countrycode=CH', []],
    ['/api?q=konstanz&countrycode=XX', []],
    ['/api?q=konstanz&countrycode=YE', []],
    ['/api?q=yemen&countrycode=YE', ['Yemen']],
    ['/api?q=yemen&countrycode=DE', []],
    ['/api?q=k%C3%BCreuzlingen', []],
    ['/api?q=80331&limit=1', ['80331']],
    ['/api?q=80331&layer=city', ['München']],
    ['/api?q=germany&layer=country', ['Germany']],
    ['/api?q=konstanz&layer=city&bbox=9.18,47.67,9.17,47.66', ['Konstanz']],
    ['/api?q=konstanz&bbox=0,0,1,1', []],
    ['/api?q=bayern&layer=state&lat=48&lon=11&zoom=12&location_bias_scale=0.4', ['Bayern']],
    ['/structured?city=konstanz&postcode=78464&layer=city&limit=1', ['Konstanz']],
    ['/structured?countrycode=de', ['Germany']],
    ['/structured?countrycode=xx', []],
    ['/structured?street=Hauptstrasse&housenumber=3', []],
  ])('%s', async (url, names) => {
    expect(await namesOf(url)).toEqual(names);
  });

  test('a code has its place, and a unit its bounds, west, north, east and south', async () => {
    const [code] = await featuresOf('/api?q=78462&limit=1');
    expect(code).toMatchObject({ osm_value: 'postcode', postcode: '78462', city: 'Konstanz', type: 'other' });
    const [unit] = await featuresOf('/api?q=landkreis%20konstanz&layer=district');
    expect(unit).toMatchObject({ osm_value: 'municipality', extent: [9.15, 47.735, 9.19, 47.663] });
  });
});

describe('the request', () => {
  test.each([
    '/reverse?lat=47',
    '/reverse?lon=9',
    '/reverse?lat=47&lon=',
    '/reverse?lat=NaN&lon=9',
    '/reverse?lat=Infinity&lon=9',
    '/reverse?lat=90.01&lon=9',
    '/reverse?lat=47&lon=-180.01',
    '/reverse?lat=47&lon=9&lon=9',
    ...['0', '-1', '5001', 'bad', 'NaN'].map((radius) => `/reverse?lat=47&lon=9&radius=${radius}`),
    ...['NaN', '1.5', ''].map((limit) => `/reverse?lat=47&lon=9&limit=${limit}`),
    '/reverse?lat=47&lon=9&layer=suburb',
    '/reverse?lat=47&lon=9&bogus=thing',
    '/reverse?lat=47&lon=9&query_string_filter=x',
    '/reverse?lat=47&lon=9&geometry=true',
    '/reverse?lat=47&lon=9&lang=de,en',
    '/reverse?lat=47&lon=9&lang=!',
    ...['bad:bad:bad', '!', ':', 'a:', '!:b'].map((tag) => `/reverse?lat=47&lon=9&osm_tag=${tag}`),
    `/reverse?lat=47&lon=9${'&layer=city'.repeat(11)}`,
    `/reverse?lat=47&lon=9${'&layer=city'.repeat(200)}`,
    '/api',
    '/api?q=',
    '/api?q=a',
    '/api?q=%3f%3f',
    '/api?q=%ff',
    '/api?q=a%00b',
    `/api?q=${'x'.repeat(101)}`,
    '/api?q=berlin&lat=52',
    '/api?q=berlin&lat=52&lon=bad',
    '/api?q=berlin&location_bias_scale=NaN',
    '/api?q=berlin&zoom=far',
    '/api?q=berlin&countrycode=DEU',
    ...['9.6,52.3,9.8', '9.6,52.3,NaN,9.8', '9.6,-92,9.8,14', '-181,9,4,12', '1,2,3,4,5'].map(
      (b) => `/api?q=ber&bbox=${b}`,
    ),
    '/structured',
    '/structured?limit=1',
    `/structured?city=${'x'.repeat(60)}&state=${'y'.repeat(60)}`,
  ])('is refused: %s', async (url) => {
    const { status, body } = await get(url);
    expect([status, Object.keys(body)]).toEqual([400, ['message']]);
    expect(typeof body.message).toBe('string');
  });

  test.each(['/reverse?lat=47&lon=9', '/api?q=ber', '/structured?city=ber'])('needs a key: %s', async (url) => {
    const { status, body } = await request(server.server).get(url);
    expect([status, Object.keys(body)]).toEqual([401, ['message']]);
    const spent = await request(server.server).get(url).set('x-api-key', 'spent-key');
    expect([spent.status, Object.keys(spent.body), Number(spent.headers['retry-after']) > 0]).toEqual([
      429,
      ['message'],
      true,
    ]);
  });

  test.each(['/reverse', '/api', '/structured', '/status'])('%s answers GET, HEAD and OPTIONS', async (path) => {
    const { status, headers, body } = await request(server.server).post(path);
    expect([status, headers.allow, Object.keys(body)]).toEqual([405, 'GET, HEAD, OPTIONS', ['message']]);
    const preflight = await request(server.server).options(path);
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
  });

  test('is answered like others: HEAD, a tag for each language, CORS, limits', async () => {
    const url = '/reverse?lat=47.66&lon=9.176';
    const first = await get(url);
    const { etag = '' } = first.headers;
    expect(first.headers).toMatchObject({
      ...{ 'cache-control': 'private, max-age=3600', vary: 'Accept-Language', 'access-control-allow-origin': '*' },
      ...{ 'ratelimit-policy': expect.stringContaining('burst'), 'content-type': 'application/json; charset=utf-8' },
    });
    expect((await get(url).set('if-none-match', etag)).status).toBe(304);
    expect((await get(url).set('if-none-match', etag).set('accept-language', 'de')).status).toBe(200);
    expect((await get(`${url}&lang=en`)).headers).not.toHaveProperty('vary');
    const head = await request(server.server).head(url).set('x-api-key', GOOD_KEY);
    expect([head.status, head.headers['content-length']]).toEqual([200, first.headers['content-length']]);
    const hostile = `x-api-key: ${GOOD_KEY}\r\naccept-language: ${'de;q=9,*,x-,;;;'.repeat(300)}\r\n`;
    expect((await getRaw(server.port, url, hostile)).status).toBe(200);
  });

  test('/status needs no key', async () => {
    const { status, body } = await request(server.server).get('/status');
    expect([status, body]).toEqual([
      200,
      { status: 'Ok', import_date: snapshot.manifest.sourceDate && expect.any(String) },
    ]);
  });

  test('nothing is there unless it is turned on', async () => {
    const plain = await startServer();
    for (const path of ['/reverse?lat=1&lon=2', '/api?q=berlin', '/structured?city=berlin', '/status']) {
      const { status, body } = await request(plain.server).get(path).set('x-api-key', GOOD_KEY);
      expect([status, body.error?.code]).toEqual([404, 'ROUTE_NOT_FOUND']);
    }
    await plain.close();
  });
});
