/**
 * Files of full codes in a build: where each row goes, what the report says of the others, which files are refused, and
 * what changed since another release.
 */

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { BuildOptions } from '../../build-index/building/build-snapshot.js';
import { packSnapshot } from '../../build-index/building/pack-snapshot.js';
import { buildAsJson, buildAsText } from '../../build-index/commands/build-report.js';
import { diffAsText } from '../../build-index/commands/diff-report.js';
import { writeChanges } from '../../build-index/diffing/write-changes.js';
import { createBuilderPool } from '../../build-index/tasks/builder-pool.js';
import { type FullCode, findFullCode } from '../../src/core/snapshot/full-codes.js';
import { readPlace } from '../../src/core/snapshot/place-fields.js';
import { CODE_CHANGE_KINDS, type PlaceChange } from '../../src/core/snapshot/release-changes.js';
import { type CountryStructures, openSnapshot } from '../../src/core/snapshot/snapshot.js';
import { identityOf } from '../../src/releases/folder/find-snapshot.js';
import { ChangesFile } from '../../src/releases/served/changes-lists.js';
import { buildFrom, createTemporaryFolder, type TemporaryFolder, writeRelease } from '../fixtures/fixture-snapshot.js';
import { fullCodeLines } from '../fixtures/full-codes.mjs';
import { type FixtureRow, lineOf } from '../fixtures/hand-made-release.js';
import { createRandom } from '../fixtures/random.mjs';
import { silentProgress } from '../fixtures/silent-progress.js';
import { zipOf } from '../fixtures/zip-writer.js';

const ROWS: Readonly<Record<string, readonly FixtureRow[]>> = {
  GB: [
    ['TD9', 'Hawick', 'Scotland', 'Borders', '', 55.42, -2.78],
    ['TD9', 'Newcastleton', 'Scotland', 'Borders', '', 55.18, -2.81],
    ['TD9', 'Newcastleton', 'England', 'Cumbria', '', 55.1, -2.9],
    ['M1', 'Manchester', 'England', '', '', 53.47, -2.23],
  ],
  LI: [['9490', 'Vaduz', '', '', '', 47.14, 9.52]],
};

const gbRow = (code: string, name: string, unit: string, latitude: number, longitude: number): string =>
  lineOf('GB', [code, name, unit, '', '', latitude, longitude]);

/** Each with the place that it belongs to, as name and latitude. */
const TAKEN: readonly (readonly [string, string])[] = [
  [gbRow('TD9 0AA', 'Hawick', 'Scotland', 55.11, -2.9), 'Hawick 55.42'],
  // The unit decides between places of one name, and the position where nothing else does.
  [gbRow('TD9 0AB', 'Newcastleton', 'England', 55.18, -2.81), 'Newcastleton 55.1'],
  [gbRow('TD9 0AC', 'Newcastleton', 'Scotland', 55.1, -2.9), 'Newcastleton 55.18'],
  [gbRow('TD9 0AD', 'NEWCASTLETON', '', 55.11, -2.9), 'Newcastleton 55.1'],
  [gbRow('TD9 0AE', 'Elsewhere', '', 55.41, -2.79), 'Hawick 55.42'],
  [gbRow('M11AA', 'Manchester', 'England', 53.47, -2.24), 'Manchester 53.47'],
  [gbRow('m1  1ab', 'Manchester', 'England', 53.48, -2.23), 'Manchester 53.47'],
  [gbRow('M1-1AC', 'Manchester', 'England', 0, 0), 'Manchester 53.47'],
];
const NO_SECOND_PART = 'rejected: no second part of one to three letters A-Z and digits';
const REJECTED: readonly (readonly [string, string])[] = [
  [gbRow('ZE9 1AA', 'Nowhere', '', 60, -1), 'rejected: no place has the first part of the full code'],
  [gbRow('M1', 'Manchester', '', 53, -2), NO_SECOND_PART],
  [gbRow('M1 1AAA', 'Manchester', '', 53, -2), NO_SECOND_PART],
  [gbRow('M1 É', 'Manchester', '', 53, -2), NO_SECOND_PART],
  [gbRow('TD9 0 AF', 'Hawick', '', 55, -2), NO_SECOND_PART],
  [gbRow('M 11AB', 'Manchester', '', 53, -2), 'rejected: no place has the first part of the full code'],
  ['GB\tM1 1AD\tManchester\t\t\t\t\t\t\t\t\t', 'rejected: coordinates missing or out of range'],
  [gbRow('M1 1AE', 'Manchester', '', 91, -2), 'rejected: coordinates missing or out of range'],
  [lineOf('IE', ['M1 1AF', 'Manchester', '', '', '', 53, -2]), 'rejected: another country than its file'],
  [gbRow('M1 1AH', 'Manchester', '', 53, -180.5), 'rejected: coordinates missing or out of range'],
  [gbRow('M1 1AJ', 'Manchester', '', Number.NaN, -2), 'rejected: coordinates missing or out of range'],
  ['GB\tM1 1AG', 'rejected: not 12 columns'],
  // As real CSV would be.
  ['GB,M1 1AK,Manchester,,,,,,,53.4,-2.2,6', 'rejected: not 12 columns'],
];
/** Further rows of codes above, farther from their places, whatever the order. */
const MERGED = [
  gbRow('TD9 0AB', 'Newcastleton', 'England', 55.3, -2.9),
  gbRow('td90ab', 'Hawick', 'Scotland', 55.1, -2.91),
  // Of the first place, and of the lowest position.
  gbRow('TD9 0AE', 'Hawick', 'Scotland', 0, 0),
  gbRow('M1 1AA', 'Manchester', 'England', 0, 0),
  TAKEN[5]?.[0] as string,
];
const LINES = [...TAKEN.map(([line]) => line), ...REJECTED.map(([line]) => line), ...MERGED];

