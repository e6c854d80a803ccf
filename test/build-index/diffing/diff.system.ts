/** Comparing snapshots: pairs of releases with exactly known changes, a naive oracle, and the program's exit codes. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type CountryDiff, hasCountedChanges } from '../../../build-index/diffing/change-counts.js';
import { type ComparedCountry, readComparedCountry } from '../../../build-index/diffing/compared-country.js';
import { compareCountry, describeComparison } from '../../../build-index/diffing/country-comparison.js';
import { diffSnapshots, type SnapshotDiff } from '../../../build-index/diffing/diff-snapshots.js';
import { indexedPostcode } from '../../../src/core/snapshot/postcode-index.js';
import { type PlaceResource, placeRangeJson } from '../../../src/core/snapshot/rendered-places.js';
import { openSnapshot } from '../../../src/core/snapshot/snapshot.js';
import { SnapshotError } from '../../../src/core/snapshot/snapshot-error.js';
import { readSnapshotContents, withFile } from '../../../src/core/snapshot/snapshot-file.js';
import type { Position } from '../../../src/core/snapshot/sphere.js';
import { runHere } from '../../cli/running.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../../fixtures/fixture-snapshot.js';
import { type FixtureRow, type RowsByCountry, rowOf as row } from '../../fixtures/hand-made-release.js';
import { type ProgramResult, runCalls } from '../../fixtures/program.js';
import { createRandom } from '../../fixtures/random.mjs';
import { seededRelease } from '../../fixtures/seeded-release.js';
import { silentProgress } from '../../fixtures/silent-progress.js';
import { AFTER, BEFORE } from './changed-releases.js';

/** A row of one code at a point. */
const at = (name: string, latitude: number, longitude: number, admin1 = ''): FixtureRow => {
  return ['1', name, admin1, '', '', latitude, longitude];
};
const UNSHIFTED: RowsByCountry = {
  FJ: [at('On the line', 0, 179.9, 'Lau')],
  PL: [...['Blisko', 'Tu', 'Dalej', 'Daleko'].map((name) => at(name, 50, 20)), at('Moved, too', 50, 20, 'A')],
  VA: [at('Vatican City', 41.9, 12.45)],
};
const SHIFTED: RowsByCountry = {
  FJ: [at('On the line', 0, -179.9, 'Lau')],
  // "Tu" by less than a kilometre.
  PL: [
    ...[at('Blisko', 50.01, 20), at('Tu', 50.008, 20), at('Dalej', 50.1, 20), at('Daleko', 60, 20)],
    at('Moved, too', 50.05, 20, 'B'),
  ],
  VA: [at('Vatican City', 41.9, 12.4501)],
};

const places = (count: number): RowsByCountry => ({
  AD: Array.from({ length: count }, (_, number) => row(`AD${100 + number}`, `Place ${number}`)),
  VA: [row('00120', 'Vatican City')],
});

const built = new Map<string, FixtureSnapshot>();
const pathOf = (name: string): string => built.get(name)?.path as string;
const diffOf = (before: string, after: string): SnapshotDiff =>
  diffSnapshots(pathOf(before), pathOf(after), silentProgress);

beforeAll(async () => {
  const releases = {
    before: BEFORE,
    after: AFTER,
    unshifted: UNSHIFTED,
    shifted: SHIFTED,
    twenty: places(20),
    nineteen: places(19),
    eighteen: places(18),
    seeded: seededRelease(7),
    edited: editRows(seededRelease(7), 8),
    other: seededRelease(9),
  };
  for (const [name, rows] of Object.entries(releases)) {
    built.set(name, await buildFixtureSnapshot(rows, { releaseName: name }));
  }
});
afterAll(() => {
  for (const snapshot of built.values()) snapshot.cleanup();
});

