/**
 * Full codes over HTTP: every request that takes a code takes a full one, in any spelling. A snapshot of the same places
 * without full codes answers what has no full code to the byte as the one with them.
 */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Release } from '../../clients/typescript/src/types.js';
import { service } from '../../src/core/answers/service.js';
import type { ChangesList, ReleaseChanges } from '../../src/core/snapshot/release-changes.js';
import { FORMAT_VERSION } from '../../src/core/snapshot/sections.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { type FixtureRow, lineOf } from '../fixtures/hand-made-release.js';
import { getRaw, postLookups, startServer, type TestServer } from './harness.js';

const ROWS: Readonly<Record<string, readonly FixtureRow[]>> = {
  GB: [
    ['SW1A', 'Westminster Abbey', 'England', 'Greater London', '', 51.5, -0.13],
    ['SW1A', 'Whitehall', 'England', 'Greater London', '', 51.504, -0.127],
    ['SW1', 'London', 'England', 'Greater London', '', 51.49, -0.14],
    ['SW1', 'Belgravia', 'England', 'Greater London', '', 51.49, -0.15],
    ['SW1', 'Pimlico', 'England', 'Greater London', '', 51.48, -0.14],
    ['M1', 'Manchester', 'England', 'Greater Manchester', '', 53.47, -2.23],
    ['M11', 'Clayton', 'England', 'Greater Manchester', '', 53.48, -2.17],
  ],
  LI: [['9490', 'Vaduz', '', '', '', 47.14, 9.52]],
};

interface Full {
  readonly postcode: string;
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
}
/** In the order of their first parts. */
const FULL: readonly Full[] = [
  { postcode: 'M1 1AA', name: 'Manchester', latitude: 53.4771, longitude: -2.2342 },
  { postcode: 'M1 1AB', name: 'Manchester', latitude: 53.4772, longitude: -2.2301 },
  { postcode: 'M1 2BC', name: 'Manchester', latitude: 53.4784, longitude: -2.2262 },
  { postcode: 'M11 1AA', name: 'Clayton', latitude: 53.4812, longitude: -2.1721 },
  { postcode: 'SW1A 1AA', name: 'Westminster Abbey', latitude: 51.501, longitude: -0.1416 },
  { postcode: 'SW1A 1AB', name: 'Westminster Abbey', latitude: 51.5011, longitude: -0.14 },
  { postcode: 'SW1A 2AA', name: 'Whitehall', latitude: 51.5034, longitude: -0.1276 },
];
const fullOf = (postcode: string): Full => FULL.find((one) => one.postcode === postcode) as Full;

let plain: Snapshot;
let full: Snapshot;
let server: TestServer;
beforeAll(async () => {
  const lines = FULL.map(({ postcode, name, latitude, longitude }) =>
    lineOf('GB', [postcode, name, 'England', '', '', latitude, longitude]),
  );
  plain = await openFixture(ROWS);
  full = await openFixture({ ...ROWS, GB_full: lines });
  server = await startServer(undefined, undefined, service);
  server.snapshot = full;
});
afterAll(() => server?.close());

