/**
 * Every benchmark runs once, with one round on a small snapshot, and prints a row for each thing it measures: no figure is
 * looked at. Left out are `bench:start`, which is what the tests of the package do, and the peer where there is no PostgreSQL.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { packageRoot } from '../../src/base/package-root.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { type FixtureRow, lineOf } from '../fixtures/hand-made-release.js';
import { runProgram } from '../fixtures/program.js';

const STARTER = join(packageRoot(), 'data/starter');
const GB_ROWS: readonly FixtureRow[] = [
  ['M1', 'Manchester', 'England', 'Greater Manchester', '', 53.47, -2.23],
  ['M2', 'Ancoats', 'England', 'Greater Manchester', '', 53.49, -2.22],
  ['LS1', 'Leeds', 'England', 'West Yorkshire', '', 53.8, -1.55],
];
const FULL_ROWS: readonly FixtureRow[] = [
  ['M1 1AE', 'Manchester', 'England', '', '', 53.4771, -2.2308],
  ['M2 1AA', 'Ancoats', 'England', '', '', 53.4912, -2.2234],
];

let folder: TemporaryFolder;
let release: string;
let snapshot: string;

beforeAll(() => {
  folder = createTemporaryFolder();
  release = join(folder.path, 'release');
  snapshot = join(folder.path, 'places.snapshot');
  mkdirSync(release);
  for (const file of ['AD.zip', 'CA.zip', 'IS.zip', 'NL.zip', 'cities15000.zip']) {
    copyFileSync(join(STARTER, file), join(release, file));
  }
  const zip = (name: string, entry: string, rows: readonly FixtureRow[]): void => {
    const text = `${rows.map((row) => lineOf('GB', row)).join('\n')}\n`;
    writeFileSync(join(release, name), zipSync({ [entry]: strToU8(text) }));
  };
  zip('GB.zip', 'GB.txt', GB_ROWS);
  zip('GB_full.csv.zip', 'GB_full.txt', FULL_ROWS);
  writeFileSync(join(release, 'countryInfo.txt'), '#\n');
  const { exitCode, stderr } = runProgram(['build', release, '--countries', 'AD,GB,IS', '--out', snapshot]);
  if (exitCode !== 0) throw new Error(stderr);
});
afterAll(() => folder?.remove());

/** The lines that a benchmark prints, without its headings: the names of rows are their starts. */
async function run(script: string, part: string, ...args: string[]): Promise<string> {
  const path = join(import.meta.dirname, `${script}.mjs`);
  const env = { ...process.env, BENCH_ROUNDS: '1', BENCH_SECONDS: '1', BENCH_ROWS: '1000', TMPDIR: folder.path };
  const program = spawn(process.execPath, [path, part, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [printed, told] = ['', ''];
  program.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  program.stderr.setEncoding('utf8').on('data', (text) => {
    told += text;
  });
  const startedAt = performance.now();
  const [status] = await once(program, 'close');
  console.log(script, part, Math.round(performance.now() - startedAt), printed, status === 0 ? '' : told);
  if (status !== 0) throw new Error(`${script} ${part} ended with ${status}:\n${printed}${told}`);
  return printed;
}

test.each<[string, string, () => string[], string[]]>([
  ['http', 'bare', () => [snapshot, 'reverse'], ['reverse', '/reverse (Photon)', 'after the run']],
  ['http', 'workers', () => [snapshot, 'places/{id}'], ['places/{id}']],
  ['answers', 'lookups', () => [snapshot], ['autocomplete, ', 'reverse, ']],
  ['answers', 'flexsearch', () => [snapshot, 'IS'], ['two letters', 'all that occur']],
  ['answers', 'suggest', () => [snapshot, join(release, 'cities15000.zip')], ['name, world', 'typo in 3 letters']],
  ['answers', 'lines', () => [snapshot, join(release, 'cities15000.zip')], ['lines, code or town', 'English names']],
  ['library', 'library', () => [snapshot], ['library', 'library, as text', 'Map']],
  ['library', 'enrich', () => [snapshot], ['copy, codes differ', 'enrich, codes repeat', '10,000 rows']],
  ['library', 'bulk', () => [snapshot], ['in process', 'single requests', 'bulk of 1,000, ndjson']],
  ['library', 'join', () => [snapshot], ['join by the compact form', 'join of what is left', 'rows with a place']],
  ['build', 'build', () => [release], ['read and split', 'build, twice the rows']],
  ['build', 'full', () => [release], ['GB, full codes', 'all three, full codes']],
  ['build', 'publish', () => [snapshot], ['copy, sync, read', 'publish what is there']],
  ['build', 'channels', () => [snapshot], ['publish again', 'pull again']],
  ['build', 'start', () => [snapshot], ['node -e 0', 'server, Redis', 'site', 'keys create']],
  ['site', 'kept', () => [snapshot], ['few pages, kept']],
])('bench:%s -- %s prints its rows', async (script, part, args, rows) => {
  const printed = await run(script, part, ...args());
  const lines = printed.split('\n');
  for (const row of rows) expect(lines.find((line) => line.startsWith(row))).toBeDefined();
});

test('bench:http -- peer leaves out what the peer can not answer', async () => {
  if (!existsSync('/usr/lib/postgresql')) return;
  const printed = await run('http', 'peer', snapshot, 'postcodes');
  expect(printed).toMatch(/^postcodes: full codes +0 of 2$/m);
  expect(printed).toMatch(/^postcodes\/\{code\} +\d+ of \d+ .*100 %$/m);
  expect(printed).toMatch(/^postcodes: their first parts +2 of 2 /m);
});
