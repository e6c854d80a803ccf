/**
 * Every benchmark runs once, with one round on a small snapshot, and prints a row for each thing it measures: no figure is
 * looked at. Left out is `bench:start`, which is what the tests of the package do.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { strToU8, unzipSync, zipSync } from 'fflate';
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
  copyFileSync(join(STARTER, 'AD.zip'), join(release, 'AD.zip'));
  const cities = ['AD.zip', 'GB.zip', 'cities15000.zip'].map(
    (file) => unzipSync(readFileSync(join(STARTER, file)))['cities15000.txt'] as Uint8Array,
  );
  writeFileSync(join(release, 'cities15000.zip'), zipSync({ 'cities15000.txt': Buffer.concat(cities) }));
  const zip = (name: string, entry: string, rows: readonly FixtureRow[]): void => {
    const text = `${rows.map((row) => lineOf('GB', row)).join('\n')}\n`;
    writeFileSync(join(release, name), zipSync({ [entry]: strToU8(text) }));
  };
  zip('GB.zip', 'GB.txt', GB_ROWS);
  zip('GB_full.csv.zip', 'GB_full.txt', FULL_ROWS);
  writeFileSync(join(release, 'countryInfo.txt'), '#\n');
  const { exitCode, stderr } = runProgram(['build', release, '--countries', 'AD,GB', '--out', snapshot]);
  if (exitCode !== 0) throw new Error(stderr);
});
afterAll(() => folder?.remove());

/** A benchmark, its part, its arguments, and starts of lines that it prints. */
type Bench = readonly [script: string, part: string, args: readonly string[], lines: readonly string[]];

const listBenches = (cities: string): Bench[] => [
  // The longest first.
  [
    'http',
    'outages',
    [snapshot],
    ['a server ended', 'a server killed', 'a master under Sentinels', 'a master of a Cluster'],
  ],
  ['http', 'bare', [snapshot, 'Photon'], ['/reverse (Photon)', 'after the run']],
  ['http', 'workers', [snapshot, 'places/{id}'], ['places/{id}']],
  ['answers', 'lookups', [snapshot], ['autocomplete, ', 'reverse, ']],
  ['answers', 'flexsearch', [snapshot, 'AD'], ['two letters', 'all that occur']],
  ['answers', 'suggest', [snapshot, cities], ['name, world', 'typo in 3 letters']],
  ['answers', 'lines', [snapshot, cities], ['lines, code or town', 'English names']],
  ['library', 'library', [snapshot], ['library', 'library, as text', 'Map']],
  ['library', 'enrich', [snapshot], ['copy, codes differ', 'enrich, codes repeat', '10,000 rows']],
  ['library', 'bulk', [snapshot], ['in process', 'single requests', 'bulk of 1,000, ndjson']],
  ['library', 'join', [snapshot], ['join by the compact form', 'join of what is left', 'rows with a place']],
  ['build', 'build', [release], ['read and split', 'build, twice the rows']],
  ['build', 'full', [release], ['GB, full codes', 'all of them, full codes']],
  ['build', 'publish', [snapshot], ['copy, sync, read', 'publish what is there']],
  ['build', 'channels', [snapshot], ['publish again', 'pull again']],
  ['build', 'start', [snapshot], ['node -e 0', 'server, Redis', 'site', 'keys --help']],
  ['site', 'kept', [snapshot], ['few pages, kept']],
];
/** The fewest and shortest rounds. */
const ENV = { BENCH_ROUNDS: '1', BENCH_SECONDS: '0.1', BENCH_INPUTS: '1100', BENCH_ROWS: '1000' };
/** Benchmarks at once: most wait for a program to start, or for wrk, half of their time. */
const AT_ONCE = 4;

interface Run {
  readonly status: number | null;
  readonly printed: string;
  readonly told: string;
}

async function run(script: string, part: string, args: readonly string[]): Promise<Run> {
  const path = join(import.meta.dirname, `${script}.mjs`);
  const env = { ...process.env, ...ENV };
  const program = spawn(process.execPath, [path, part, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [printed, told] = [program.stdout, program.stderr].map((stream) => text(stream));
  const [status] = (await once(program, 'close')) as [number | null];
  return { status, printed: await (printed as Promise<string>), told: await (told as Promise<string>) };
}

test('every benchmark prints its rows', async () => {
  const waiting = listBenches(join(release, 'cities15000.zip'));
  const faults: string[] = [];
  const work = async (): Promise<void> => {
    for (let bench = waiting.shift(); bench !== undefined; bench = waiting.shift()) {
      const [script, part, args, starts] = bench;
      const { status, printed, told } = await run(script, part, args);
      const lines = printed.split('\n');
      const missing = starts.filter((start) => !lines.some((line) => line.startsWith(start)));
      if (status === 0 && missing.length === 0) continue;
      faults.push(`${script} -- ${part} ended with ${status}, without ${missing.join(' and ')}: ${printed}${told}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(faults).toEqual([]);
});

test('the peer is measured, and a row tells what it can not answer', async () => {
  const { status, printed, told } = await run('http', 'peer', [snapshot, 'postcodes']);
  expect([status, told]).toEqual([0, expect.not.stringContaining('is missing')]);
  expect(printed).toMatch(/^postcodes: full codes +0 of 2$/m);
  expect(printed).toMatch(/^postcodes\/\{code\} +\d+ of \d+ .*100 %$/m);
  expect(printed).toMatch(/^postcodes: their first parts +2 of 2 /m);
});
