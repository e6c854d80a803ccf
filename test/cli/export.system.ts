/** `export` as a program: a database, which needs a Node that has SQLite, and what is left when the program is stopped. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  buildFixtureSnapshot,
  createTemporaryFolder,
  type FixtureSnapshot,
  type TemporaryFolder,
} from '../fixtures/fixture-snapshot.js';
import { type FixtureRow, lineOf } from '../fixtures/hand-made-release.js';
import { compiled, runProgram } from '../fixtures/program.js';
import { waitUntil } from '../fixtures/wait-until.js';

let fixture: FixtureSnapshot;
let folder: TemporaryFolder;

beforeAll(async () => {
  const rows = Array.from(
    { length: 20_000 },
    (_, at): FixtureRow => [`M${at}`, `Place ${at}`, '', '', '', 53, at / 1e5],
  );
  const fullRows = [lineOf('GB', ['M7 1AA', 'Place 7', '', '', '', 53.5, -2.25])];
  fixture = await buildFixtureSnapshot({ GB: rows, GB_full: fullRows });
  folder = createTemporaryFolder();
});
afterAll(() => {
  fixture?.cleanup();
  folder?.remove();
});

const left = (): string[] => readdirSync(folder.path);

test('a database of SQLite has all tables with their indexes, where this Node has SQLite', () => {
  const file = join(folder.path, 'places.db');
  const { exitCode, stdout, stderr } = runProgram([
    'export',
    '--format',
    'sqlite',
    '--snapshot',
    fixture.path,
    '--out',
    file,
  ]);
  expect([exitCode, stdout]).toEqual([isBuiltin('node:sqlite') ? 0 : 1, '']);
  if (!isBuiltin('node:sqlite')) {
    expect(stderr).toMatch(/^postal-places: [^\n]*Node 22[^\n]*\n$/);
    expect(left()).toEqual([]);
    return;
  }
  const ask = (sql: string): string => {
    const { stdout, stderr } = spawnSync('sqlite3', ['-json', file, sql], { encoding: 'utf8' });
    if (stderr !== '') throw new Error(stderr);
    return stdout;
  };
  const query = (sql: string): unknown => JSON.parse(ask(sql));
  expect(query('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  const counts = ['places', 'postcodes', 'cities'].map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
  expect(query(`SELECT ${counts.join()}`)).toEqual([{ places: 20_000, postcodes: 20_001, cities: 20_000 }]);
  expect(query("SELECT firstPart, latitude, longitude FROM postcodes WHERE postcode = 'M7 1AA'")).toEqual([
    { firstPart: 'M7', latitude: 53.5, longitude: -2.25 },
  ]);
  expect(query("SELECT name, level, postalCode FROM places WHERE postalCode = 'M11'")).toEqual([
    { name: 'Place 11', level: 1, postalCode: 'M11' },
  ]);
  for (const [where, index] of [
    ["places WHERE name = 'x'", 'places_name'],
    ["places WHERE postalCode = 'x'", 'places_postalCode'],
    ['places WHERE latitude BETWEEN 1 AND 2', 'places_latitude_longitude'],
    ["postcodes WHERE postcode = 'x'", 'postcodes_postcode'],
    ['postcodes WHERE latitude BETWEEN 1 AND 2', 'postcodes_latitude_longitude'],
    ["cities WHERE name = 'x'", 'cities_name'],
  ]) {
    expect(ask(`EXPLAIN QUERY PLAN SELECT * FROM ${where}`)).toContain(`INDEX ${index} `);
  }
  expect(left()).toEqual(['places.db']);
  rmSync(file);
});

test('a database needs a file', () => {
  const { exitCode } = runProgram(['export', '--format', 'sqlite', '--snapshot', fixture.path]);
  expect(exitCode).toBe(isBuiltin('node:sqlite') ? 2 : 1);
});

test('a signal ends it with the code of the signal, and leaves no file', async () => {
  // Parquet takes longest: the file that is not whole yet is there long before the end.
  const args = ['export', '--format', 'parquet', '--snapshot', fixture.path, '--out', join(folder.path, 'x.parquet')];
  const program = spawn(process.execPath, [compiled(), ...args], { stdio: 'ignore' });
  const ended = once(program, 'exit');
  await waitUntil('a file that is not whole', () => left().length > 0);
  program.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
  expect(left()).toEqual([]);
});

test.each(['csv', 'parquet'])('a disk that is full ends it with 1, and leaves no file: %s', (format) => {
  // A limit of 4 kB for files, which a disk's end looks like.
  const line = `ulimit -f 4; exec "$0" "$@"`;
  const args = [
    compiled(),
    'export',
    '--format',
    format,
    '--snapshot',
    fixture.path,
    '--out',
    join(folder.path, `x.${format}`),
  ];
  const { status, stderr } = spawnSync('sh', ['-c', line, process.execPath, ...args], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^(?:[^\n]+\n)*postal-places: [^\n]+EFBIG[^\n]+\n$/)]);
  expect(left()).toEqual([]);
});

test('a reader that closes the pipe ends it with 1 and no message', () => {
  const line = '"$0" "$@" | head -c 100 >/dev/null; exit "$PIPESTATUS"';
  const args = [compiled(), 'export', '--format', 'ndjson', '--snapshot', fixture.path];
  const { status, stderr } = spawnSync('bash', ['-c', line, process.execPath, ...args], { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).not.toContain('postal-places:');
});
