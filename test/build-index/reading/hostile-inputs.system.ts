/**
 * Inputs that never end, that nobody writes to, or that are far too large: each ends a build with one typed error, before
 * any of it is read. And what is printed of a hostile release moves no terminal's cursor.
 */

import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, lstatSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { INPUT_LIMITS } from '../../../build-index/reading/input-file.js';
import { ExpectedError } from '../../../src/base/errors.js';
import {
  buildFrom,
  createTemporaryFolder,
  type TemporaryFolder,
  writeRelease,
} from '../../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../../fixtures/hand-made-release.js';
import { runProgram } from '../../fixtures/program.js';
import { deflatedZipOf, zipOf } from '../../fixtures/zip-writer.js';

let folder: TemporaryFolder;
let release: string;
beforeEach(() => {
  folder = createTemporaryFolder();
  release = join(folder.path, 'release');
  writeRelease(release, { AD: HAND_MADE_ROWS.AD ?? [] });
});
afterEach(() => folder.remove());

const inRelease = (name: string): string => join(release, name);

async function refusal(path = release, corrections: readonly string[] = []): Promise<string> {
  const built = buildFrom(path, join(folder.path, 'out.snapshot'), { correctionPaths: corrections });
  return await built.then(
    () => 'built',
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

/** A file of zeros that takes no room on the disk. */
function writeSparse(path: string, bytes: number): void {
  const fd = openSync(path, 'w');
  ftruncateSync(fd, bytes);
  closeSync(fd);
}

const makeFifo = (path: string): unknown => execFileSync('mkfifo', [path]);
const linkTo = (target: string) => (path: string) => symlinkSync(target, path);

describe.each<[string, (path: string) => unknown]>([
  ['a named pipe that nobody writes to', makeFifo],
  ['a link to an endless device', linkTo('/dev/zero')],
  ['a folder', (path) => mkdirSync(path)],
])('%s', (_, make) => {
  test.each(['BG.txt', 'BG.zip', 'countryInfo.txt', 'cities500.txt', 'cities500.zip'])('as %s', async (name) => {
    make(inRelease(name));
    expect(await refusal()).toBe(`ReleaseError: ${inRelease(name)}: cannot be read: it is no regular file`);
  });

  test('as the table of alternate names beside cities', async () => {
    writeFileSync(inRelease('cities500.txt'), '');
    make(inRelease('alternateNamesV2.zip'));
    expect(await refusal()).toContain('alternateNamesV2.zip: cannot be read: it is no regular file');
  });

  test('as the file to write, which stays as it is', async () => {
    const target = join(folder.path, 'target');
    make(target);
    const before = lstatSync(target);
    const error = await buildFrom(release, target).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ExpectedError);
    expect(error).toMatchObject({
      message: expect.stringMatching(/ is no regular file, and is not replaced|: is a folder/),
    });
    expect(lstatSync(target)).toMatchObject({ ino: before.ino, mode: before.mode });
  });

  test('as corrections', async () => {
    const path = join(folder.path, 'corrections.csv');
    make(path);
    expect(await refusal(release, [path])).toBe(`ReleaseError: ${path}: cannot be read: it is no regular file`);
  });
});

test('the release itself is a named pipe: the program ends with code 1 and one line', () => {
  const path = join(folder.path, 'allCountries.txt');
  makeFifo(path);
  const { exitCode, stdout, stderr } = runProgram(['build', path, '--out', join(folder.path, 'out.snapshot')]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toBe(`postal-places: ${path}: cannot be read: it is no regular file\n`);
});

describe('too large', () => {
  const { textBytes, zipBytes, releaseTextBytes, countryInfoBytes, zipEntries } = INPUT_LIMITS;

  test.each([
    ['BG.txt', textBytes],
    ['BG.zip', zipBytes],
    ['countryInfo.txt', countryInfoBytes],
    ['cities500.txt', textBytes],
  ])('%s, by its length', async (name, limit) => {
    writeSparse(inRelease(name), limit + 1);
    const message = `${inRelease(name)}: too large to be read: ${limit + 1} bytes, of at most ${limit}`;
    expect(await refusal()).toBe(`ReleaseError: ${message}`);
  });

  test('a zip, by its word', async () => {
    writeFileSync(inRelease('BG.zip'), deflatedZipOf('BG.txt', Buffer.alloc(1000), textBytes + 1));
    const message = `BG.zip: BG.txt: too large to be read: ${textBytes + 1} bytes, of at most ${textBytes}`;
    expect(await refusal()).toContain(`ReleaseError: ${inRelease(message)}`);
  });

  test('a zip that says it is small: read no further than it says', async () => {
    writeFileSync(inRelease('BG.zip'), deflatedZipOf('BG.txt', Buffer.alloc(50_000_000), 1000));
    expect(await refusal()).toMatch(/^ReleaseError: .*BG\.zip: cannot be read: too many bytes in the stream/);
  });

  test('a zip of many entries', async () => {
    const entries = Array.from({ length: zipEntries + 1 }, (_, n) => ({ name: `${n}`, content: Buffer.alloc(0) }));
    writeFileSync(inRelease('BG.zip'), zipOf(entries));
    const message = `ReleaseError: ${inRelease('BG.zip')}: has ${zipEntries + 1} entries, of at most ${zipEntries}`;
    expect(await refusal()).toBe(message);
  });

  test('all tables together, none of them alone', async () => {
    const each = releaseTextBytes / 4;
    for (const country of ['BG', 'DE', 'FR']) writeSparse(inRelease(`${country}.txt`), each);
    writeFileSync(inRelease('GB.zip'), deflatedZipOf('GB.txt', Buffer.alloc(1000), each));
    expect(await refusal()).toMatch(/^ReleaseError: .*release: all tables together: too large to be read: /);
  });
});

describe('what is printed', () => {
  /** Unprintable but for line feeds. */
  const MOVES_THE_CURSOR = /[^\P{Cc}\n]|[\p{Zl}\p{Zp}]/u;
  const HOSTILE = '\u001b[2J\u009b2J\u007f\u2028\u202e\u2066gone';
  const ESCAPED = '\\u001b[2J\\u009b2J\\u007f\\u2028\\u202e\\u2066gone';

  function expectHarmless(args: readonly string[], exitCode: number): string {
    const result = runProgram(args);
    expect(result.exitCode).toBe(exitCode);
    expect(result.stdout + result.stderr).not.toMatch(MOVES_THE_CURSOR);
    return result.stdout + result.stderr;
  }
  const build = (...options: string[]): string[] => [
    'build',
    release,
    '--out',
    join(folder.path, 'out.snapshot'),
    ...options,
  ];

  test('of a release without a usable row', () => {
    writeFileSync(inRelease('AD.txt'), `AD\t1\t${HOSTILE}\n`);
    expect(expectHarmless(build(), 1)).toContain(`: AD.txt:1: AD | 1 | ${ESCAPED}`);
  });

  test('of a zip with a hostile name in it', () => {
    const zip = zipOf([{ name: `\u001b[2J\n\u009b/BG.txt`, content: Buffer.from('BG\t1\tSofia\n') }]);
    zip.write('X', zip.indexOf('Sofia'), 'latin1');
    writeFileSync(inRelease('BG.zip'), zip);
    const printed = expectHarmless(build(), 1);
    expect(printed).toContain('\\u001b[2J\\u000a\\u009b/BG.txt does not match its CRC-32\n');
  });

  test('as JSON, whose values stay', () => {
    const line = `AD\t1\t${HOSTILE}`;
    writeRelease(release, { AD: [line, ...(HAND_MADE_ROWS.AD ?? [])] });
    writeFileSync(inRelease(`${HOSTILE}.csv`), '');
    const { stdout } = runProgram(build('--json'));
    expect(stdout).not.toMatch(MOVES_THE_CURSOR);
    const { problems, ignoredFiles } = JSON.parse(stdout);
    expect(ignoredFiles).toEqual([`${HOSTILE}.csv`]);
    expect(problems.flatMap(({ examples }: { examples: string[] }) => examples)).toContain(`AD.txt:1: ${line}`);
  });
});
