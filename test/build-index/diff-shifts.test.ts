/** Comparing snapshots: places that lie elsewhere or are of another type, and answers that cannot be read. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { diffAsText } from '../../build-index/commands/diff-report.js';
import {
  type ComparedCountry,
  type CountryDiff,
  hasChanges,
  readComparedCountry,
} from '../../build-index/diffing/changes.js';
import { compareCountry, describeComparison } from '../../build-index/diffing/diff-country.js';
import { diffSnapshots, type SnapshotDiff } from '../../build-index/diffing/diff-snapshots.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import { readContents, withFile } from '../../src/core/snapshot/snapshot-file.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import type { FixtureRow, RowsByCountry } from '../fixtures/hand-made-release.js';
import { silentProgress } from '../fixtures/silent-progress.js';

const at = (name: string, latitude: number, longitude: number, admin1 = ''): FixtureRow => [
  ...(['1', name, admin1, '', ''] as const),
  latitude,
  longitude,
];
const BEFORE: RowsByCountry = {
  FJ: [at('On the line', 0, 179.9, 'Lau')],
  PL: [...['Blisko', 'Tu', 'Dalej', 'Daleko'].map((name) => at(name, 50, 20)), at('Moved, too', 50, 20, 'A')],
  VA: [at('Vatican City', 41.9, 12.45)],
};
const AFTER: RowsByCountry = {
  FJ: [at('On the line', 0, -179.9, 'Lau')],
  PL: [
    at('Blisko', 50.01, 20),
    // Less than a kilometre.
    at('Tu', 50.008, 20),
    at('Dalej', 50.1, 20),
    at('Daleko', 60, 20),
    at('Moved, too', 50.05, 20, 'B'),
  ],
  VA: [at('Vatican City', 41.9, 12.4501)],
};

let before: FixtureSnapshot;
let after: FixtureSnapshot;
let diff: SnapshotDiff;

beforeAll(async () => {
  before = await buildFixtureSnapshot(BEFORE);
  after = await buildFixtureSnapshot(AFTER);
  diff = diffSnapshots(before.path, after.path, silentProgress);
});
afterAll(() => {
  before?.cleanup();
  after?.cleanup();
});

test.each([
  // The unit of one place has a new name.
  ['PL', { renamed: 1, moved: 1, shiftedOver1Km: 4, shiftedOver10Km: 2, shiftedOver100Km: 1 }],
  // Its only leaf takes the unit along; the other side of the antimeridian is near.
  ['FJ', { moved: 0, shiftedOver1Km: 2, shiftedOver10Km: 2, shiftedOver100Km: 0 }],
  ['VA', { shiftedOver1Km: 0, shiftedOver10Km: 0, shiftedOver100Km: 0 }],
])('%s: shifted', (code, expected) => {
  const counts = diff.countries.find((country) => country.code === code)?.counts;
  expect(counts).toMatchObject({ added: 0, removed: 0, ...expected });
});

test('examples of shifts: the farthest of all countries, and how far', () => {
  const { totals, examples } = diff;
  expect(hasChanges(totals)).toBe(true);
  expect(examples.shifted.map(({ after, km, from, to }) => [after?.name, km, from, to])).toEqual([
    ['Daleko', 1111.9, { latitude: 50, longitude: 20 }, { latitude: 60, longitude: 20 }],
    ...['Lau', 'On the line'].map((name) => [
      name,
      22.2,
      { latitude: 0, longitude: 179.9 },
      { latitude: 0, longitude: -179.9 },
    ]),
    ['Dalej', 11.1, { latitude: 50, longitude: 20 }, { latitude: 50.1, longitude: 20 }],
    ['Moved, too', 5.6, { latitude: 50, longitude: 20 }, { latitude: 50.05, longitude: 20 }],
  ]);
});

test('the other way round as many are shifted as far', () => {
  const back = diffSnapshots(after.path, before.path, silentProgress);
  const { shiftedOver1Km, shiftedOver10Km, shiftedOver100Km } = diff.totals;
  expect(back.totals).toMatchObject({ shiftedOver1Km, shiftedOver10Km, shiftedOver100Km });
  expect(back.examples.shifted.map(({ km }) => km)).toEqual(diff.examples.shifted.map(({ km }) => km));
});

test('the report for people: a column for each distance, and the farthest shifts', () => {
  const text = diffAsText(diff);
  expect(text).toMatch(/^PL +6 +6 +0 +0 +1 +1 +4 +2 +1 +0 +0 /m);
  expect(text).toMatch(
    /^places shifted by over 1 km \(6, 5 of them\)\n {2}PL\/daleko {2}Daleko \(1\) {2}1111\.9 km: 50,20 → 60,20$/m,
  );
});

describe('a country as it is read', () => {
  /** PL of the old release with another text in its answers, of the same length. */
  const patched = (from: string, to: string): CountryDiff =>
    withFile(before.path, (file) => {
      const { manifest } = readContents(file);
      const entry = manifest.countries.find(({ code }) => code === 'PL');
      const [old, same] = [0, 1].map(() => readComparedCountry(file, manifest, entry)) as [
        ComparedCountry,
        ComparedCountry,
      ];
      const text = Buffer.from(same.renderedPlaces.text).toString('latin1');
      const bytes = Buffer.from(text.replaceAll(from, to), 'latin1');
      expect(bytes).toHaveLength(same.renderedPlaces.text.length);
      const edited = { ...same, renderedPlaces: { ...same.renderedPlaces, text: bytes } };
      const pair = { code: 'PL', before: old, after: edited };
      return describeComparison(pair, compareCountry(pair));
    });

  test('places of another type', () => {
    const { counts, examples } = patched('"type":"region"', '"type":"canton"');
    expect(counts).toMatchObject({ added: 0, removed: 0, moved: 0, renamed: 0, retyped: 1, shiftedOver1Km: 0 });
    expect(hasChanges(counts)).toBe(true);
    expect(examples.retyped.map(({ before, after }) => [after?.name, before?.type, after?.type])).toEqual([
      ['A', 'region', 'canton'],
    ]);
  });

  test.each([
    ['no latitude', '"latitude":50', '"latitude_:50'],
    ['no number', '"latitude":50', '"latitude":xy'],
    ['a latitude over 90', '"latitude":50', '"latitude":97'],
    ['no longitude', '"longitude":', '"longitude_:'],
    ['no parent', '"parentId":', '"parentId_:'],
  ])('%s: a typed error', (_, from, to) => {
    expect(() => patched(from, to)).toThrow(SnapshotError);
  });
});