interface Place {
  readonly id: string;
  readonly name: string;
  readonly postalCode: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** The status and, of a success, the data. */
async function get(target: string): Promise<{ status: number; data: never }> {
  const { status, body } = await getRaw(server.port, target);
  return { status, data: JSON.parse(body).data as never };
}

async function dataOf<T>(target: string): Promise<T> {
  const { status, data } = await get(target);
  expect([target, status]).toEqual([target, 200]);
  return data;
}

const GB = '/v1/countries/GB';
const SPELLINGS = ['SW1A 2AA', 'sw1a 2aa', 'SW1A2AA', 'sw1a-2aa', 'GB-SW1A 2AA', 'SW1A  2AA '];

describe.each(SPELLINGS.map((typed) => [typed, encodeURIComponent(typed)]))('%s', (typed, encoded) => {
  const { postcode, latitude, longitude } = fullOf('SW1A 2AA');

  test('is found with its place, its code and its position', async () => {
    const { places } = await dataOf<{ places: Place[] }>(`${GB}/postcodes/SW1A`);
    const place = places.find(({ name }) => name === 'Whitehall');
    const expected = { countryCode: 'GB', postcode, places: [{ ...place, postalCode: postcode, latitude, longitude }] };
    expect(await dataOf(`${GB}/postcodes/${encoded}`)).toEqual(expected);
    expect(await dataOf(`/v1/postcodes/${encoded}`)).toEqual([expected]);
    const { body } = await postLookups(server.port, { lookups: [{ country: 'GB', postcode: typed }] });
    expect(JSON.parse(body).data).toEqual([{ statusCode: 200, data: expected }]);
  });

  test('is checked, measured from, and the centre of what is nearby', async () => {
    const match = typed === postcode ? 'exact' : 'normalised';
    expect(await dataOf(`${GB}/postcodes/${encoded}/check`)).toMatchObject({ postcode, match });
    const from = { countryCode: 'GB', postcode, latitude, longitude };
    expect(await dataOf(`/v1/distance?from=GB:${encoded}&to=GB:SW1A%201AA`)).toMatchObject({
      from,
      to: { postcode: 'SW1A 1AA', latitude: fullOf('SW1A 1AA').latitude },
    });
    const near = await dataOf<object[]>(`/v1/nearby?country=GB&postcode=${encoded}&by=postcode&limit=2`);
    expect(near).toMatchObject([{ ...from, distanceKm: 0 }, { postcode: 'SW1A 1AB' }]);
  });
});

test('a code of an earlier release is told as withdrawn, by every request that asks for it', async () => {
  server.snapshot = { ...full, changes: changesOf('SW1A 9ZZ', 'ZE1 9ZZ') };
  try {
    const withdrawn = { postcode: 'ZE1 9ZZ', release: 'next', countryCode: 'GB', ...WITHDRAWN_PLACE };
    const details = [{ param: 'postcode', withdrawn }];
    for (const target of [`${GB}/postcodes/ze1-9zz`, '/v1/postcodes/ZE19ZZ', '/v1/postcodes/ZE19ZZ?country=LI,GB']) {
      const { status, body } = await getRaw(server.port, target);
      expect([target, status, JSON.parse(body).error]).toMatchObject([target, 404, { details }]);
    }
    const { body } = await postLookups(server.port, { country: 'GB', lookups: [{ postcode: 'ZE19ZZ' }] });
    expect(JSON.parse(body).data).toMatchObject([{ statusCode: 404, error: { details } }]);
    expect(await dataOf(`${GB}/postcodes/ZE1%209ZZ/check`)).toMatchObject({ match: 'withdrawn', withdrawn });
    expect(await dataOf(`${GB}/postcodes/SW1A%209ZZ/check`)).toMatchObject({
      ...{ match: 'partial', postcode: 'SW1A', withdrawn: { ...withdrawn, postcode: 'SW1A 9ZZ' } },
    });
    const changes = await dataOf<{ items: object[] }>('/v1/changes?since=before&change=fullCodeRemoved');
    expect(changes).toMatchObject({ totalCount: 2, items: [{ postalCode: 'SW1A 9ZZ' }, { postalCode: 'ZE1 9ZZ' }] });
    expect(await dataOf('/v1/changes?since=before')).toMatchObject({ totalCount: 0, countriesNotListed: [] });
  } finally {
    server.snapshot = full;
  }
});

test('a list that comes later changes the tags of what is answered from it', async () => {
  const targets = [`${GB}/postcodes/ZE1%209ZZ/check`, '/v1/changes?since=before'];
  const tagOf = async (target: string) => /^etag: (.+)$/im.exec((await getRaw(server.port, target)).head)?.[1];
  server.snapshot = { ...full, changes: changesOf('SW1A 9ZZ') };
  try {
    const tags = await Promise.all(targets.map(tagOf));
    server.snapshot = { ...full, changes: changesOf('SW1A 9ZZ', 'ZE1 9ZZ') };
    expect(await Promise.all(targets.map(tagOf))).toEqual(tags);
    const [{ header, ...list }] = changesOf('ZE1 9ZZ').lists() as [ChangesList];
    const later = { ...list, header, writtenAt: '2026-02-02T03:04:05.678Z' };
    server.snapshot = { ...full, changes: { lists: () => [later] } };
    const laterTags = await Promise.all(targets.map(tagOf));
    for (const [at, tag] of laterTags.entries()) expect(tag).not.toBe(tags[at]);
  } finally {
    server.snapshot = full;
  }
});

test('lists with more lines than may be read are not looked through, whatever was asked before', async () => {
  const [list] = changesOf('ZE1 9ZZ').lists() as [ChangesList];
  const [country] = list.header.countries;
  const fullCodes = { ...(country?.fullCodes as object), fullCodeRemoved: 100_001 };
  const header = { ...list.header, countries: [{ ...country, fullCodes }] } as unknown as ChangesList['header'];
  let reads = 0;
  const read: ChangesList['read'] = (...asked) => {
    reads++;
    return list.read(...asked);
  };
  server.snapshot = { ...full, changes: { lists: () => [{ ...list, header, read }] } };
  try {
    expect(await dataOf(`${GB}/postcodes/ZE1%209ZZ/check`)).not.toHaveProperty('withdrawn');
    expect((await get('/v1/postcodes/ZE1%209ZZ')).status).toBe(404);
    expect(reads).toBe(0);
  } finally {
    server.snapshot = full;
  }
});

const WITHDRAWN_PLACE = {
  placeId: '0b8fb2b4-7c6d-5f35-a2c8-6f8b22f9f3f5',
  placeName: 'Lerwick',
  placePath: '/scotland/lerwick',
};

/** A list that leads from the release "before" to "next", which came without these full codes. */
function changesOf(...codes: string[]): ReleaseChanges {
  const { placeId: id, placeName: name, placePath: path } = WITHDRAWN_PLACE;
  const place = {
    countryCode: 'GB',
    change: 'fullCodeRemoved',
    id,
    path,
    name,
    localName: name,
    type: 'locality',
  } as const;
  const none = { added: 0, removed: 0, moved: 0, renamed: 0 };
  const counts = { fullCodeAdded: 0, fullCodeRemoved: codes.length, fullCodeMoved: 0 };
  const country = {
    ...{ code: 'GB', placesBefore: 9, placesAfter: 9, codesAdded: 0, codesRemoved: 0, ...none, bytes: none },
    fullCodes: { before: 9, after: 9 - codes.length, ...counts, bytes: { ...counts, fullCodeRemoved: 999 } },
  };
  const list: ChangesList = {
    writtenAt: '2026-01-02T03:04:05.678Z',
    header: {
      ...{ since: 'before', sinceSnapshot: '0'.repeat(16), release: 'next', snapshot: '1'.repeat(16) },
      ...{ sourceDate: null, countries: [country] },
    },
    read: (_, kind, start, end) =>
      kind === 'fullCodeRemoved' ? codes.slice(start, end).map((postalCode) => ({ ...place, postalCode })) : [],
  };
  return { lists: () => [list] };
}

describe('suggestions', () => {
  const suggest = async <T>(query: string, more = ''): Promise<T[]> =>
    dataOf<T[]>(`/v1/autocomplete?q=${encodeURIComponent(query)}${more}`);

  test.each([
    ['SW1A 1', ['SW1A 1AA', 'SW1A 1AB', 'SW1A']],
    ['sw1a1', ['SW1A 1AA', 'SW1A 1AB', 'SW1A']],
    ['SW1A 1A', ['SW1A 1AA', 'SW1A 1AB', 'SW1A']],
    ['SW1A 1AA', ['SW1A 1AA']],
    ['London SW1A 2', ['SW1A 2AA', 'SW1A']],
    ['SW1A', ['SW1A', 'SW1A 1AA', 'SW1A 1AB', 'SW1A 2AA']],
    // A first part with a longer one, and the start of a second part.
    ['M1 1', ['M1 1AA', 'M1 1AB', 'M1', 'M11', 'M11 1AA']],
  ])('%s is completed', async (query, expected) => {
    for (const more of ['', '&country=GB']) {
      const found = await suggest<{ postalCode: string; path: string }>(query, `&kinds=postcode${more}`);
      expect(found.map(({ postalCode }) => postalCode)).toEqual(expected);
    }
  });

  test('a street that is called like another place of the first part does not mislead', async () => {
    const found = await suggest<{ name: string; postalCode: string }>('10 Abbey Road, Whitehall SW1A 2AA');
    expect(found.map(({ name, postalCode }) => [name, postalCode])).toEqual([['Whitehall', 'SW1A 2AA']]);
  });

  test('first parts come before full codes, however many places the typed one has', async () => {
    for (const [limit, expected] of [
      [2, ['SW1', 'SW1A']],
      [3, ['SW1', 'SW1A', 'SW1A 1AA']],
      [4, ['SW1', 'SW1A', 'SW1A 1AA', 'SW1A 1AB']],
    ] as const) {
      for (const more of ['', '&country=GB']) {
        const found = await suggest<Place>('SW1', `&kinds=postcode&limit=${limit}${more}`);
        expect(found.map(({ postalCode }) => postalCode)).toEqual(expected);
      }
    }
  });

  test.each([
    ['SW1A 1', ['Westminster Abbey']],
    ['sw1a-2a', ['Whitehall']],
    ['M1 1', ['Manchester']],
    ['M1 1A', ['Manchester']],
    // Without the space a longer first part may be meant.
    ['M11', ['Clayton']],
  ])('the places of %s are those of full codes that start so', async (query, expected) => {
    for (const more of ['', '&country=GB']) {
      const found = await suggest<Place>(query, more);
      expect(found.map(({ name }) => name)).toEqual(expected);
      for (const { postalCode } of found) expect(ROWS.GB?.some(([code]) => code === postalCode)).toBe(true);
    }
    const [first] = await suggest<Place & { kind: string }>(query, '&kinds=place,postcode');
    expect(first?.kind).toBe('postcode');
  });

  test('a code has its own position and address', async () => {
    const [found] = await suggest('sw1a 2aa', '&kinds=postcode&include=place');
    const { name: placeName, ...code } = fullOf('SW1A 2AA');
    const path = '/postcode/SW1A%202AA';
    expect(found).toMatchObject({ kind: 'postcode', name: code.postcode, path, placeName, placeCount: 1 });
    expect(found).toMatchObject({ latitude: code.latitude, longitude: code.longitude });
  });

  test.each(['10 Downing Street, London SW1A 2AA', 'sw1a2aa', 'SW1A 2AA Whitehall', 'Whitehall, SW1A 2AA, UK'])(
    'the line %s is the place with the full code and its position',
    async (line) => {
      const { name, postcode: postalCode, latitude, longitude } = fullOf('SW1A 2AA');
      const [brief] = await suggest<Place>(line);
      expect(brief).toMatchObject({ name, postalCode });
      const [found] = await suggest<Place>(line, '&include=place');
      expect(found).toMatchObject({ name, postalCode, latitude, longitude });
      const [{ id } = { id: '' }] = (await dataOf<{ places: Place[] }>(`${GB}/postcodes/SW1A%202AA`)).places;
      expect(found?.id).toBe(id);
      // The description of a place stays with its own code.
      const [own] = await suggest<Place>('whitehall', '&include=place');
      expect(own).toMatchObject({ name, postalCode: 'SW1A', latitude: 51.504 });
    },
  );
});

test('the release and the service name the sources beyond GeoNames', async () => {
  const attributionOf = async (): Promise<string> => (await dataOf<{ attribution: string }>('/')).attribution;
  const { sources = [], formatVersion } = await dataOf<Release>('/v1/release');
  expect(formatVersion).toBe(FORMAT_VERSION);
  expect(sources).toMatchObject([
    { name: 'GeoNames', license: { identifier: 'CC-BY-4.0' }, fullCodesOf: [] },
    { name: 'Code-Point Open', license: { identifier: 'OGL-UK-3.0' }, fullCodesOf: ['GB'] },
  ]);
  expect(await attributionOf()).toBe(sources.map(({ attribution }) => attribution).join('. '));
  server.snapshot = plain;
  try {
    expect(Object.keys(await dataOf('/v1/release')).at(-1)).toBe('builderVersion');
    expect(await attributionOf()).toBe(sources[0]?.attribution);
  } finally {
    server.snapshot = full;
  }
});

test('what has no full code is answered as without full codes, to the byte', async () => {
  const [england] = (await dataOf<{ items: Place[] }>(`${GB}/places?level=1`)).items;
  const targets = [
    ...['', '/GB', '/GB/places', '/GB/postcodes/SW1A', '/GB/postcodes/sw1a/check', '/GB/postcodes/M1/check'].map(
      (path) => `/v1/countries${path}`,
    ),
    `${GB}/places/${england?.id}/postcodes`,
    ...['SW1A', 'lond', 'manchester m1', 'M11', 'SW1'].map((q) => `/v1/autocomplete?q=${encodeURIComponent(q)}`),
    '/v1/reverse?lat=51.5&lng=-0.13',
    '/v1/nearby?lat=51.5&lng=-0.13',
    '/v1/distance?from=GB:SW1A&to=LI:9490',
    '/v1/postcodes/SW1A',
    ...['/v1/postcodes/10115', `${GB}/postcodes/ZE1`, `${GB}/postcodes/ZE1/check`],
  ];
  const ask = async (snapshot: Snapshot): Promise<string[]> => {
    server.snapshot = snapshot;
    const bodies: string[] = [];
    for (const target of targets) bodies.push((await getRaw(server.port, target)).body);
    return bodies.map((body) => body.slice(0, body.lastIndexOf('"metadata"')));
  };
  const without = await ask(plain);
  expect(await ask(full)).toEqual(without);
});