let folder: TemporaryFolder;
const inFolder = (...names: string[]): string => join(folder.path, ...names);
beforeEach(() => {
  folder = createTemporaryFolder();
  writeRelease(inFolder('release'), ROWS);
});
afterEach(() => folder.remove());

async function build(options: Partial<BuildOptions> = {}, out = 'out.snapshot') {
  const report = await buildFrom(inFolder('release'), inFolder(out), options);
  return { report, bytes: readFileSync(inFolder(out)) };
}

const writeFull = (lines: readonly string[], name = 'GB_full.txt'): void =>
  writeFileSync(inFolder('release', name), `${lines.join('\n')}\n`);

function gbOf(out = 'out.snapshot'): CountryStructures {
  return openSnapshot(inFolder(out)).countryByCode.get('GB')?.structures as CountryStructures;
}

test('each row goes to the place of its first part, or is in the report', async () => {
  writeFull(LINES);
  const { report } = await build();
  const gb = gbOf();
  expect(gb.fullCodes?.count).toBe(TAKEN.length);
  for (const [line, place] of TAKEN) {
    const [, code = '', , , , , , , , latitude, longitude] = line.split('\t');
    const found = findFullCode(gb.fullCodes as never, code.toUpperCase().replaceAll(/[ -]/g, '')) as FullCode;
    const { name, latitude: placed } = readPlace(gb, found.place);
    expect(`${code}: ${name} ${placed}`).toBe(`${code}: ${place}`);
    expect([found.latitude, found.longitude]).toEqual([Number(latitude), Number(longitude)]);
  }
  const [tally] = report.fullCodes;
  expect(tally).toMatchObject({
    ...{ countryCode: 'GB', file: 'GB_full.txt', rowsRead: LINES.length, codesTaken: TAKEN.length },
    ...{ rowsMerged: MERGED.length, rowsRejected: REJECTED.length },
  });
  const counts = Object.fromEntries(Object.entries(tally?.problems ?? {}).map(([kind, { count }]) => [kind, count]));
  expect(counts).toEqual({
    'rejected: no place has the first part of the full code': 2,
    [NO_SECOND_PART]: 4,
    'rejected: coordinates missing or out of range': 4,
    'rejected: another country than its file': 1,
    'rejected: not 12 columns': 2,
    'merged: the same full code twice': 5,
    'taken: over 50 km from its place': 1,
    'repaired: postal code brought to normal form': 2,
  });
  expect(tally?.problems['taken: over 50 km from its place']?.examples[0]).toBe('GB_full.txt:8: M1 1AC');
  expect(tally?.problems['merged: the same full code twice']?.examples).toContain('GB_full.txt:25: M1 1AA');
  expect(report.sources.map(({ name }) => name)).toEqual(['GeoNames', 'Code-Point Open']);
  expect(report.manifest.sources).toEqual(report.sources);
  expect(buildAsText(report)).toContain(report.sources[1]?.attribution);
  // The rows of places are counted by themselves.
  expect(report.tally).toMatchObject({ rowsRead: 5, rowsTaken: 5, problems: {} });
  expect(buildAsText(report)).toMatch(/^GB_full\.txt +26 +8 +5 +13$/m);
  expect(JSON.parse(buildAsJson(report)).fullCodes).toMatchObject([{ codesTaken: 8, problems: expect.anything() }]);
});

