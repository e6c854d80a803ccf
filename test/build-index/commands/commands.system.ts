/** The program as its users call it: outputs, exit codes, and files that are the same on any machine. */

import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { inspectSnapshot } from '../../../build-index/commands/inspect-report.js';
import { SECTIONS } from '../../../src/core/snapshot/sections.js';
import { runHere } from '../../cli/running.js';
import {
  buildFrom,
  createTemporaryFolder,
  type TemporaryFolder,
  writeRelease,
} from '../../fixtures/fixture-snapshot.js';
import { fullCodeLines } from '../../fixtures/full-codes.mjs';
import { type FixtureRow, HAND_MADE_ROWS, HAND_MADE_TALLY, lineOf } from '../../fixtures/hand-made-release.js';
import { type ProgramResult, runCalls, runProgram } from '../../fixtures/program.js';

let folder: TemporaryFolder;
let release: string;
let snapshot: string;
/** What the program says that builds the same release. */
let built: ProgramResult;
const inFolder = (...names: string[]): string => join(folder.path, ...names);
const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

beforeAll(async () => {
  folder = createTemporaryFolder();
  release = inFolder('release');
  snapshot = inFolder('places.snapshot');
  writeRelease(release, HAND_MADE_ROWS);
  await buildFrom(release, snapshot);
  const env = { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' };
  built = runProgram(['build', release, '--out', inFolder('one'), ...NAMES, '--json'], env);
});
afterAll(() => folder?.remove());

const NAMES = ['--site-url', 'https://site.test/', '--release-name', 'fixture'];

test('the same rows give the same file: other folder, locale, time zone, threads', () => {
  cpSync(release, inFolder('elsewhere', 'copy'), { recursive: true });
  const env = { TZ: 'America/Los_Angeles', LANG: 'C', LC_ALL: 'C' };
  const args = ['build', inFolder('elsewhere', 'copy'), '--out', inFolder('two'), ...NAMES];
  expect([built.exitCode, runProgram(args, env).exitCode]).toEqual([0, 0]);
  for (const name of ['one', 'two']) expect(sha256(inFolder(name))).toBe(sha256(snapshot));
});

/** Loaded into the program: the machine has this many cores, and so the build this many threads. */
const withCores = (count: number): string =>
  `--import=data:text/javascript,${encodeURIComponent(
    `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module';
     os.availableParallelism = () => ${count}; syncBuiltinESMExports();`,
  )}`;

test('full codes: the same rows in any order give the same file, on one thread, on several and on none', async () => {
  const lines = (code: string): string[] => (HAND_MADE_ROWS[code] ?? []).map((row) => lineOf(code, row as FixtureRow));
  // Codes of the first parts that have several places, and one place.
  const full = { FJ: fullCodeLines(lines('FJ'), '#@@', 900, 1), PE: fullCodeLines(lines('PE'), '@@', 300, 2) };
  for (const [order, arrange] of [
    ['sorted', (all: string[]) => all],
    ['reversed', (all: string[]) => all.toReversed()],
    ['interleaved', (all: string[]) => [...all.filter((_, at) => at % 3), ...all.filter((_, at) => at % 3 === 0)]],
  ] as const) {
    cpSync(release, inFolder(order), { recursive: true });
    for (const [code, codes] of Object.entries(full)) {
      writeFileSync(inFolder(order, `${code}_full.txt`), arrange([...codes, ...codes.slice(0, 9)]).join('\n'));
    }
  }
  await buildFrom(inFolder('sorted'), inFolder('here'));
  const digest = sha256(inFolder('here'));
  expect(digest).not.toBe(sha256(snapshot));
  for (const [cores, order] of [
    [1, 'sorted'],
    [3, 'reversed'],
    [2, 'interleaved'],
  ] as const) {
    const args = ['build', inFolder(order), '--out', inFolder('out'), ...NAMES, '--json'];
    const { exitCode, stdout } = runProgram(args, { NODE_OPTIONS: withCores(cores) });
    expect([exitCode, JSON.parse(stdout).fullCodes.length]).toEqual([0, 2]);
    expect([order, sha256(inFolder('out'))]).toEqual([order, digest]);
  }
});

describe('build', () => {
  test('--json: the report is one object, and its figures agree with each other and with the file', () => {
    const report = JSON.parse(built.stdout);
    const { rowsRead: read, rowsTaken: taken, rowsRepaired: repaired, rowsMerged, rowsRejected } = HAND_MADE_TALLY;
    expect(report.rows).toEqual({ read, taken, repaired, merged: rowsMerged, rejected: rowsRejected });
    const counted = (kind: string): number =>
      report.problems
        .filter((problem: { kind: string }) => problem.kind.startsWith(kind))
        .reduce((sum: number, { count }: { count: number }) => sum + count, 0);
    expect([counted('rejected'), counted('merged')]).toEqual([rowsRejected, rowsMerged]);
    const codes = Object.keys(HAND_MADE_ROWS).filter((code) => code !== 'AN');
    expect(report.countries.map(({ code }: { code: string }) => code)).toEqual(codes.sort());
    for (const { places, levels } of report.countries) {
      expect(places).toBe(levels.reduce((sum: number, count: number) => sum + count, 0));
    }
    expect(report.bytes).toBe(readFileSync(inFolder('one')).length);
    expect(report.sections).toHaveLength(SECTIONS.length);
    expect(Object.keys(report.secondsByPhase)).toEqual(expect.arrayContaining(['reading', 'verifying']));
    expect(report.peakMemoryBytes).toBeGreaterThan(1e7);
  });

  test('the report for people has the same figures, and nothing in it moves the cursor', () => {
    writeRelease(inFolder('hostile'), { AD: ['AD\t1\t\u001b[2J\u009b2Jgone', ...(HAND_MADE_ROWS.AD ?? [])] });
    const { exitCode, stdout } = runProgram(['build', inFolder('hostile'), '--out', inFolder('text.snapshot')]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^rows +read 9, taken 8, /m);
    expect(stdout).toContain('AD.txt:1: AD | 1 | \\u001b[2J\\u009b2Jgone');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  test('--countries takes some only', () => {
    const out = inFolder('some.snapshot');
    const { stdout } = runProgram(['build', release, '--out', out, '--countries', 'kr,VA', '--json']);
    expect(JSON.parse(stdout).countries.map(({ code }: { code: string }) => code)).toEqual(['KR', 'VA']);
  });

  test.each<[string, () => string[], RegExp]>([
    ['a release that is not there', () => [inFolder('absent'), '--out', inFolder('no')], /^postal-places: .*absent/],
    ['a country that is not in it', () => [release, '--out', inFolder('no'), '--countries', 'FR'], /no rows of FR/],
    ['a file that is a folder', () => [release, '--out', folder.path], /is a folder; give the name of a file/],
    ['a folder that is a file', () => [release, '--out', join(snapshot, 'no')], /^postal-places: /],
  ])('%s: exit code 1, and one line', async (_, args, message) => {
    const { code, out, error } = await runHere('build', ...args());
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(error.trim().split('\n').at(-1)).toMatch(message);
    expect(error).not.toMatch(/^\s+at /m);
    expect(existsSync(inFolder('no'))).toBe(false);
  });
});

describe('a wrong call: exit code 2, and the reason', () => {
  const build = 'build . --out x';
  test.each([
    ...['', 'compile', 'build --out x', 'build .', 'verify', 'inspect a b', `${build} --fast`],
    ...['places.example', 'https://places.example/?a=b', 'javascript:alert(1)'].map(
      (url) => `${build} --site-url ${url}`,
    ),
    ...[`${build} --countries Germany`, `${build} --release-name a\nb`],
    ...['diff a', 'diff a b --max-loss 101', 'publish x', 'prune --to x', 'prune --to x --keep 0'],
    ...['pack --from a --out x', 'pack Germany --from a --out x', 'pack DE --out x', 'pack DE --from a'],
    ...['download', 'download --to x --all --countries DE', 'download --to x --from ftp://places.test/'],
    ...['download --to x --timeout 0', 'download --to x --from http://places.test/ --alternate-names'],
    ...['publish x --to y --channel next', 'rollback --to y --channel next'],
    ...['promote next ../x --to y --signing-key z', 'pull x --to y'],
    ...['--channel ../x', '--every often', '--every 999999h', '--keep 0'].map(
      (more) => `pull x --to y --key z ${more}`,
    ),
  ])('%s', async (call) => {
    const { code, out, error } = await runHere(...(call === '' ? [] : call.split(' ')));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).not.toBe('');
    expect(existsSync('x')).toBe(false);
  });
});

describe('verify', () => {
  test('a sound file, for people and as JSON; a damaged one, with what was expected and found, and what to do', async () => {
    const bytes = readFileSync(snapshot);
    const figures = {
      file: snapshot,
      release: 'fixture',
      countries: 14,
      places: expect.any(Number),
      bytes: bytes.length,
    };
    bytes[5000] = (bytes[5000] as number) ^ 1;
    writeFileSync(inFolder('damaged'), bytes);
    const calls = [[snapshot], [snapshot, '--json'], [inFolder('damaged')]];
    const [text, json, damaged] = await runCalls(calls.map((args) => ['verify', ...args]));
    expect(text?.stdout).toMatch(
      /^sound +.*places\.snapshot\nrelease +fixture\ncountries +14\nplaces +\d+\nsize +[\d.]+ kB\n$/,
    );
    expect(JSON.parse(json?.stdout ?? '')).toEqual(figures);
    expect([text?.exitCode, json?.exitCode]).toEqual([0, 0]);
    const stderr = expect.stringMatching(
      /postal-places: SECTION_DAMAGED: expected .*damaged: place-answers.*, found .*; .*again/,
    );
    expect(damaged).toEqual({ exitCode: 1, stdout: '', stderr });
  });

  test('a damaged file is named, whatever reads it', async () => {
    const file = inFolder('damaged-header');
    const bytes = readFileSync(snapshot);
    bytes[20] = (bytes[20] as number) ^ 1;
    writeFileSync(file, bytes);
    for (const args of [
      ['verify', file],
      ['inspect', file],
      ['diff', snapshot, file],
      ['pack', 'AD', '--from', file, '--out', inFolder('packed')],
      ['publish', file, '--to', inFolder('published')],
      ['lookup', 'AD', 'AD500', '--snapshot', file],
      ['enrich', '-', '--format', 'csv', '--snapshot', file],
    ]) {
      const { code, out, error } = await runHere(...args);
      expect({ args, code, out }).toEqual({ args, code: 1, out: '' });
      expect(error).toMatch(new RegExp(`^postal-places: HEADER_DAMAGED: expected ${file}: .*\\n$`));
    }
  });
});

describe('inspect', () => {
  const found = (options: { readonly place?: string; readonly postcode?: string }) =>
    inspectSnapshot(snapshot, options) as { readonly id: string; readonly position: unknown };

  test('a summary, for people and as one object', async () => {
    const [text, json] = await runCalls([
      ['inspect', snapshot],
      ['inspect', snapshot, '--json'],
    ]);
    expect([text?.exitCode, json?.exitCode]).toEqual([0, 0]);
    expect(text?.stdout).toMatch(/^release +fixture$/m);
    expect(text?.stdout).toMatch(/^LT +Lithuania +1, 1, 120, 0 +120$/m);
    const summary = JSON.parse(json?.stdout ?? '');
    const header = { file: snapshot, release: 'fixture', previousRelease: null, siteUrl: 'https://site.test' };
    expect(summary).toMatchObject(header);
    expect(summary.countries).toHaveLength(14);
    const lithuania = { code: 'LT', name: 'Lithuania', levels: [1, 1, 120, 0], codes: 120, oldPaths: 0 };
    expect(summary.countries).toContainEqual(lithuania);
    expect(summary.sections).toHaveLength(SECTIONS.length);
  });

  test('a place by path and by id, and a postal code', () => {
    const byPath = found({ place: 'ad/canillo/vall' });
    expect(byPath).toMatchObject({ name: 'Vall', level: 2, childCount: 1, ancestors: [{ name: 'Canillo' }] });
    expect(byPath.position).toEqual({ source: 'release', released: null });
    expect(found({ place: byPath.id })).toEqual(byPath);
    expect(found({ place: byPath.id.toUpperCase() })).toEqual(byPath);
    expect(found({ postcode: 'gb/sw1a1aa' })).toMatchObject({ postcode: 'SW1A 1AA' });
  });

  test.each([
    [1, '--place', 'AD/absent'],
    [1, '--place', '00000000-0000-5000-8000-000000000000'],
    [1, '--postcode', 'AD/none'],
    [1, '--postcode', 'ZZ/1'],
    [1, '--postcode', 'AE/1'],
    // These name no country.
    [2, '--place', 'nonsense'],
    [2, '--place', '00000000-0000-5000-8000-00000000000'],
    [2, '--postcode', 'LI'],
    [2, '--postcode', 'AD/'],
    [2, '--postcode', '9490'],
  ])('exit code %i: %s %s', async (expected, option, value) => {
    const { code, out, error } = await runHere('inspect', snapshot, option, value);
    expect({ code, out }).toEqual({ code: expected, out: '' });
    expect(error).toMatch(
      expected === 2 ? /^postal-places: .*begin with the code of a country/ : /^postal-places: .+\n$/,
    );
  });
});
