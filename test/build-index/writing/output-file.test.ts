/** What commands refuse to write over: what they read, snapshots, and the link that says which snapshot is in service. */

import { execFileSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { packSnapshot } from '../../../build-index/building/pack-snapshot.js';
import { writeChanges } from '../../../build-index/diffing/write-changes.js';
import { checkOutput } from '../../../build-index/writing/output-file.js';
import { ExpectedError } from '../../../src/base/errors.js';
import { openSnapshot } from '../../../src/core/snapshot/snapshot.js';
import { runHere } from '../../cli/running.js';
import { csvOf } from '../../fixtures/corrections.js';
import {
  buildFrom,
  createTemporaryFolder,
  type TemporaryFolder,
  writeRelease,
} from '../../fixtures/fixture-snapshot.js';
import { cityLineOf, cityOf } from '../../fixtures/gazetteer.js';
import { HAND_MADE_ROWS } from '../../fixtures/hand-made-release.js';
import { poolHere } from '../../fixtures/pool-here.js';
import { silentProgress } from '../../fixtures/silent-progress.js';

/** What a build reads beside a table of cities. */
const NAME_TABLES = ['alternateNamesV2.txt', 'admin1CodesASCII.txt'];
const PUBLISHED = 'one-0123456789abcdef.snapshot';

let folder: TemporaryFolder;
const inFolder = (...names: string[]): string => join(folder.path, ...names);

beforeEach(async () => {
  folder = createTemporaryFolder();
  writeRelease(inFolder('release'), { AD: HAND_MADE_ROWS.AD ?? [] });
  await buildFrom(inFolder('release'), inFolder('read.snapshot'));
  const bytes = readFileSync(inFolder('read.snapshot'));
  writeFileSync(inFolder('other.snapshot'), bytes);
  writeFileSync(inFolder('table.csv'), 'plz\nAD100\n');
  writeFileSync(inFolder('other.csv.part'), 'plz\nAD100\n');
  writeFileSync(inFolder('new.csv.part.id'), 'plz\nAD100\n');
  writeFileSync(inFolder('fixes.csv'), csvOf([]));
  mkdirSync(inFolder('gazetteer'));
  writeFileSync(inFolder('gazetteer', 'cities500.txt'), cityLineOf(cityOf('AD', 'Canillo', 42.57, 1.6)));
  for (const table of NAME_TABLES) writeFileSync(inFolder('gazetteer', table), '');
  linkSync(inFolder('table.csv'), inFolder('same.csv'));
  symlinkSync('table.csv', inFolder('link.csv'));
  mkdirSync(inFolder('places'));
  writeFileSync(inFolder('places', PUBLISHED), bytes);
  symlinkSync(PUBLISHED, inFolder('places', 'current'));
});
afterEach(() => folder.remove());

async function runCommand(...args: string[]): Promise<void> {
  const { code, error } = await runHere(...args);
  if (code !== 0) throw new ExpectedError(error);
}

const enrich = (table: string) => (out: string) =>
  runCommand(
    ...['enrich', inFolder(table), '--format', 'csv', '--country', 'AD'],
    ...['--snapshot', inFolder('read.snapshot'), '--out', out],
  );

const COMMANDS: Readonly<Record<string, (out: string) => Promise<unknown>>> = {
  build: (out) =>
    buildFrom(inFolder('release'), out, {
      correctionPaths: [inFolder('fixes.csv')],
      gazetteerPath: inFolder('gazetteer', 'cities500.txt'),
    }),
  pack: (outPath) =>
    packSnapshot({ source: inFolder('read.snapshot'), outPath, countries: ['AD'] }, poolHere, silentProgress),
  diff: (out) => writeChanges(inFolder('read.snapshot'), inFolder('read.snapshot'), out, silentProgress),
  export: (out) => runCommand('export', '--format', 'csv', '--snapshot', inFolder('read.snapshot'), '--out', out),
  enrich: enrich('table.csv'),
  'enrich of an unfinished result': enrich('other.csv.part'),
  'enrich of what names a run': enrich('new.csv.part.id'),
};

/** All files below the folder, with what they are and have. */
function contents(): unknown[] {
  return readdirSync(folder.path, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const info = lstatSync(inFolder(name));
      if (info.isSymbolicLink()) return [name, readlinkSync(inFolder(name))];
      return [name, info.ino, info.isFile() && readFileSync(inFolder(name), 'base64')];
    });
}

