/**
 * Files of full codes in a build: where each row goes, what the report says of the others, and which files are refused.
 */

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { BuildOptions } from '../../../build-index/building/build-inputs.js';
import { packSnapshot } from '../../../build-index/building/pack-snapshot.js';
import { buildReportAsObject } from '../../../build-index/commands/build-report.js';
import { type FullCode, findFullCode } from '../../../src/core/snapshot/full-codes.js';
import { readPlace } from '../../../src/core/snapshot/place-fields.js';
import { type CountryStructures, openSnapshot } from '../../../src/core/snapshot/snapshot.js';
import {
  buildFrom,
  createTemporaryFolder,
  type TemporaryFolder,
  writeRelease,
} from '../../fixtures/fixture-snapshot.js';
import { fullCodeLines } from '../../fixtures/full-codes.mjs';
import { type FixtureRow, lineOf, rowOf } from '../../fixtures/hand-made-release.js';
import { poolHere } from '../../fixtures/pool-here.js';
import { createRandom } from '../../fixtures/random.mjs';
import { silentProgress } from '../../fixtures/silent-progress.js';
import { zipOf } from '../../fixtures/zip-writer.js';

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
  // The rows of places are counted by themselves.
  expect(report.tally).toMatchObject({ rowsRead: 5, rowsTaken: 5, problems: {} });
  expect(buildReportAsObject(report).fullCodes).toMatchObject([
    { file: 'GB_full.txt', rowsRead: 26, codesTaken: 8, rowsMerged: 5, rowsRejected: 13, problems: expect.any(Array) },
  ]);
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
    await packSnapshot(options, poolHere, silentProgress);
    const { bytes, report } = await build({ countries: [code] });
    expect(readFileSync(inFolder('packed.snapshot')).equals(bytes)).toBe(true);
    expect(report.fullCodes).toHaveLength(code === 'GB' ? 1 : 0);
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
    [
      'full codes of a country whose rows are all rejected',
      { 'NL.txt': Buffer.from('NL\t1012\n'), 'NL_full.txt': Buffer.from(lineOf('NL', rowOf('1012 AB', 'A'))) },
      /NL_full\.txt: .* full codes of NL, of whose places no row is taken/,
    ],
    ['an empty file', { 'GB_full.txt': Buffer.from('') }, /GB_full\.txt: not one full code of GB; remove/],
    [
      'only rows of another country',
      { 'GB_full.txt': Buffer.from(lineOf('NL', rowOf('1012 AB', 'A'))) },
      /GB_full\.txt: not one full code of GB; rejected: another country than its file: GB_full\.txt:1: NL/,
    ],
    [
      'only rows that are rejected, packed',
      { 'GB_full.csv.zip': zip(REJECTED.map(([line]) => line).join('\n')) },
      /GB_full\.csv\.zip: not one full code of GB; rejected: /,
    ],
    [
      'full codes of no country',
      { 'AN.txt': Buffer.from(lineOf('AN', rowOf('1', 'A'))), 'AN_full.txt': Buffer.from('') },
      /AN_full\.txt: .* full codes of AN, of whose places no row is taken/,
    ],
    [
      'full codes beside allCountries without the country',
      { 'allCountries.txt': Buffer.from(lineOf('LI', rowOf('9490', 'Vaduz'))), 'GB_full.txt': Buffer.from('') },
      /GB_full\.txt: .* full codes of GB but no places/,
    ],
  ])('%s', async (_, files, message) => {
    if ('allCountries.txt' in files) for (const code of Object.keys(ROWS)) rmSync(inFolder('release', `${code}.txt`));
    for (const [name, bytes] of Object.entries(files)) writeFileSync(inFolder('release', name), bytes);
    await expect(build()).rejects.toMatchObject({ name: 'ReleaseError', message: expect.stringMatching(message) });
    expect(readdirSync(folder.path)).toEqual(['release']);
  });
});
