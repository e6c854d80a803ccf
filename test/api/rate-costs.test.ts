/**
 * What counts as several requests of the rate, and only of the rate: told from the query, over HTTP and in a bulk request.
 * What does, and whatever comes without a key, is answered one in each turn of the event loop.
 */

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { photonOperations } from '../../src/api/description/photon-operations.js';
import { findRateCost, RATE_COSTS, rateCostOfLookups } from '../../src/api/description/rate-costs.js';
import { routes } from '../../src/api/description/routes.js';
import type { Service } from '../../src/core/answers/service.js';
import { decideAdmission } from '../../src/keys/decision/key-decision.js';
import { waitUntil } from '../fixtures/wait-until.js';
import {
  createFakeService,
  decide,
  GOOD_KEY,
  limitsAfter,
  postLookups,
  startServer,
  type TestServer,
} from './harness.js';

let server: TestServer | undefined;
afterEach(() => server?.close());

test.each<[operation: string, query: string, cost: number]>([
  ['autocomplete', 'q=berlin', 1],
  ['autocomplete', 'q=frankfurt+am+main&lat=52.5&lng=13.4&limit=25&include=place', 1],
  ['autocomplete', 'q=10115', 1],
  ['autocomplete', 'q=+SW1A+1AA+', 1],
  ['autocomplete', 'q=10115+berlin', 3],
  ['autocomplete', 'q=sw1a+1aa+london', 3],
  ['autocomplete', 'q=d%C3%BCsseldorf', 1],
  ['autocomplete', 'q=d%C3%BCsseldorf%31', 3],
  ['autocomplete', '%71=dusseldorf1', 3],
  ['autocomplete', 'q[]=dusseldorf1', 3],
  ['autocomplete', 'q=dusseldorf%D9%A1', 3],
  ['autocomplete', 'q=dusseldorf%E2%91%A0', 3],
  ['autocomplete', 'q=berlin&q=10115', 3],
  ['autocomplete', 'q=dusseldorf%ff1', 1],
  ['nearby', 'lat=1&lng=1&limit=100', 1],
  ['nearby', 'lat=1&lng=1&limit=100&format=json', 1],
  ['nearby', 'lat=1&lng=1&limit=50&format=csv', 1],
  ['nearby', 'lat=1&lng=1&limit=51&format=csv', 2],
  ['nearby', 'lat=1&lng=1&limit=100&format=geojson', 2],
  ['findPostcodes', '', 1],
  ['findPostcodes', 'include=codes', 1],
  ['findPostcodes', 'format=geojson', 3],
  ['match', 'address=berlin', 1],
  ['match', 'address=10115', 1],
  ['match', 'address=10115+berlin', 3],
  ['match', 'address=rue+de+Rivoli+10%0a75004+Paris%0d%0aFrance', 6],
  ['match', 'address=rue+de+Rivoli%0a75004%0aFrance', 1],
  ['match', `address=${'10115+berlin%0A'.repeat(9)}`, 12],
  ['listPostcodes', '', 2],
  ['listPlaces', 'pageSize=100&format=csv&q=1&layer=house', 1],
  ['listCountries', '', 1],
  ['photonReverse', 'lat=1&lon=1', 1],
  ['photonReverse', 'lat=1&lon=1&limit=1&radius=5000&lang=de', 1],
  ['photonReverse', 'lat=1&lon=1&limit=0', 1],
  ['photonReverse', 'lat=1&lon=1&limit=2', 2],
  ['photonReverse', 'lat=1&lon=1&limit=2e1', 2],
  ['photonReverse', 'lat=1&lon=1&layer=house', 2],
  ['photonReverse', 'lat=1&lon=1&osm%5Ftag=amenity', 2],
  ['photonSearch', 'q=berlin&limit=25&layer=city', 2],
  ['photonSearch', 'q=10115', 2],
  ['photonSearch', 'q=10115+berlin', 3],
  ['photonStructured', 'city=berlin&countrycode=DE', 2],
  ['photonStructured', 'city=berlin&postcode=10115', 3],
])('%s?%s counts as %s', (operation, query, cost) => {
  expect(findRateCost(operation)?.(query) ?? 1).toBe(cost);
});

test('every operation that may count as several is one of the API, and says so', () => {
  const operations = new Map([...routes, ...photonOperations].map(({ id, description }) => [String(id), description]));
  for (const [id, { told }] of Object.entries(RATE_COSTS)) expect(operations.get(id)).toContain(told);
});

