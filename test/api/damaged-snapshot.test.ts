/**
 * Damage that a snapshot can have unnoticed, each kind by itself, under the whole server: every endpoint goes on answering,
 * never with a 5xx and never with more than an answer can have.
 */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { service } from '../../src/core/answers/service.js';
import type { SectionName } from '../../src/core/snapshot/sections.js';
import { decodeSnapshot } from '../../src/core/snapshot/snapshot.js';
import { type Call, callsMeeting, findFaults, listCalls, MOST_BYTES } from '../core/endpoint-calls.js';
import { endsWithin } from '../fixtures/clock.js';
import { damageStructure } from '../fixtures/damage.js';
import { buildDamageableBytes, oldPathOf } from '../fixtures/damageable-snapshot.js';
import { GOOD_KEY, startServer, type TestServer } from './harness.js';

type Arrays = Record<string, Uint8Array | Uint32Array | Int32Array | Float64Array>;

const HANG_MS = 20_000;
/** The country whose structures are damaged. */
const DAMAGED = 'DE';

let bytes: Uint8Array;
let calls: readonly Call[];
/** The last of each endpoint's, which is about a place that is there, of those that meet the damage. */
let sentCalls: readonly Call[];
let testServer: TestServer;
beforeAll(async () => {
  bytes = await buildDamageableBytes();
  const callsByEndpoint = listCalls(decodeSnapshot(bytes, false), 4, oldPathOf);
  calls = callsMeeting(callsByEndpoint.flat(), DAMAGED);
  sentCalls = callsByEndpoint.flatMap((list) => callsMeeting(list, DAMAGED).slice(-1));
  expect(sentCalls).toHaveLength(callsByEndpoint.length);
  testServer = await startServer(undefined, undefined, service);
  testServer.isSound = false;
});
afterAll(() => testServer?.close());

/** Everything but the ends of an array, which opening looks at. */
const fillInside =
  (array: string, value: number) =>
  (arrays: Arrays): void =>
    void arrays[array]?.fill(value, 1, arrays[array].length - 1);
const fillEvery =
  (step: number, array: string, value: number) =>
  (arrays: Arrays): void =>
    void arrays[array]?.set(arrays[array].map((sound, at) => (at % step === 1 ? value : sound)));
const fill =
  (array: string, value: number) =>
  (arrays: Arrays): void =>
    void arrays[array]?.fill(value);