test('the order of rows and the form of the file make no difference', async () => {
  writeFull(LINES);
  const { bytes } = await build();
  const random = createRandom(2);
  writeFull([...LINES].sort(() => random() - 0.5));
  expect((await build()).bytes.equals(bytes)).toBe(true);
  renameSync(inFolder('release', 'GB_full.txt'), inFolder('GB_full.txt'));
  const content = readFileSync(inFolder('GB_full.txt'));
  // Without a date, which the name of a release may come from.
  const zip = zipOf([{ name: 'GB_full.txt', content, date: [0, 0, 0] }]);
  for (const name of ['GB_full.zip', 'GB_full.csv.zip']) {
    writeFileSync(inFolder('release', name), zip);
    expect((await build()).bytes.equals(bytes)).toBe(true);
    renameSync(inFolder('release', name), inFolder(name));
  }
  const all = Object.entries(ROWS).flatMap(([code, rows]) => rows.map((row) => lineOf(code, row)));
  mkdirSync(inFolder('all'));
  writeFileSync(inFolder('all', 'allCountries.txt'), all.join('\n'));
  writeFileSync(inFolder('all', 'GB_full.txt'), content);
  const report = await buildFrom(inFolder('all'), inFolder('all.snapshot'));
  expect(report.ignoredFiles).toEqual([]);
  expect(readFileSync(inFolder('all.snapshot')).equals(bytes)).toBe(true);
});

test('a pack has full codes with their country, and without it is as a build without them', async () => {
  const lines = (ROWS.GB ?? []).map((row) => lineOf('GB', row));
  writeFull(fullCodeLines(lines, '#@@', 300, 4));
  await build({}, 'world.snapshot');
  for (const code of ['GB', 'LI']) {
    const options = { source: inFolder('world.snapshot'), outPath: inFolder('packed.snapshot'), countries: [code] };
    await packSnapshot(options, createBuilderPool(0), silentProgress);
    const { bytes, report } = await build({ countries: [code] });
    expect(readFileSync(inFolder('packed.snapshot')).equals(bytes)).toBe(true);
    expect(report.fullCodes).toHaveLength(code === 'GB' ? 1 : 0);
    expect(bytes.readUInt32LE(8)).toBe(code === 'GB' ? 10 : 9);
  }
});