/** Drops, renames, moves, recodes and shifts one row in twenty each; a whole unit gets another name. */
function editRows(rowsByCountry: RowsByCountry, seed: number): RowsByCountry {
  const random = createRandom(seed);
  const edit = (line: FixtureRow | string): (FixtureRow | string)[] => {
    const [code, name, admin1, admin2, admin3, latitude, longitude, codes = ['', '', '']] = line as FixtureRow;
    const rest = [admin2, admin3, latitude, longitude, codes] as const;
    const chance = Math.floor(random() * 20);
    if (chance === 0) return [];
    if (chance === 1) return [[code, `${name} bis`, admin1, ...rest]];
    if (chance === 2) return [[code, name, `${admin1}er Land`, ...rest]];
    if (chance === 3) return [[`${code}9`, name, admin1, ...rest]];
    const degrees = chance === 4 ? 10 ** (-3 + 3.5 * random()) : 0;
    const shifted = [admin2, admin3, latitude - degrees, longitude - degrees, codes] as const;
    return [[code, name, admin1 === 'Neustein 0' ? 'Altstein 0' : admin1, ...shifted]];
  };
  return Object.fromEntries(Object.entries(rowsByCountry).map(([country, rows]) => [country, rows.flatMap(edit)]));
}

describe('each kind of change', () => {
  test('countries that come and go, and the greatest loss first', () => {
    const { countries, countriesAdded, countriesRemoved } = diffOf('before', 'after');
    expect({ countriesAdded, countriesRemoved }).toEqual({ countriesAdded: ['MC'], countriesRemoved: ['LI'] });
    expect(countries.map(({ code }) => code)).toEqual(['LI', 'CH', 'DK', 'SM', 'AT', 'EE', 'AD', 'BE', 'MC', 'VA']);
  });

  test('examples: at most five of a kind, one of each country in turn', () => {
    const { examples } = diffOf('before', 'after');
    expect(examples.removed).toHaveLength(5);
    expect(examples.removed.map(({ countryCode, before }) => `${countryCode}${before?.path}`)).toEqual([
      'LI/triesen',
      'CH/zh/toess',
      'SM/dogana',
      'AT/salzburg',
      'EE/harju',
    ]);
    expect(examples.renamed.map(({ before, after }) => [before?.name, after?.name])).toEqual([
      ['Zuerich', 'Zürich'],
      ['Byen', 'By'],
      ['Egnen', 'Egn'],
      ['Sjaelland', 'Sjælland'],
    ]);
    const move = { before: { path: '/wallonie/bruxelles' }, after: { path: '/brussel/bruxelles', postalCode: '1000' } };
    expect(examples.moved).toContainEqual(expect.objectContaining({ countryCode: 'BE', ...nested(move) }));
    expect(examples.codesAdded).toContainEqual({ countryCode: 'MC', postalCode: '98000' });
  });
});

function nested(parts: Record<string, object>) {
  return Object.fromEntries(Object.entries(parts).map(([key, value]) => [key, expect.objectContaining(value)]));
}

test.each(['before', 'seeded', 'edited'])('%s compared with itself has no change', (name) => {
  const { totals, examples, countriesAdded, countriesRemoved } = diffOf(name, name);
  expect(totals.idsKept).toBe(totals.placesBefore);
  expect(totals.placesBefore).toBeGreaterThan(10);
  expect(hasCountedChanges(totals)).toBe(false);
  expect([...countriesAdded, ...countriesRemoved, ...Object.values(examples).flat()]).toEqual([]);
});

const PAIRS = [
  ['before', 'after'],
  ['seeded', 'edited'],
  ['seeded', 'other'],
  ['twenty', 'seeded'],
] as const;