test.each<[string, SectionName, (arrays: Arrays) => void]>([
  ['no damage', 'place-tree', () => {}],
  ['children far behind all places', 'place-tree', fillInside('childStarts', 0xffffffff)],
  ['children up to far behind all places', 'place-tree', fillEvery(2, 'childStarts', 0xffffffff)],
  ['children from the end to the start', 'place-tree', ({ childStarts }) => childStarts?.reverse()],
  ['levels far behind all places', 'place-tree', ({ levelStarts }) => levelStarts?.fill(0xfffffff0, 1, 4)],
  ['parents in circles', 'place-tree', ({ parents }) => parents?.set(parents.map((_, place) => place ^ 1))],
  ['parents that are no places', 'place-tree', fill('parents', 0x7fffffff)],
  ['slugs of no place', 'path-trie', fill('childrenBySlug', 0xffffffff)],
  ['no empty slot for an id', 'id-index', fill('slots', 0xffffffff)],
  ['no empty slot for a code', 'postcode-index', fill('slots', 3)],
  ['codes of no code', 'postcode-index', fill('slots', 0xffffffff)],
  ['a code as long as all', 'postcode-index', ({ codeOffsets }) => codeOffsets?.fill(0, 1, codeOffsets.length >> 1)],
  ['codes behind all text', 'postcode-index', fillInside('codeOffsets', 0xfffffff0)],
  ['a code with all places', 'postcode-index', ({ placeStarts }) => placeStarts?.fill(0, 1, placeStarts.length >> 1)],
  ['codes with places behind all places', 'postcode-index', fillInside('placeStarts', 0xffffffff)],
  ['codes of places that are not there', 'postcode-index', fill('places', 0xffffffff)],
  ['codes of the place behind the last', 'postcode-index', ({ places }) => places?.fill(1024)],
  ['an answer up to the end of all', 'place-answers', fillInside('offsets', 0xffffffff)],
  ['answers that end at the start', 'place-answers', fillInside('offsets', 0)],
  ['answers in reverse', 'place-answers', ({ offsets }) => offsets?.subarray(1, -1).reverse()],
  ['cuts behind an answer', 'place-answers', fill('cuts', 0xffff)],
  ['cuts at the start of an answer', 'place-answers', fill('cuts', 0)],
  ['pages of no places', 'place-orders', ({ all, byLevel }) => [all, byLevel].map((order) => order?.fill(0xffffffff))],
  ['points nowhere', 'point-index', fill('coords', Number.NaN)],
  ['every second point without a latitude', 'point-index', fillEvery(4, 'coords', Number.NaN)],
  ['all points in one', 'point-index', fill('coords', 48)],
  ['points of no place', 'point-index', fill('places', 0xffffffff)],
  ['names of no name', 'name-index', fill('entryNames', 0xffffffff)],
  ['names behind all text', 'name-index', fillInside('nameOffsets', 0xffffffff)],
  ['names with all places', 'name-index', ({ rankStarts }) => rankStarts?.fill(0, 0, rankStarts.length - 1)],
  ['texts behind all texts', 'place-contexts', fillInside('textStarts', 0xffffffff)],
  ['old paths of no place', 'old-paths', fill('places', 0xffffffff)],
  ['old paths in disorder', 'old-paths', ({ digests }) => digests?.reverse()],
  ['facts behind all texts', 'place-facts', fillInside('textStarts', 0xffffffff)],
  ['facts that are all texts', 'place-facts', ({ textStarts }) => textStarts?.fill(0, 1, textStarts.length >> 1)],
  ['facts that are no text', 'place-facts', fill('text', 0x22)],
  ['time zones that are not there', 'place-facts', fill('zones', 0xff)],
  ['units of the first level everywhere', 'place-facts', fill('units', 0)],
  [
    'bounds of no unit, anywhere',
    'place-facts',
    (arrays) => [fill('boundedUnits', 7), fill('bounds', -1)].map((change) => change(arrays)),
  ],
])('%s', async (_, section, damage) => {
  const damaged = damageStructure(bytes, section, DAMAGED, (arrays) => damage(arrays as unknown as Arrays));
  const snapshot = decodeSnapshot(damaged, false);
  let faults: readonly string[] = ['a call does not end'];
  endsWithin(HANG_MS, () => {
    faults = findFaults(snapshot, calls);
  });
  expect(faults).toEqual([]);
  testServer.snapshot = snapshot;
  for (const call of sentCalls) {
    const response = await fetch(`http://127.0.0.1:${testServer.port}${targetOf(call)}`, {
      headers: { 'x-api-key': GOOD_KEY },
    });
    const { length } = Buffer.from(await response.arrayBuffer());
    expect([200, 404]).toContain(response.status);
    expect(length).toBeLessThan(MOST_BYTES[call.name] + 1000);
  }
  expect(testServer.logged).toEqual([]);
});

/** A side of a distance. */
function textOf(side: object): string {
  return Object.values(side).join(':');
}

function targetOf({ name, input }: Call): string {
  const { country, id, segments, postcode, ...query } = input as Record<string, unknown> & { segments?: string[] };
  const ofCountry = `/v1/countries/${country}`;
  const paths: Record<Call['name'], string> = {
    listCountries: '/v1/countries',
    getCountry: ofCountry,
    listPlaces: `${ofCountry}/places`,
    getPlace: `${ofCountry}/places/${id}`,
    listChildren: `${ofCountry}/places/${id}/children`,
    resolvePath: `${ofCountry}/resolve`,
    findPostcode: `${ofCountry}/postcodes/${encodeURIComponent(`${postcode}`)}`,
    autocomplete: '/v1/autocomplete',
    reverse: '/v1/reverse',
    nearby: '/v1/nearby',
    distance: '/v1/distance',
    listPostcodes: `${ofCountry}/places/${id}/postcodes`,
    checkPostcode: `${ofCountry}/postcodes/${encodeURIComponent(`${postcode}`)}/check`,
    findPostcodes: `/v1/postcodes/${encodeURIComponent(`${postcode}`)}`,
    match: '/v1/match',
    listChanges: '/v1/changes',
  };
  const { query: q, from, to, ...others } = query;
  const sides = { from: from && textOf(from), to: to && textOf(to) };
  const ownQuery = {
    ...{ autocomplete: { country }, reverse: { country } },
    ...{ nearby: { country, postcode }, distance: sides, findPostcodes: { country }, match: { country } },
  }[name as string];
  const inQuery = { ...others, ...ownQuery };
  const entries = Object.entries({ ...inQuery, q, path: segments && `/${segments.join('/')}` });
  const given = entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, `${value}`] as [string, string]]));
  return `${paths[name]}?${new URLSearchParams(given)}`;
}
