/** Corrections in a build: the snapshot is the one of a release that was edited by hand, and the report tells the rest. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { BuildReport } from '../../../build-index/building/build-snapshot.js';
import { buildReportAsObject } from '../../../build-index/commands/build-report.js';
import { CorrectionError } from '../../../build-index/corrections/correction-error.js';
import { readCorrections } from '../../../build-index/corrections/read-corrections.js';
import { RowCorrector } from '../../../build-index/corrections/row-corrector.js';
import { parsePostalRow, type Row } from '../../../build-index/reading/postal-row.js';
import { createRowTally } from '../../../build-index/reading/row-problems.js';
import { type CorrectionFields, correctionsOf, csvOf } from '../../fixtures/corrections.js';
import { answeringSections } from '../../fixtures/damage.js';
import {
  buildFrom,
  createTemporaryFolder,
  type TemporaryFolder,
  writeRelease,
} from '../../fixtures/fixture-snapshot.js';
import { type FixtureRow, lineOf, type RowsByCountry, rowsOf } from '../../fixtures/hand-made-release.js';
import { runProgram } from '../../fixtures/program.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder.remove());

const inFolder = (...names: string[]): string => join(folder.path, ...names);

const ulm: FixtureRow = ['89073', 'Ulm', 'BW', 'Tübingen', '', 48.4, 10, ['BW', '084', '']];
const york: FixtureRow = ['1', 'York', 'Bayern', '', '', 50, 11, ['BY', '01', '']];
const otherYork: FixtureRow = ['1', 'York', 'BW', 'Tübingen', '', 48, 10, ['BW', '084', '']];
const twin: FixtureRow = ['2', 'Twin', 'BW', '', '', 48.1, 9, ['BW', '', '']];
const otherTwin: FixtureRow = ['2', 'Twin', 'BW', '', '', 48.2, 9, ['BW', '', '']];
const ROWS = [ulm, york, otherYork, twin, otherTwin, ulm];

/** Writes corrections of DE, if they do not say another country. */
function writeCorrections(corrections: string | readonly CorrectionFields[], name = 'fixes.csv'): string {
  const path = inFolder(name);
  const listed = typeof corrections === 'string' ? correctionsOf(corrections) : corrections;
  writeFileSync(path, csvOf(listed.map((fields) => ({ country: 'DE', ...fields }))));
  return path;
}

async function build(
  rows: RowsByCountry,
  ...correctionPaths: string[]
): Promise<{ bytes: Buffer; report: BuildReport }> {
  writeRelease(inFolder('release'), rows);
  const report = await buildFrom(inFolder('release'), inFolder('out.snapshot'), { correctionPaths });
  return { bytes: readFileSync(inFolder('out.snapshot')), report };
}

/** Builds ROWS of DE with corrections, and expects the snapshot of the rows `edited`. */
async function expectEdited(corrections: string, edited: readonly FixtureRow[]): Promise<BuildReport> {
  const expected = await build({ DE: edited });
  const { bytes, report } = await build({ DE: ROWS }, writeCorrections(corrections));
  expect(answeringSections(bytes)).toEqual(answeringSections(expected.bytes));
  return report;
}

const noneApplied = { add: 0, remove: 0, rename: 0, move: 0, recode: 0 };
const withName = ([code, , ...rest]: FixtureRow, name: string): FixtureRow => [code, name, ...rest];
const withCode = ([, ...rest]: FixtureRow, code: string): FixtureRow => [code, ...rest];