describe('refused, with nothing written', () => {
  const zip = (content: string, name = 'GB_full.txt') => zipOf([{ name, content: Buffer.from(content) }]);
  test.each<[string, Readonly<Record<string, Buffer>>, RegExp]>([
    [
      'full codes without places',
      { 'NL_full.txt': Buffer.from('') },
      /NL_full\.txt: .* full codes of NL but no places/,
    ],
    ['two files of a country', { 'GB_full.txt': Buffer.from(''), 'GB_full.zip': zip('') }, /remove one/],
    ['a zip of something else', { 'GB_full.csv.zip': zip('', 'GB.txt') }, /holds no GB_full\.txt/],
    ['a zip that ends early', { 'GB_full.csv.zip': zip(LINES.join('\n')).subarray(0, 900) }, /cannot be read/],
    [
      'a zip with a flipped bit',
      { 'GB_full.csv.zip': flipped(zip(LINES.join('\n')), 300) },
      /cannot be read: GB_full\.txt does not match its CRC-32/,
    ],
    [
      'full codes of a country whose rows are all rejected',
      {
        'NL.txt': Buffer.from('NL\t1012\n'),
        'NL_full.txt': Buffer.from(lineOf('NL', ['1012 AB', 'A', '', '', '', 52, 4])),
      },
      /NL_full\.txt: .* full codes of NL, of whose places no row is taken/,
    ],
    ['an empty file', { 'GB_full.txt': Buffer.from('') }, /GB_full\.txt: not one full code of GB; remove/],
    [
      'only rows of another country',
      { 'GB_full.txt': Buffer.from(lineOf('NL', ['1012 AB', 'A', '', '', '', 52, 4])) },
      /GB_full\.txt: not one full code of GB; rejected: another country than its file: GB_full\.txt:1: NL/,
    ],
    [
      'only rows that are rejected, packed',
      { 'GB_full.csv.zip': zip(REJECTED.map(([line]) => line).join('\n')) },
      /GB_full\.csv\.zip: not one full code of GB; rejected: /,
    ],
    [
      'full codes of no country',
      { 'AN.txt': Buffer.from(lineOf('AN', ['1', 'A', '', '', '', 12, -68])), 'AN_full.txt': Buffer.from('') },
      /AN_full\.txt: .* full codes of AN, of whose places no row is taken/,
    ],
    [
      'full codes beside allCountries without the country',
      {
        'allCountries.txt': Buffer.from(lineOf('LI', ['9490', 'Vaduz', '', '', '', 47, 9])),
        'GB_full.txt': Buffer.from(''),
      },
      /GB_full\.txt: .* full codes of GB but no places/,
    ],
  ])('%s', async (_, files, message) => {
    if ('allCountries.txt' in files) for (const code of Object.keys(ROWS)) rmSync(inFolder('release', `${code}.txt`));
    for (const [name, bytes] of Object.entries(files)) writeFileSync(inFolder('release', name), bytes);
    await expect(build()).rejects.toMatchObject({ name: 'ReleaseError', message: expect.stringMatching(message) });
    expect(readdirSync(folder.path)).toEqual(['release']);
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] as number) ^ 1;
  return bytes;
}

describe('compared with another release', () => {
  interface Full {
    readonly code: string;
    readonly name: string;
    readonly latitude: number;
    readonly longitude: number;
  }
  /** The places of both releases, and one of either. */
  const PLACES: readonly FixtureRow[] = [
    ...(ROWS.GB ?? []).slice(0, 2),
    ['M1', 'Manchester', 'England', '', '', 53.47, -2.23],
    ['M10', 'Moston', 'England', '', '', 53.5, -2.18],
  ];
  const OLD: FixtureRow = ['E1', 'Stepney', 'England', '', '', 51.51, -0.06];
  const NEW: FixtureRow = ['W1', 'Soho', 'England', '', '', 51.51, -0.13];

  function fullOf(rows: readonly FixtureRow[], count: number, seed: number): Full[] {
    const lines = rows.map((row) => lineOf('GB', row));
    return fullCodeLines(lines, '#@@', count, seed).map((line) => {
      const [, code = '', name = '', , , , , , , latitude, longitude] = line.split('\t');
      return { code, name, latitude: Number(latitude), longitude: Number(longitude) };
    });
  }

  async function buildOf(name: string, rows: readonly FixtureRow[], full: readonly Full[]): Promise<string> {
    const path = inFolder(name);
    writeRelease(path, { GB: rows, LI: ROWS.LI ?? [] });
    const lines = full.map(({ code, name: place, latitude, longitude }) =>
      lineOf('GB', [code, place, '', '', '', latitude, longitude]),
    );
    if (lines.length > 0) writeFileSync(join(path, 'GB_full.txt'), lines.join('\n'));
    await buildFrom(path, inFolder(`${name}.snapshot`), { releaseName: name });
    return inFolder(`${name}.snapshot`);
  }

  async function compare(oldPath: string, newPath: string, maxBytes?: number) {
    const path = inFolder('changes.ndjson');
    const { diff } = await writeChanges(oldPath, newPath, path, silentProgress, maxBytes);
    const text = readFileSync(path, 'utf8');
    const [first = '', ...lines] = text.trimEnd().split('\n');
    const list = new ChangesFile(path, identityOf(path, statSync(path, { bigint: true })));
    const gb = list.header.countries.find(({ code }) => code === 'GB');
    const changes = lines
      .map((line) => JSON.parse(line) as PlaceChange)
      .filter(({ change }) => /^fullCode/.test(change));
    return { diff, version: JSON.parse(first).version as number, gb, changes, list };
  }

  test('lists the codes that a search of all codes finds: new, gone, far from before or of another place', async () => {
    const old = fullOf([...PLACES, OLD], 400, 3);
    const random = createRandom(9);
    const now: Full[] = [];
    const expected = { fullCodeAdded: [] as string[], fullCodeRemoved: [] as string[], fullCodeMoved: [] as string[] };
    const other: Readonly<Record<string, string>> = { Hawick: 'Newcastleton', Newcastleton: 'Hawick' };
    for (const full of old) {
      const { code, name, latitude } = full;
      const chance = Math.floor(random() * 8);
      if (name === 'Stepney' || chance === 0) expected.fullCodeRemoved.push(code);
      // A degree of latitude has 111.2 km.
      else if (chance === 1) now.push({ ...full, latitude: latitude + 0.0085 });
      else if (chance === 2) {
        now.push({ ...full, latitude: latitude + 0.0095 });
        expected.fullCodeMoved.push(code);
      } else if (chance === 3 && other[name] !== undefined) {
        now.push({ ...full, name: other[name] });
        expected.fullCodeMoved.push(code);
      } else now.push(full);
    }
    for (const full of fullOf([...PLACES, NEW], 60, 4)) {
      if (old.some(({ code }) => code === full.code)) continue;
      now.push(full);
      expected.fullCodeAdded.push(full.code);
    }
    const paths = [await buildOf('old', [...PLACES, OLD], old), await buildOf('new', [...PLACES, NEW], now)] as const;
    const { diff, version, gb, changes, list } = await compare(...paths);
    expect(version).toBe(2);
    const counts = { fullCodeAdded: expected.fullCodeAdded.length, fullCodeRemoved: expected.fullCodeRemoved.length };
    const fullCodes = {
      before: old.length,
      after: now.length,
      ...counts,
      fullCodeMoved: expected.fullCodeMoved.length,
    };
    expect(gb).toMatchObject({ added: 1, removed: 1, codesAdded: 1, codesRemoved: 1, fullCodes });
    expect(diff.totals).toMatchObject({
      ...{ fullCodesBefore: old.length, fullCodesAfter: now.length, fullCodesAdded: expected.fullCodeAdded.length },
      ...{ fullCodesRemoved: expected.fullCodeRemoved.length, fullCodesMoved: expected.fullCodeMoved.length },
    });
    expect(diff.examples.fullCodesMoved).toHaveLength(5);
    expect(diffAsText(diff)).toMatch(new RegExp(`^GB +400 +${now.length} +`, 'm'));
    const fullAt = new Map([...old, ...now].map((full) => [full.code, full]));
    for (const kind of CODE_CHANGE_KINDS) {
      const listed = changes.filter(({ change }) => change === kind);
      // In the order of first parts, then second parts.
      const sorted = expected[kind].sort((a, b) => (a < b ? -1 : 1));
      expect(listed.map(({ postalCode }) => postalCode)).toEqual(sorted);
      expect(list.read(gb as never, kind, 0, listed.length)).toEqual(listed);
      for (const { name, postalCode, oldId, oldPath, movedKm } of listed) {
        expect(name).toBe(fullAt.get(postalCode as string)?.name);
        const was = old.find(({ code }) => code === postalCode);
        const isElsewhere = kind === 'fullCodeMoved' && was?.name !== name;
        expect([typeof oldId, typeof oldPath]).toEqual(isElsewhere ? ['string', 'string'] : ['undefined', 'undefined']);
        expect(movedKm).toBe(kind !== 'fullCodeMoved' ? undefined : isElsewhere ? 0 : 1.1);
      }
    }
    // Without these codes the places still fit.
    const cut = await compare(...paths, 1200);
    expect(cut.gb).toMatchObject({ bytes: expect.anything(), fullCodes: { ...fullCodes, bytes: null } });
    expect(cut.changes).toEqual([]);
    const same = await compare(paths[0], paths[0]);
    expect([same.version, same.gb]).toEqual([1, undefined]);
  });

  test('the first release with full codes, and the first without, count them and list none', async () => {
    const full = fullOf(PLACES, 50, 3);
    const [without, having] = [await buildOf('without', PLACES, []), await buildOf('having', PLACES, full)];
    const none = { fullCodeAdded: 0, fullCodeRemoved: 0, fullCodeMoved: 0, bytes: null };
    const first = await compare(without, having);
    expect(first.gb?.fullCodes).toEqual({ ...none, before: 0, after: 50, fullCodeAdded: 50 });
    const last = await compare(having, without);
    expect(last.gb?.fullCodes).toEqual({ ...none, before: 50, after: 0, fullCodeRemoved: 50 });
    expect([first, last].flatMap(({ changes }) => changes)).toEqual([]);
    expect(diffAsText(first.diff)).toMatch(/^GB +0 +50 +50 +0 +0$/m);
  });
});