test.each<[what: string, lookups: unknown[], cost: number]>([
  ['a text with a digit', [{ q: 'berlin' }, { q: '10115 berlin' }, { postcode: '10115', country: 'DE' }], 5],
  ['no text', [{ q: null }, { q: { toString: 1 } }, { q: ['1234567890'] }, null, 1, '1', []], 7],
  ['a number', [{ q: 1 }, { q: 1234567890 }], 4],
  ['an address', [{ address: '1 Main Street\n10115 Berlin' }, { address: 1234567890 }, { address: 'Berlin' }], 10],
])('lookups of a bulk request, %s', (_what, lookups, cost) => {
  expect(rateCostOfLookups(lookups)).toBe(cost);
});

describe('over HTTP', () => {
  const left = /^"burst";r=(\d+)(?:;t=\d+)?, "month";r=(\d+)/;
  const get = (url: string, key = GOOD_KEY) =>
    request((server as TestServer).server)
      .get(url)
      .set('x-api-key', key);

  test.each<[url: string, accept: string, burst: number]>([
    ['/v1/autocomplete?q=berlin', '*/*', 9],
    ['/v1/autocomplete?q=10115+berlin', '*/*', 7],
    ['/v1/postcodes/10115', '*/*', 9],
    ['/v1/postcodes/10115?format=geojson', '*/*', 7],
    ['/v1/postcodes/10115', 'application/geo+json', 7],
    ['/v1/postcodes/10115?format=json', 'application/geo+json', 9],
  ])('%s, accepting %s, leaves %s of 10, and takes one of the month', async (url, accept, burst) => {
    server = await startServer();
    server.isSound = false;
    const { headers } = await get(url).set('accept', accept);
    expect(left.exec(headers.ratelimit as string)?.slice(1)).toEqual([String(burst), '999']);
  });

  test('too little left of the rate is a 429 that says how much is needed', async () => {
    server = await startServer();
    // 4 are left of its rate.
    expect((await get('/v1/postcodes/10115?format=csv', 'busy-key')).status).toBe(200);
    server.close();
    // 1 is left of its rate.
    const before = limitsAfter(0, 18_000);
    server = await startServer({
      check: (_key, cost, _caller, rateCost) => decideAdmission('k1', before.plan, before, before, 1, cost, rateCost),
    });
    const { status, body, headers } = await get('/v1/postcodes/10115?format=csv');
    expect([status, body.error.code, headers['retry-after']]).toEqual([429, 'SERVICE_RATE_LIMITED', '4']);
    expect(body.error.message).toContain('it takes 3, and the rate of RateLimit-Policy allows 1');
  });

  test('a bulk request takes one of the quota for each lookup, and of the rate what each alone would take', async () => {
    const asked: unknown[][] = [];
    server = await startServer({
      check(key, cost, caller, rateCost) {
        asked.push([cost, rateCost]);
        return decide(key, cost, caller, rateCost);
      },
    });
    await postLookups(server.port, {
      lookups: [{ q: 'ber' }, { q: '10115 ber' }, { country: 'DE', postcode: '10115' }],
    });
    expect(asked.at(-1)).toEqual([3, 5]);
  });

  test.each<[what: string, query: string, headers: string, isAlone: boolean]>([
    ['with a key that count as one share turns', 'q=berlin', `x-api-key: ${GOOD_KEY}\r\n`, false],
    [
      'with a key that count as several are answered one in each turn',
      'q=10115+berlin',
      `x-api-key: ${GOOD_KEY}\r\n`,
      true,
    ],
    ['without a key are answered one in each turn', 'q=berlin', '', true],
  ])('requests %s of the event loop', async (_what, query, headers, isAlone) => {
    let turn = 0;
    let isOver = false;
    const count = (): void => {
      turn++;
      if (!isOver) setImmediate(count);
    };
    const turns: number[] = [];
    const service = createFakeService();
    const noted: Service = {
      ...service,
      autocomplete(snapshot, input) {
        turns.push(turn);
        return service.autocomplete(snapshot, input);
      },
    };
    server = await startServer(undefined, undefined, noted, [], { keylessNetworks: ['127.0.0.1'] });
    const { port } = server;
    const sockets = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = connect(port, '127.0.0.1');
        await once(socket, 'connect');
        return socket;
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    count();
    for (const socket of sockets) socket.write(`GET /v1/autocomplete?${query} HTTP/1.1\r\nhost: a\r\n${headers}\r\n`);
    await waitUntil('all answers', async () => turns.length === sockets.length);
    isOver = true;
    for (const socket of sockets) socket.destroy();
    expect(new Set(turns).size === sockets.length).toBe(isAlone);
  });
});