describe('each action gives what the release would give if it had the row so', () => {
  const others = [york, otherYork, twin, otherTwin];

  test.each<[string, string, FixtureRow[], object]>([
    ['rename to another’s name', 'rename,89073,Ulm,newName=York', [withName(ulm, 'York'), ...others], { rename: 1 }],
    [
      'add in known units',
      'add,7,Neu,latitude=48,longitude=9,admin1=BW,admin2=Tübingen',
      [...ROWS, ['7', 'Neu', 'BW', 'Tübingen', '', 48, 9, ['BW', '084', '']]],
      { add: 1 },
    ],
    [
      'narrowed by a unit',
      'rename,1,York,admin1=Bayern,newName=Jork',
      [ulm, withName(york, 'Jork'), otherYork, twin, otherTwin],
      { rename: 1 },
    ],
    [
      'narrowed by an inner unit',
      'recode,1,York,admin2=Tübingen,newCode=8',
      [ulm, york, withCode(otherYork, '8'), twin, otherTwin],
      { recode: 1 },
    ],
    [
      'narrowed by the position',
      'remove,2,Twin,latitude=48.2,longitude=9',
      [ulm, york, otherYork, twin],
      { remove: 1 },
    ],
    [
      'removed here and added there: in another unit',
      'remove,89073,Ulm; add,89073,Ulm,latitude=48.4,longitude=10,admin1=BW',
      [...others, ['89073', 'Ulm', 'BW', '', '', 48.4, 10, ['BW', '', '']]],
      { add: 1, remove: 1 },
    ],
  ])('%s', async (_, corrections, edited, applied) => {
    const { tally, corrections: report } = await expectEdited(corrections, edited);
    expect(report?.tally).toMatchObject({ applied: { ...noneApplied, ...applied }, stale: 0, problems: {} });
    const { rowsRead, rowsTaken, rowsMerged, rowsRejected } = tally;
    const { applied: counts, rowsRemoved } = report?.tally ?? { applied: noneApplied, rowsRemoved: 0 };
    expect(rowsRead + counts.add).toBe(rowsTaken + rowsMerged + rowsRejected + rowsRemoved);
  });
});

describe('stale', () => {
  const CAUGHT_UP = 'stale: the release has caught up';
  const NO_ROW = 'stale: the release has no row of that code and name';
  test.each([
    ['a removed row', 'remove,89073,Olm', NO_ROW, 'remove DE 89073 Olm'],
    [
      'a row that other units have',
      'remove,1,York,admin1=Hessen,admin3=Fulda',
      NO_ROW,
      'remove DE 1 York (Hessen, Fulda)',
    ],
    ['a row elsewhere', 'remove,2,Twin,latitude=0,longitude=0', NO_ROW, 'remove DE 2 Twin'],
    ['renamed', 'rename,89073,Olm,newName=Ulm', CAUGHT_UP, 'rename DE 89073 Olm; the row is at DE.txt:1'],
    ['neither name', 'rename,89073,Olm,newName=Alm', NO_ROW, 'rename DE 89073 Olm'],
    ['recoded', 'recode,5,Ulm,newCode=89073', CAUGHT_UP, 'recode DE 5 Ulm; the row is at DE.txt:1'],
    ['moved', 'move,89073,Ulm,latitude=48.4,longitude=10', CAUGHT_UP, 'move DE 89073 Ulm; the row is at DE.txt:1'],
    ['added', 'add,1,York,latitude=0,longitude=0,admin1=BW', CAUGHT_UP, 'add DE 1 York (BW); the row is at DE.txt:3'],
  ])('%s', async (_, correction, kind, example) => {
    const path = writeCorrections(correction);
    const { corrections } = await expectEdited(correction, ROWS);
    expect(corrections?.tally).toEqual({
      applied: noneApplied,
      rowsRemoved: 0,
      stale: 1,
      problems: { [kind]: { count: 1, examples: [`${path}:2: ${example}`] } },
    });
  });

  test('a few examples of many, the same in any order of lines', async () => {
    const many = Array.from({ length: 25 }, (_, name) => ({ action: 'remove', code: '1', name: `No ${name}` }));
    const { report } = await build({ DE: ROWS }, writeCorrections(many));
    const { report: other } = await build({ DE: ROWS }, writeCorrections(many.toReversed()));
    const examplesOf = ({ corrections }: BuildReport) =>
      corrections?.tally.problems[NO_ROW]?.examples.map((example) => example.replace(/^.*: /, ''));
    expect(report.corrections?.tally).toMatchObject({ stale: 25, problems: { [NO_ROW]: { count: 25 } } });
    expect(examplesOf(report)).toHaveLength(10);
    expect(examplesOf(other)).toEqual(examplesOf(report));
  });
});