test.each(PAIRS)('%s and %s: figures as a naive comparison has them', (one, other) => {
  const [before, after] = [readAll(pathOf(one)), readAll(pathOf(other))];
  const { totals } = diffOf(one, other);
  const kept = [...before.places].flatMap(([id, was]) => {
    const is = after.places.get(id);
    return is === undefined ? [] : [{ was, is }];
  });
  const shiftedOver = (km: number): number => kept.filter(({ was, is }) => kmBetween(was, is) > km).length;
  expect(totals).toMatchObject({
    shiftedOver1Km: shiftedOver(1),
    shiftedOver10Km: shiftedOver(10),
    shiftedOver100Km: shiftedOver(100),
    retyped: 0,
    placesBefore: before.places.size,
    placesAfter: after.places.size,
    idsKept: kept.length,
    moved: kept.filter(({ was, is }) => was.path !== is.path || was.parentId !== is.parentId).length,
    codesAdded: [...after.codes].filter((code) => !before.codes.has(code)).length,
    codesRemoved: [...before.codes].filter((code) => !after.codes.has(code)).length,
  });
  // No place has a new name under the same id, since ids include names.
  expect(totals.removed + totals.renamed).toBe(before.places.size - kept.length);
  expect(totals.added + totals.renamed).toBe(after.places.size - kept.length);
});

test('the seeded releases have shifts of every length', () => {
  const { totals } = diffOf('seeded', 'edited');
  expect(totals.shiftedOver100Km).toBeGreaterThan(5);
  expect(totals.shiftedOver10Km).toBeGreaterThan(totals.shiftedOver100Km);
  expect(totals.shiftedOver1Km).toBeGreaterThan(totals.shiftedOver10Km);
});

/** Kilometres by the angle between two vectors, on a sphere of 6371 km. */
function kmBetween(...[one, other]: readonly [PlaceResource, PlaceResource]): number {
  const [a, b] = [vectorOf(one), vectorOf(other)];
  const chord = Math.hypot(...a.map((value, axis) => value - (b[axis] as number)));
  return 2 * 6371 * Math.asin(Math.min(chord / 2, 1));
}

function vectorOf({ latitude, longitude }: PlaceResource): number[] {
  const [lat, lng] = [latitude, longitude].map((degrees) => (degrees * Math.PI) / 180) as [number, number];
  return [Math.cos(lat) * Math.cos(lng), Math.cos(lat) * Math.sin(lng), Math.sin(lat)];
}

function readAll(path: string) {
  const places = new Map<string, PlaceResource>();
  const codes = new Set<string>();
  for (const { entry, structures } of openSnapshot(path).countries) {
    if (structures === undefined) continue;
    const { renderedPlaces, tree, postcodes } = structures;
    const text = Buffer.from(placeRangeJson(renderedPlaces, 0, tree.placeCount)).toString('utf8');
    for (const place of JSON.parse(`[${text}]`) as PlaceResource[]) places.set(place.id, place);
    for (let code = 0; code < postcodes.codeCount; code++)
      codes.add(`${entry.code} ${indexedPostcode(postcodes, code)}`);
  }
  return { places, codes };
}

