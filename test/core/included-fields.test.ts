/** The fields of a place on request: their values, their order, and that nothing changes without them. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { INCLUDED_FIELDS, type IncludedField, readResponseData } from '../../src/core/use-cases/response-data.js';
import { type Service, service } from '../../src/core/use-cases/service.js';
import { buildFrom, createTemporaryFolder, type TemporaryFolder, writeRelease } from '../fixtures/fixture-snapshot.js';
import { cityLineOf, cityOf } from '../fixtures/gazetteer.js';
import type { RowsByCountry } from '../fixtures/hand-made-release.js';
import { parseAnswer } from './answer.js';

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
  await buildFrom(join(folder.path, 'release'), join(folder.path, 'fiji.snapshot'));
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
  return Object.fromEntries(INCLUDED_FIELDS.map((field) => [field, place[field]])) as Record<IncludedField, unknown>;
}

describe('the values', () => {
  const central = { iso3166_2: 'FJ-C', release: '01' };
  const none = { iso3166_2: null, release: null };
  const timezone = 'Pacific/Fiji';

  test.each<[string, Record<IncludedField, unknown>]>([
    ['/central', { codes: central, timezone, population: null, bounds: [178.4415, -18.1416, 178.5, -18.0667] }],
    ['/central/rewa', { codes: central, timezone, population: null, bounds: [178.4415, -18.1416, 178.5, -18.0667] }],
    ['/central/rewa/suva', { codes: central, timezone, population: 88_271, bounds: null }],
    ['/central/rewa/nasinu', { codes: central, timezone, population: null, bounds: null }],
    [
      '/northern',
      {
        codes: { iso3166_2: 'FJ-N', release: '03' },
        ...{ timezone, population: null, bounds: [179.3667, -16.85, -179.95, -16.4333] },
      },
    ],
    ['/northern/labasa', { codes: { iso3166_2: 'FJ-N', release: '03' }, timezone, population: null, bounds: null }],
    ['/rotuma', { codes: none, timezone, population: null, bounds: null }],
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
      /,"codes":\{[^}]*\},"timezone":[^,]*,"population":[^,]*,"bounds":(?:null|\[[^\]]*\])/g,
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