const READ = / is a file that this command reads, and is not replaced/;
const SNAPSHOT = / is a snapshot, and is replaced by nothing else/;
const IN_SERVICE = /current says which snapshot is in service, and is not replaced/;

test.each<[command: string, out: string, message: RegExp]>([
  ...Object.keys(COMMANDS).map((name): [string, string, RegExp] => [name, 'places/current', IN_SERVICE]),
  ['build', 'release/AD.txt', READ],
  ['build', 'fixes.csv', READ],
  ['build', 'gazetteer/cities500.txt', READ],
  ...NAME_TABLES.map((table): [string, string, RegExp] => ['build', `gazetteer/${table}`, READ]),
  ['pack', 'read.snapshot', READ],
  ['diff', 'read.snapshot', READ],
  ['diff', 'other.snapshot', SNAPSHOT],
  ['export', 'read.snapshot', SNAPSHOT],
  ['export', 'other.snapshot', SNAPSHOT],
  ['enrich', 'table.csv', READ],
  ['enrich', 'same.csv', READ],
  ['enrich', 'link.csv', READ],
  ['enrich', 'read.snapshot', SNAPSHOT],
  ['enrich', `places/${PUBLISHED}`, SNAPSHOT],
  ['enrich of an unfinished result', 'other.csv', READ],
  ['enrich of what names a run', 'new.csv', READ],
])('%s over %s is refused, and nothing is written', async (command, out, message) => {
  const before = contents();
  const error = await COMMANDS[command]?.(inFolder(out)).then(
    () => 'no error',
    (reason: unknown) => reason,
  );
  expect(contents()).toEqual(before);
  expect(error).toBeInstanceOf(ExpectedError);
  expect(error).toMatchObject({ message: expect.stringMatching(message) });
});

test('a pointer whose snapshot is gone is refused as well', async () => {
  writeFileSync(inFolder('places', 'x'), '');
  const pointer = inFolder('gone', 'current');
  mkdirSync(inFolder('gone'));
  symlinkSync(PUBLISHED, pointer);
  for (const run of Object.values(COMMANDS)) await expect(run(pointer)).rejects.toThrow(IN_SERVICE);
});

describe('what is replaced', () => {
  test.each(['build', 'pack'])('%s: a snapshot that it does not read', async (command) => {
    const before = lstatSync(inFolder('other.snapshot')).ino;
    await COMMANDS[command]?.(inFolder('other.snapshot'));
    expect(lstatSync(inFolder('other.snapshot')).ino).not.toBe(before);
    expect(openSnapshot(inFolder('other.snapshot')).release).toBe('fixture');
  });

  test.each(['diff', 'export', 'enrich'])('%s: any other file', async (command) => {
    writeFileSync(inFolder('out.csv'), 'before');
    await COMMANDS[command]?.(inFolder('out.csv'));
    expect(readFileSync(inFolder('out.csv'), 'utf8')).not.toContain('before');
  });
});

test('standard input is an input; one device may be input and output', () => {
  const fd = openSync(inFolder('table.csv'), 'r');
  expect(() => checkOutput(inFolder('table.csv'), { inputs: [fd], isSnapshot: false })).toThrow(READ);
  checkOutput('/dev/null', { inputs: ['/dev/null'], isSnapshot: false });
  execFileSync('mkfifo', [inFolder('pipe')]);
  checkOutput(inFolder('pipe'), { inputs: [], isSnapshot: false });
});
