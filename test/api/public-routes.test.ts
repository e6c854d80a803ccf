/** What is answered without a key: the name of the service, the description of the API and the catalog. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { apiInfo } from '../../src/api/http/api-info.js';
import { packageVersion } from '../../src/base/package-root.js';
import { service } from '../../src/core/answers/service.js';
import { FOLDING_VERSION } from '../../src/core/snapshot/fold-text.js';
import { FORMAT_VERSION } from '../../src/core/snapshot/sections.js';
import { openSnapshot } from '../../src/core/snapshot/snapshot.js';
import { parseAnswer } from '../core/answer.js';
import { buildFixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { document } from './described-answers.js';
import { decide, GOOD_KEY, startServer, type TestServer } from './harness.js';

let running: TestServer;
let checkedCount = 0;
beforeAll(async () => {
  running = await startServer({
    check(key) {
      checkedCount++;
      return decide(key);
    },
  });
});
afterAll(() => running.close());

const paths = ['/', '/openapi.json', '/.well-known/api-catalog', '/v1/release'];

describe.each(paths)('%s', (path) => {
  test('costs no key, even where one is sent', async () => {
    const response = await request(running.server).get(path).set('x-api-key', GOOD_KEY);
    expect([response.status, checkedCount]).toEqual([200, 0]);
    expect(response.headers).not.toHaveProperty('ratelimit');
    expect(response.headers['access-control-allow-origin']).toBe('*');
  });

  test('HEAD has the headers of GET, and other methods are 405', async () => {
    const [head, full] = await Promise.all([request(running.server).head(path), request(running.server).get(path)]);
    for (const name of ['content-type', 'content-length', 'cache-control', 'etag', 'link']) {
      expect([name, head.headers[name]]).toEqual([name, full.headers[name]]);
    }
    expect((await request(running.server).post(path)).status).toBe(405);
    expect((await request(running.server).options(path)).status).toBe(204);
  });
});

test('the description is the committed one', async () => {
  const response = await request(running.server).get('/openapi.json');
  expect(response.body).toEqual(document);
  expect(response.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'public, max-age=3600',
  });
});

test.each(paths.slice(1))('%s is 304 for its tag', async (path) => {
  const { headers } = await request(running.server).get(path);
  const response = await request(running.server).get(path).set('if-none-match', String(headers.etag));
  expect([response.status, response.text]).toEqual([304, '']);
  expect((await request(running.server).get(path).set('if-none-match', '"other"')).status).toBe(200);
});

test('the service names itself and leads to its description', async () => {
  const { body, headers } = await request(running.server).get('/');
  const {
    title: name,
    summary,
    version,
    license,
    'x-attribution': attribution,
  } = document.info as unknown as ReturnType<typeof apiInfo>['info'];
  expect(body.data).toEqual({ name, summary, version, description: '/openapi.json', attribution, license });
  expect(headers.link).toContain('</openapi.json>; rel="service-desc"');
  expect(headers.link).toContain('</.well-known/api-catalog>; rel="api-catalog"');
  expect(headers['x-correlation-id']).toBe(body.metadata.correlationId);
});

test('the catalog leads to the description', async () => {
  // supertest reads bodies of types that it knows.
  const response = await fetch(`http://127.0.0.1:${running.port}/.well-known/api-catalog`);
  expect(response.headers.get('content-type')).toMatch(/^application\/linkset\+json; profile="/);
  const { linkset } = (await response.json()) as { linkset: { 'service-desc': { href: string }[] }[] };
  const href = linkset[0]?.['service-desc'][0]?.href ?? '';
  expect((await fetch(new URL(href, response.url))).status).toBe(200);
});

test('the release is named with its countries and versions', async () => {
  const fixture = await buildFixtureSnapshot(HAND_MADE_ROWS);
  const built = openSnapshot(fixture.path);
  running.snapshot = { ...built, manifest: { ...built.manifest, previousRelease: '2026-02-27' } };
  const { body } = await request(running.server).get('/v1/release').set('x-api-key', 'revoked-key');
  const { release, manifest } = running.snapshot;
  expect(body.data).toMatchObject({
    ...{
      name: release,
      sourceDate: manifest.sourceDate,
      previousRelease: '2026-02-27',
      builderVersion: packageVersion(),
    },
    ...{ formatVersion: FORMAT_VERSION, foldingVersion: FOLDING_VERSION },
  });
  const { countries, totalPlaces, distinctPostcodes } = body.data;
  const codesOf = (list: { code: string }[]) => list.map(({ code }) => code);
  expect(codesOf(countries)).toEqual(
    codesOf(parseAnswer(service.listCountries(running.snapshot, { hasPostcodes: true }))),
  );
  let [placeCount, codeCount] = [0, 0];
  for (const { code, ...counts } of countries) {
    const { stats } = parseAnswer(service.getCountry(running.snapshot, { country: code }));
    expect({ code, ...counts }).toEqual({
      ...{ code, totalPlaces: stats.totalPlaces, distinctPostcodes: stats.distinctPostcodes },
    });
    placeCount += stats.totalPlaces;
    codeCount += stats.distinctPostcodes;
  }
  expect({ totalPlaces, distinctPostcodes }).toEqual({ totalPlaces: placeCount, distinctPostcodes: codeCount });
  fixture.cleanup();
});

test.each([
  ['/v1/countries', 401],
  ['/v1/nothing', 404],
  [`/${'a'.repeat(9000)}`, 414],
])('an error leads to the description: %s', async (path, status) => {
  const response = await request(running.server).get(path);
  expect([response.status, response.headers.link]).toEqual([
    status,
    '</openapi.json>; rel="service-desc"; type="application/json"',
  ]);
});

test('a success pays for no such header', async () => {
  const response = await request(running.server).get('/v1/countries').set('x-api-key', GOOD_KEY);
  expect(response.headers).not.toHaveProperty('link');
});