describe('refused before anything is published', () => {
  test.each([
    ['several rows fit', 'remove,1,York', 2, /^one row, narrowed by its units/, /^2 rows: DE\.txt:2, DE\.txt:3$/],
    [
      'several rows of one unit',
      'move,2,Twin,admin1=BW,latitude=1,longitude=1',
      2,
      /^one row/,
      /^2 rows: DE\.txt:4, DE\.txt:5$/,
    ],
    [
      'two names for one row, matched in two ways',
      'rename,1,York,admin1=Bayern,newName=Jork; rename,1,York,latitude=50,longitude=11,newName=Yorck',
      2,
      /^one rename of a row$/,
      /^rename beside rename of that row in .*fixes\.csv:3$/,
    ],
    [
      'a row removed and moved, matched in two ways',
      'move,89073,Ulm,latitude=1,longitude=1; remove,89073,Ulm,admin1=BW',
      3,
      /^one correction of a row$/,
      /^remove beside move of that row in .*fixes\.csv:2$/,
    ],
    [
      'a row created twice',
      'add,89073,Elm,latitude=1,longitude=1; rename,89073,Ulm,newName=Elm',
      2,
      /^a row that no other correction makes$/,
      /^the row that .*fixes\.csv:3 makes of DE\.txt:1$/,
    ],
    ['another country', 'remove,1,Paris,country=FR', 2, /^a country that the release has/, /^FR$/],
  ])('%s', async (_, corrections, line, expected, found) => {
    const path = writeCorrections(corrections);
    const error: unknown = await build({ DE: ROWS }, path).catch((reason) => reason);
    expect(error).toBeInstanceOf(CorrectionError);
    expect(error).toMatchObject({
      where: `${path}:${line}`,
      expected: expect.stringMatching(expected),
      found: expect.stringMatching(found),
    });
    expect(existsSync(inFolder('out.snapshot'))).toBe(false);
  });

  test('of many matching rows the error lists a few', async () => {
    const rows = rowsOf(9, (place) => ['1', 'A', '', '', '', place, 1]);
    const path = writeCorrections('remove,1,A');
    await expect(build({ DE: rows }, path)).rejects.toMatchObject({
      found: `9 rows: ${[1, 2, 3, 4, 5].map((line) => `DE.txt:${line}`).join(', ')} and more`,
    });
  });
});

test('only a row whose position a correction gives is known as placed by hand', () => {
  const path = writeCorrections(
    'rename,89073,Ulm,newName=Elm; move,1,York,admin1=Bayern,latitude=50.5,longitude=11; ' +
      'move,1,York,admin1=BW,latitude=48,longitude=10; ' +
      'add,7,Neu,latitude=48,longitude=9,admin1=BW,admin2=Tübingen,admin3=X',
  );
  const corrector = new RowCorrector(readCorrections([path], new Set(['DE'])).get('DE') ?? [], () => 'DE.txt:1');
  const context = { countryCode: 'DE', tally: createRowTally(), where: () => 'DE.txt:1' };
  const rows = ROWS.map((row) => corrector.correct(parsePostalRow(lineOf('DE', row), context)) as Row);
  // The second York lies there already, and is to stay.
  const placed = 'Elm release, York hand, York hand, Twin release, Twin release, Elm release';
  expect(rows.map(({ placeName, placedBy }) => `${placeName} ${placedBy}`).join(', ')).toBe(placed);
  expect(corrector.finish()).toEqual([
    {
      ...{ postalCode: '7', placeName: 'Neu', adminNames: ['BW', 'Tübingen', 'X'], latitude: 48, longitude: 9 },
      ...{ adminCodes: ['BW', '084', ''], placedBy: 'hand' },
    },
  ]);
});