describe('the program', () => {
  const call = (before: string, after: string, ...options: string[]): string[] => {
    return ['diff', pathOf(before), pathOf(after), ...options];
  };

  test('exit codes by the greatest loss', async () => {
    const results = await runCalls([
      call('twenty', 'nineteen'),
      call('twenty', 'nineteen', '--max-loss', '4.99'),
      call('twenty', 'eighteen'),
      call('eighteen', 'twenty', '--max-loss', '0'),
      call('before', 'after', '--max-loss', '100'),
    ]);
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 3, 3, 0, 0]);
  });

  test('over --max-loss: the report all the same, where places went, and which countries on standard error', async () => {
    const [result, same] = await runCalls([call('before', 'after', '--max-loss', '50'), call('before', 'before')]);
    const { exitCode, stdout, stderr } = result as ProgramResult;
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/^LI +2 .*100\.00 % +yes$/m);
    expect(stderr).toMatch(/\npostal-places: over .* 50 %: LI .* 2 of 2 .*, CH .* 3 of 4 .*, DK .* 3 of 5 .*\n$/);
    expect(stdout).toMatch(/^countries removed +LI$/m);
    expect(stdout).toMatch(
      /^ {2}BE\/wallonie\/bruxelles → BE\/brussel\/bruxelles {2}Bruxelles \(1000\) {2}[0-9a-f-]{36}$/m,
    );
    expect(stdout).toMatch(/^all +31 .*58\.06 %/m);
    expect(stdout).not.toMatch(/^VA/m);
    expect(same?.stdout).toMatch(/\nexamples +none\n\ncountries\ncode .*\nall .*\n$/);
  });

  test('--json: one object on standard output, with the figures of the comparison', async () => {
    const [result] = await runCalls([call('before', 'after', '--json')]);
    const { totals, countries, examples } = diffOf('before', 'after');
    const report = JSON.parse(result?.stdout ?? '');
    expect(report).toMatchObject({ old: { release: 'before' }, new: { release: 'after' }, maxLossPercent: 5, totals });
    expect(report.examples).toEqual(examples);
    expect(report.countries).toMatchObject(countries.map(({ code, counts }) => ({ code, ...counts })));
    expect(report.countries[0]).toMatchObject({ code: 'LI', idsKeptPercent: 0, lossPercent: 100, isOverMaxLoss: true });
  });

  test('says which of the two files is no snapshot', async () => {
    const sound = pathOf('before');
    for (const broken of [import.meta.filename, `${sound}.absent`]) {
      for (const args of [
        [sound, broken],
        [broken, sound],
      ]) {
        const { code, out, error } = await runHere('diff', ...args);
        expect([code, out, error]).toEqual([1, '', expect.stringMatching(`expected (to read )?${broken}[:,]`)]);
        expect(error).not.toMatch(/^\s+at /m);
      }
    }
  });
});

describe('shifts', () => {
  test.each([
    // The unit of one place has a new name.
    ['PL', { renamed: 1, moved: 1, shiftedOver1Km: 4, shiftedOver10Km: 2, shiftedOver100Km: 1 }],
    // Its only leaf takes the unit along; the other side of the antimeridian is near.
    ['FJ', { moved: 0, shiftedOver1Km: 2, shiftedOver10Km: 2, shiftedOver100Km: 0 }],
    ['VA', { shiftedOver1Km: 0, shiftedOver10Km: 0, shiftedOver100Km: 0 }],
  ])('%s: shifted', (code, expected) => {
    const counts = diffOf('unshifted', 'shifted').countries.find((country) => country.code === code)?.counts;
    expect(counts).toMatchObject({ added: 0, removed: 0, ...expected });
  });

  test('examples of shifts: the farthest of all countries, and how far', () => {
    const { totals, examples } = diffOf('unshifted', 'shifted');
    expect(hasCountedChanges(totals)).toBe(true);
    const point = (at: Position | undefined) => `${at?.latitude} ${at?.longitude}`;
    expect(examples.shifted.map(({ after, km, from, to }) => [after?.name, km, point(from), point(to)])).toEqual([
      ['Daleko', 1111.9, '50 20', '60 20'],
      ...['Lau', 'On the line'].map((name) => [name, 22.2, '0 179.9', '0 -179.9']),
      ['Dalej', 11.1, '50 20', '50.1 20'],
      ['Moved, too', 5.6, '50 20', '50.05 20'],
    ]);
  });

  describe('a country as it is read', () => {
    /** PL of the old release with another text in its answers, of the same length. */
    const patched = (from: string, to: string): CountryDiff =>
      withFile(pathOf('unshifted'), (file) => {
        const { manifest } = readSnapshotContents(file);
        const entry = manifest.countries.find(({ code }) => code === 'PL');
        const read = (): ComparedCountry => readComparedCountry(file, manifest, entry);
        const [old, same] = [read(), read()];
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
      expect(hasCountedChanges(counts)).toBe(true);
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
});
