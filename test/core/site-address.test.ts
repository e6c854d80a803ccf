/** Answers whose `url` fields point to another site than the snapshot's: all else stays, byte for byte. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readResponseData } from '../../src/core/answers/response-data.js';
import { service } from '../../src/core/answers/service.js';
import { withSiteAddress } from '../../src/core/answers/site-address.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { packagedUrlsOf } from '../../src/process/program/settings.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';

const FROM = 'https://site.test';
const TO = 'http://127.0.0.1:40011';

let fixture: FixtureSnapshot;
let snapshot: Snapshot;
beforeAll(async () => {
  const rows = Array.from(
    { length: 60 },
    (_, at) => [`AD${100 + at}`, `Place "url":"${FROM}/ ${at}`, 'Vall', '', '', 42.5, 1.5] as const,
  );
  fixture = await buildFixtureSnapshot({ AD: rows.map((row) => [...row]) });
  snapshot = openSnapshot(fixture.path);
});
afterAll(() => fixture?.cleanup());

const page = { country: 'AD', level: undefined, page: 1, pageSize: 50, lang: undefined };

test.each([
  ['listCountries', { hasPostcodes: undefined }],
  ['getCountry', { country: 'AD' }],
  ['listPlaces', page],
  ['findPostcode', { country: 'AD', postcode: 'AD100', include: undefined }],
  [
    'autocomplete',
    { query: 'place', countries: undefined, limit: 5, include: undefined, kinds: undefined, types: undefined },
  ],
  ['reverse', { lat: 42.5, lng: 1.5, country: 'AD', include: undefined }],
] as const)('%s', (id, input) => {
  const ask = (from: typeof service): string => readResponseData(from[id](snapshot, input as never));
  const own = ask(service);
  const other = ask(withSiteAddress(service, FROM, TO) as typeof service);
  const urls = (value: unknown): string[] =>
    [...JSON.stringify(value).matchAll(/"url":"([^"]+)"/g)].map(([, url]) => url as string);
  expect(urls(JSON.parse(own)).length).toBeGreaterThan(0);
  expect(urls(JSON.parse(own)).every((url) => url.startsWith(`${FROM}/`))).toBe(true);
  expect(urls(JSON.parse(other))).toEqual(urls(JSON.parse(own)).map((url) => url.replace(FROM, TO)));
  const without = (text: string): unknown => JSON.parse(text, (key, value) => (key === 'url' ? null : value));
  expect(without(other)).toEqual(without(own));
  // A snapshot of another site keeps its own.
  expect(ask(withSiteAddress(service, 'http://127.0.0.1:3001', TO) as typeof service)).toBe(own);
});

test.each([
  [null, 3001, 'http://127.0.0.1:3001'],
  [null, 0, 'http://127.0.0.1:3001'],
  [null, 4001, 'http://127.0.0.1:4001'],
  ['https://www.example.com', 4001, 'https://www.example.com'],
])('SITE_URL %s and SITE_PORT %s: %s', (siteUrl, sitePort, address) => {
  expect(packagedUrlsOf({ siteUrl, sitePort })).toBe(address);
});