test('countries of one allCountries file, and a file of corrections for each', async () => {
  const rows = { AT: [ulm], DE: ROWS };
  writeRelease(inFolder('release'), {});
  const text = Object.entries(rows).flatMap(([country, list]) => list.map((row) => `${lineOf(country, row)}\n`));
  writeFileSync(inFolder('release', 'allCountries.txt'), text.join(''));
  const paths = ['AT', 'DE'].map((country) =>
    writeCorrections(`recode,89073,Ulm,newCode=9,country=${country}`, `${country}.csv`),
  );
  const options = { correctionPaths: paths };
  const report = await buildFrom(inFolder('release'), inFolder('out.snapshot'), options);
  expect(report.corrections).toMatchObject({ files: paths, tally: { applied: { ...noneApplied, recode: 2 } } });
  await buildFrom(inFolder('release'), inFolder('other.snapshot'), { correctionPaths: paths.toReversed() });
  expect(readFileSync(inFolder('other.snapshot')).equals(readFileSync(inFolder('out.snapshot')))).toBe(true);
});

test('the report, and nothing of it in a build without corrections', async () => {
  const path = writeCorrections('remove,89073,Ulm; remove,89073,Olm');
  const { report } = await build({ DE: ROWS }, path);
  const example = `${path}:3: remove DE 89073 Olm`;
  expect(buildReportAsObject(report).corrections).toEqual({
    files: [path],
    applied: { ...noneApplied, remove: 1 },
    rowsRemoved: 2,
    stale: 1,
    problems: [{ kind: 'stale: the release has no row of that code and name', count: 1, examples: [example] }],
  });
  const { report: plain } = await build({ DE: ROWS });
  expect(buildReportAsObject(plain).corrections).toBeNull();
});

test('through the command line: applied on worker threads, and an ambiguous correction ends it in one line', () => {
  writeRelease(inFolder('release'), { AT: [ulm], DE: ROWS });
  const good = writeCorrections('remove,89073,Ulm', 'good.csv');
  const bad = writeCorrections('remove,1,York', 'bad.csv');
  const args = ['build', inFolder('release'), '--out', inFolder('out.snapshot'), '--json', '--corrections', good];
  const { exitCode, stdout } = runProgram(args);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).corrections).toMatchObject({ files: [good], applied: { remove: 1 }, rowsRemoved: 2 });
  const published = readFileSync(inFolder('out.snapshot'));
  const failed = runProgram([...args, '--corrections', bad]);
  expect(failed).toMatchObject({ exitCode: 1, stdout: '' });
  const lastLine = failed.stderr.trim().split('\n').at(-1) ?? '';
  expect(lastLine.startsWith(`postal-places: ${bad}:2: expected one row, `)).toBe(true);
  expect(lastLine).toMatch(/found 2 rows: DE\.txt:2, DE\.txt:3$/);
  expect(readFileSync(inFolder('out.snapshot')).equals(published)).toBe(true);
});

describe('a row whose names the builder corrects', () => {
  const castello: FixtureRow = ['06012', "Citta' Di Castello", 'Umbria', '', '', 43.5, 12.2];
  const radom: FixtureRow = ['26-600', 'Radom', 'Mazovia', '', '', 51.4, 21.1];
  const otherRadom: FixtureRow = ['26-600', 'Radom', 'Silesia', '', '', 50.4, 19.1];

  const applied = async (country: string, rows: FixtureRow[], correction: string) => {
    const { report } = await build({ [country]: rows }, writeCorrections(`${correction},country=${country}`));
    return report.corrections?.tally.applied;
  };

  test.each([
    ["Citta' Di Castello", 1],
    ['Città di Castello', 1],
    ['Citta di Castello', 0],
  ])('found as %s: %i', async (name, recode) => {
    expect(await applied('IT', [castello], `recode,06012,${name},newCode=06013`)).toEqual({ ...noneApplied, recode });
  });

  test.each(['Mazovia', 'Mazowieckie'])('is told from another row by its unit %s', async (admin1) => {
    const move = `move,26-600,Radom,latitude=51,longitude=21,admin1=${admin1}`;
    expect(await applied('PL', [radom, otherRadom], move)).toEqual({ ...noneApplied, move: 1 });
  });

  test('is not added again under the name that answers show', async () => {
    const add = 'add,06012,Città di Castello,latitude=43,longitude=12';
    expect(await applied('IT', [castello], add)).toEqual(noneApplied);
  });
});
