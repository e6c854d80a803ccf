/** Corrections in a build: the snapshot is the one of a release that was edited by hand, and the report tells the rest. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { BuildReport } from '../../../build-index/building/build-snapshot.js';
import { buildReportAsObject } from '../../../build-index/commands/build-report.js';
import { CorrectionError } from '../../../build-index/corrections/correction-error.js';
import { readCorrections } from '../../../build-index/corrections/read-corrections.js';
import { RowCorrector } from '../../../build-index/corrections/row-corrector.js';
import { parseRow, type Row } from '../../../build-index/reading/postal-row.js';
import { createTally } from '../../../build-index/reading/row-problems.js';
import { type CorrectionFields, csvOf } from '../../fixtures/corrections.js';
import { answeringSections } from '../../fixtures/damage.js';
import {
  buildFrom,
  createTemporaryFolder,
  type TemporaryFolder,
  writeRelease,
} from '../../fixtures/fixture-snapshot.js';
import { type FixtureRow, lineOf, type RowsByCountry } from '../../fixtures/hand-made-release.js';
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

function writeCorrections(corrections: readonly CorrectionFields[], name = 'fixes.csv'): string {
  const path = inFolder(name);
  writeFileSync(path, csvOf(corrections.map((fields) => ({ country: 'DE', ...fields }))));
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
async function expectEdited(
  corrections: readonly CorrectionFields[],
  edited: readonly FixtureRow[],
): Promise<BuildReport> {
  const expected = await build({ DE: edited });
  const { bytes, report } = await build({ DE: ROWS }, writeCorrections(corrections));
  expect(answeringSections(bytes)).toEqual(answeringSections(expected.bytes));
  return report;
}

const noneApplied = { add: 0, remove: 0, rename: 0, move: 0, recode: 0 };
const withName = ([code, , ...rest]: FixtureRow, name: string): FixtureRow => [code, name, ...rest];
const withCode = ([, ...rest]: FixtureRow, code: string): FixtureRow => [code, ...rest];
const at = ([code, name, admin1, admin2, admin3, , , codes = ['', '', '']]: FixtureRow, lat: number, lng: number) =>
  [code, name, admin1, admin2, admin3, lat, lng, codes] as const;

describe('each action gives what the release would give if it had the row so', () => {
  const aboutUlm = { code: '89073', name: 'Ulm' };
  const others = [york, otherYork, twin, otherTwin];
  const renamed = withName(ulm, 'Ulm an der Donau');

  test.each<[string, CorrectionFields[], FixtureRow[], object]>([
    ['remove', [{ action: 'remove', ...aboutUlm }], others, { remove: 1 }],
    ['rename', [{ action: 'rename', ...aboutUlm, newName: 'Ulm an der Donau' }], [renamed, ...others], { rename: 1 }],
    [
      'rename to the name of another row',
      [{ action: 'rename', ...aboutUlm, newName: 'York' }],
      [withName(ulm, 'York'), ...others],
      { rename: 1 },
    ],
    [
      'move',
      [{ action: 'move', ...aboutUlm, latitude: 1.5, longitude: -2 }],
      [at(ulm, 1.5, -2), ...others],
      { move: 1 },
    ],
    ['recode', [{ action: 'recode', ...aboutUlm, newCode: 'd 9' }], [withCode(ulm, 'D 9'), ...others], { recode: 1 }],
    [
      'all three at once',
      [
        { action: 'move', ...aboutUlm, latitude: 1, longitude: 2 },
        { action: 'recode', ...aboutUlm, newCode: '9' },
        { action: 'rename', ...aboutUlm, newName: 'Ulm an der Donau' },
      ],
      [at(withCode(renamed, '9'), 1, 2), ...others],
      { move: 1, recode: 1, rename: 1 },
    ],
    [
      'add in known units',
      [{ action: 'add', code: '7', name: 'Neu', latitude: 48, longitude: 9, admin1: 'BW', admin2: 'Tübingen' }],
      [...ROWS, ['7', 'Neu', 'BW', 'Tübingen', '', 48, 9, ['BW', '084', '']]],
      { add: 1 },
    ],
    [
      'add in a new unit, and in none',
      [
        { action: 'add', code: '7', name: 'Neu', latitude: 48, longitude: 9, admin1: 'BW', admin2: 'Alb' },
        { action: 'add', code: '7', name: 'Neu', latitude: 49, longitude: 9 },
      ],
      [...ROWS, ['7', 'Neu', '', '', '', 49, 9, ['', '', '']], ['7', 'Neu', 'BW', 'Alb', '', 48, 9, ['BW', '', '']]],
      { add: 2 },
    ],
    [
      'narrowed by a unit',
      [{ action: 'rename', code: '1', name: 'York', admin1: 'Bayern', newName: 'Jork' }],
      [ulm, withName(york, 'Jork'), otherYork, twin, otherTwin],
      { rename: 1 },
    ],
    [
      'narrowed by an inner unit',
      [{ action: 'recode', code: '1', name: 'York', admin2: 'Tübingen', newCode: '8' }],
      [ulm, york, withCode(otherYork, '8'), twin, otherTwin],
      { recode: 1 },
    ],
    [
      'narrowed by the position',
      [{ action: 'remove', code: '2', name: 'Twin', latitude: 48.2, longitude: 9 }],
      [ulm, york, otherYork, twin],
      { remove: 1 },
    ],
    [
      'removed here and added there: in another unit',
      [
        { action: 'remove', ...aboutUlm },
        { action: 'add', ...aboutUlm, latitude: 48.4, longitude: 10, admin1: 'BW' },
      ],
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
  test.each<[string, CorrectionFields, string, string]>([
    ['a removed row', { action: 'remove', code: '89073', name: 'Olm' }, NO_ROW, 'remove DE 89073 Olm'],
    [
      'a row that other units have',
      { action: 'remove', code: '1', name: 'York', admin1: 'Hessen', admin3: 'Fulda' },
      NO_ROW,
      'remove DE 1 York (Hessen, Fulda)',
    ],
    [
      'a row elsewhere',
      { action: 'remove', code: '2', name: 'Twin', latitude: 0, longitude: 0 },
      NO_ROW,
      'remove DE 2 Twin',
    ],
    [
      'renamed',
      { action: 'rename', code: '89073', name: 'Olm', newName: 'Ulm' },
      CAUGHT_UP,
      'rename DE 89073 Olm; the row is at DE.txt:1',
    ],
    ['neither name', { action: 'rename', code: '89073', name: 'Olm', newName: 'Alm' }, NO_ROW, 'rename DE 89073 Olm'],
    [
      'recoded',
      { action: 'recode', code: '5', name: 'Ulm', newCode: '89073' },
      CAUGHT_UP,
      'recode DE 5 Ulm; the row is at DE.txt:1',
    ],
    [
      'moved',
      { action: 'move', code: '89073', name: 'Ulm', latitude: 48.4, longitude: 10 },
      CAUGHT_UP,
      'move DE 89073 Ulm; the row is at DE.txt:1',
    ],
    [
      'added',
      { action: 'add', code: '1', name: 'York', latitude: 0, longitude: 0, admin1: 'BW' },
      CAUGHT_UP,
      'add DE 1 York (BW); the row is at DE.txt:3',
    ],
  ])('%s', async (_, correction, kind, example) => {
    const path = writeCorrections([correction]);
    const { corrections } = await expectEdited([correction], ROWS);
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
  const york1 = { code: '1', name: 'York' };
  test.each<[string, CorrectionFields[], number, RegExp, RegExp]>([
    [
      'several rows fit',
      [{ action: 'remove', ...york1 }],
      2,
      /^one row, narrowed by its units/,
      /^2 rows: DE\.txt:2, DE\.txt:3$/,
    ],
    [
      'several rows of one unit',
      [{ action: 'move', code: '2', name: 'Twin', admin1: 'BW', latitude: 1, longitude: 1 }],
      2,
      /^one row/,
      /^2 rows: DE\.txt:4, DE\.txt:5$/,
    ],
    [
      'two names for one row, matched in two ways',
      [
        { action: 'rename', ...york1, admin1: 'Bayern', newName: 'Jork' },
        { action: 'rename', ...york1, latitude: 50, longitude: 11, newName: 'Yorck' },
      ],
      2,
      /^one rename of a row$/,
      /^rename beside rename of that row in .*fixes\.csv:3$/,
    ],
    [
      'a row removed and moved, matched in two ways',
      [
        { action: 'move', code: '89073', name: 'Ulm', latitude: 1, longitude: 1 },
        { action: 'remove', code: '89073', name: 'Ulm', admin1: 'BW' },
      ],
      3,
      /^one correction of a row$/,
      /^remove beside move of that row in .*fixes\.csv:2$/,
    ],
    [
      'a row created twice',
      [
        { action: 'add', code: '89073', name: 'Elm', latitude: 1, longitude: 1 },
        { action: 'rename', code: '89073', name: 'Ulm', newName: 'Elm' },
      ],
      2,
      /^a row that no other correction makes$/,
      /^the row that .*fixes\.csv:3 makes of DE\.txt:1$/,
    ],
    [
      'another country',
      [{ action: 'remove', country: 'FR', code: '1', name: 'Paris' }],
      2,
      /^a country that the release has/,
      /^FR$/,
    ],
  ])('%s', async (_, corrections, line, expected, found) => {
    const path = writeCorrections(corrections);
    const error = await build({ DE: ROWS }, path).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(CorrectionError);
    expect(error).toMatchObject({
      where: `${path}:${line}`,
      expected: expect.stringMatching(expected),
      found: expect.stringMatching(found),
    });
    expect(existsSync(inFolder('out.snapshot'))).toBe(false);
  });

  test('of many matching rows the error lists a few', async () => {
    const rows = Array.from({ length: 9 }, (_, place): FixtureRow => ['1', 'A', '', '', '', place, 1]);
    const path = writeCorrections([{ action: 'remove', code: '1', name: 'A' }]);
    await expect(build({ DE: rows }, path)).rejects.toMatchObject({
      found: `9 rows: ${[1, 2, 3, 4, 5].map((line) => `DE.txt:${line}`).join(', ')} and more`,
    });
  });
});

test('only a row whose position a correction gives is known as placed by hand', () => {
  const path = writeCorrections([
    { action: 'rename', code: '89073', name: 'Ulm', newName: 'Elm' },
    { action: 'move', code: '1', name: 'York', admin1: 'Bayern', latitude: 50.5, longitude: 11 },
    { action: 'move', code: '1', name: 'York', admin1: 'BW', latitude: 48, longitude: 10 },
    {
      action: 'add',
      code: '7',
      name: 'Neu',
      latitude: 48,
      longitude: 9,
      admin1: 'BW',
      admin2: 'Tübingen',
      admin3: 'X',
    },
  ]);
  const corrector = new RowCorrector(readCorrections([path], new Set(['DE'])).get('DE') ?? [], () => 'DE.txt:1');
  const context = { countryCode: 'DE', tally: createTally(), where: () => 'DE.txt:1' };
  const rows = ROWS.map((row) => corrector.correct(parseRow(lineOf('DE', row), context)) as Row);
  expect(rows.map(({ placeName, placedBy }) => [placeName, placedBy])).toEqual([
    ['Elm', 'release'],
    ['York', 'hand'],
    // Where it is already, and is to stay.
    ['York', 'hand'],
    ['Twin', 'release'],
    ['Twin', 'release'],
    ['Elm', 'release'],
  ]);
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
    writeCorrections([{ country, action: 'recode', code: '89073', name: 'Ulm', newCode: '9' }], `${country}.csv`),
  );
  const options = { correctionPaths: paths };
  const report = await buildFrom(inFolder('release'), inFolder('out.snapshot'), options);
  expect(report.corrections).toMatchObject({ files: paths, tally: { applied: { ...noneApplied, recode: 2 } } });
  await buildFrom(inFolder('release'), inFolder('other.snapshot'), { correctionPaths: paths.toReversed() });
  expect(readFileSync(inFolder('other.snapshot')).equals(readFileSync(inFolder('out.snapshot')))).toBe(true);
});

test('the report, and nothing of it in a build without corrections', async () => {
  const path = writeCorrections([
    { action: 'remove', code: '89073', name: 'Ulm' },
    { action: 'remove', code: '89073', name: 'Olm' },
  ]);
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
  const good = writeCorrections([{ action: 'remove', code: '89073', name: 'Ulm' }], 'good.csv');
  const bad = writeCorrections([{ action: 'remove', code: '1', name: 'York' }], 'bad.csv');
  const args = ['build', inFolder('release'), '--out', inFolder('out.snapshot'), '--json', '--corrections', good];
  const { exitCode, stdout } = runProgram(args);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).corrections).toMatchObject({ files: [good], applied: { remove: 1 }, rowsRemoved: 2 });
  const published = readFileSync(inFolder('out.snapshot'));
  const failed = runProgram([...args, '--corrections', bad]);
  expect(failed).toMatchObject({ exitCode: 1, stdout: '' });
  expect(failed.stderr.trim().split('\n').at(-1)).toBe(
    `postal-places: ${bad}:2: expected one row, narrowed by its units where several have this code and name, ` +
      'found 2 rows: DE.txt:2, DE.txt:3',
  );
  expect(readFileSync(inFolder('out.snapshot')).equals(published)).toBe(true);
});

describe('a row whose names the builder corrects', () => {
  const castello: FixtureRow = ['06012', "Citta' Di Castello", 'Umbria', '', '', 43.5, 12.2];
  const radom: FixtureRow = ['26-600', 'Radom', 'Mazovia', '', '', 51.4, 21.1];
  const otherRadom: FixtureRow = ['26-600', 'Radom', 'Silesia', '', '', 50.4, 19.1];

  const applied = async (country: string, rows: FixtureRow[], fields: CorrectionFields) => {
    const { report } = await build({ [country]: rows }, writeCorrections([{ country, ...fields }]));
    return report.corrections?.tally.applied;
  };

  test.each(["Citta' Di Castello", 'Città di Castello'])('is found as %s', async (name) => {
    expect(await applied('IT', [castello], { action: 'recode', code: '06012', name, newCode: '06013' })).toEqual({
      ...noneApplied,
      recode: 1,
    });
  });

  test('is not found by a name that is neither', async () => {
    const fields = { action: 'recode', code: '06012', name: 'Citta di Castello', newCode: '06013' };
    expect(await applied('IT', [castello], fields)).toEqual(noneApplied);
  });

  test.each(['Mazovia', 'Mazowieckie'])('is told from another row by its unit %s', async (admin1) => {
    const fields = { action: 'move', code: '26-600', name: 'Radom', latitude: '51', longitude: '21', admin1 };
    expect(await applied('PL', [radom, otherRadom], fields)).toEqual({ ...noneApplied, move: 1 });
  });

  test('is not added again under the name that answers show', async () => {
    const fields = { action: 'add', code: '06012', name: 'Città di Castello', latitude: '43', longitude: '12' };
    expect(await applied('IT', [castello], fields)).toEqual(noneApplied);
  });
});
