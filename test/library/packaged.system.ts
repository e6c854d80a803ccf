/**
 * The data in the package, in a copy of it with three countries as it is installed: countries are compiled when they are
 * first asked for, and kept in the user's cache folder, by commands, by the library and by servers.
 */

import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { libc } from '../../src/base/own-file.js';
import { type ProgramResult, runNode } from '../fixtures/program.js';
import { originOf } from '../fixtures/server-program.js';
import { createSmallPackage, type SmallPackage } from '../fixtures/small-package.js';
import { waitUntil } from '../fixtures/wait-until.js';

let small: SmallPackage;
const inPackage = (...names: string[]): string => join(small.root, ...names);
const cache = (): string => inPackage('cache');
const temporary = (): string => inPackage('tmp');
const environment = (): Record<string, string> => ({ XDG_CACHE_HOME: cache(), TMPDIR: temporary() });

beforeAll(() => {
  small = createSmallPackage({ hasStarter: false });
});
beforeEach(() => void mkdirSync(temporary()));
afterEach(() => {
  for (const folder of [cache(), temporary()]) rmSync(folder, { recursive: true, force: true });
});
afterAll(() => small?.remove());

function run(...args: string[]): ProgramResult {
  return runNode([small.program, ...args], environment());
}

/** What a module prints that has the library. */
function runScript(script: string): ProgramResult {
  const given = "import { open } from './dist/src/library/index.js';";
  writeFileSync(inPackage('use.mjs'), `${given}\n${script}`);
  return runNode([inPackage('use.mjs')], environment());
}

/** The names of the files of this version. */
function kept(): string[] {
  const [folder = '', ...others] = readdirSync(join(cache(), 'postal-places'));
  expect([folder, others]).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+-[0-9a-f]{12}$/), []]);
  return readdirSync(join(cache(), 'postal-places', folder)).sort();
}

test('a command compiles what it is asked for, says so once, and finds it the next time', () => {
  const first = run('lookup', 'LI', '9490');
  expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Vaduz') });
  expect(first.stderr).toMatch(/^postal-places: compiling LI, this once.*\n$/);
  expect(run('lookup', 'LI', '9490')).toEqual({ ...first, stderr: '' });
  expect(kept()).toEqual(['LI.snapshot']);
  const world = run('suggest', 'vati');
  expect(world.stdout).toContain('VA');
  expect(world.stderr).toMatch(/^postal-places: compiling all 3 countries, this once.*\n$/);
  expect(run('lookup', 'SM', '47890')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(kept()).toEqual(['LI.snapshot', 'world.snapshot']);
});

test('a country that the package lacks is told of', () => {
  expect(run('lookup', 'JP', '100-0001')).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('Japan') });
  // Of the smallest country: it can tell.
  expect(kept()).toEqual(['VA.snapshot']);
});

test('a wrong argument is refused before anything large is compiled', () => {
  const cases = [
    [['suggest', 'vati', '--limit', '0'], /^postal-places: limit must/],
    [['nearby', '9490'], /^postal-places: the centre must/],
    [['lookup', 'Liechtenstein', '9490'], /^postal-places: country must.*; did you mean LI\?/],
  ] as const;
  for (const [args, message] of cases)
    expect(run(...args)).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(message) });
  expect(kept()).toEqual(['VA.snapshot']);
});

test('the nearest place is looked for in all countries', () => {
  expect(run('reverse', '43.94', '12.45')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^SM/) });
  expect(kept()).toEqual(['world.snapshot']);
});

test('a damaged file is compiled again', () => {
  const answer = run('lookup', 'LI', '9490').stdout;
  const [version = ''] = readdirSync(join(cache(), 'postal-places'));
  const file = join(cache(), 'postal-places', version, 'LI.snapshot');
  const sound = readFileSync(file);
  // Cut off, and with other bytes than those of which the file has checksums.
  for (const damaged of [sound.subarray(0, 5_000), Buffer.from(sound).fill(0xff, 20_000, sound.length - 20_000)]) {
    writeFileSync(file, damaged);
    expect(run('lookup', 'LI', '9490').stdout).toBe(answer);
    expect(readFileSync(file).equals(sound)).toBe(true);
  }
  writeFileSync(file, Buffer.from(sound).fill(0xff, 20_000, sound.length - 20_000));
  const opened = runScript(
    "console.log((await open(undefined, { countries: ['LI'] })).postcode('LI', '9490').places.length);",
  );
  expect(opened).toMatchObject({ exitCode: 0, stdout: '1\n' });
  expect(readFileSync(file).equals(sound)).toBe(true);
});

test('what another version kept goes when nothing has used it for long', () => {
  const others = ['0.0.1-000000000000', '0.0.2-000000000000'].map((name) => join(cache(), 'postal-places', name));
  const [unused = '', used = ''] = others;
  const open = join(cache(), 'postal-places', '0.0.0-000000000000');
  for (const folder of [...others, open]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'world.snapshot'), '');
  }
  const fd = openSync(join(open, 'world.snapshot'), 'r');
  expect(libc()?.tryLock(fd, 'shared')).toBe('taken');
  const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);
  for (const folder of [unused, open]) utimesSync(folder, daysAgo(91), daysAgo(91));
  utimesSync(used, daysAgo(89), daysAgo(89));
  expect(run('lookup', 'LI', '9490').exitCode).toBe(0);
  const [own = '', ...left] = readdirSync(join(cache(), 'postal-places')).sort().reverse();
  expect(left).toEqual(['0.0.2-000000000000', '0.0.0-000000000000']);
  closeSync(fd);
  // An answer from the cache is a use.
  const folder = join(cache(), 'postal-places', own);
  utimesSync(folder, daysAgo(91), daysAgo(91));
  expect(run('lookup', 'LI', '9490').exitCode).toBe(0);
  expect(statSync(folder).mtime > daysAgo(1)).toBe(true);
});

test('two processes at once both answer, and leave one whole file', async () => {
  const programs = [0, 1].map(() => small.start(['lookup', 'SM', '47890'], environment()));
  expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual([0, 0]);
  expect(new Set(programs.map((program) => program.stdout())).size).toBe(1);
  expect(kept()).toEqual(['SM.snapshot']);
  expect(run('lookup', 'SM', '47890')).toMatchObject({ exitCode: 0, stderr: '', stdout: programs[0]?.stdout() });
});

test('where nothing can be kept it answers with one hint, and leaves nothing', () => {
  // Root may write into folders without rights.
  writeFileSync(cache(), '');
  const { exitCode, stdout, stderr } = run('lookup', 'LI', '9490');
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Vaduz')]);
  expect(stderr).toMatch(/^postal-places: compiling LI.*\npostal-places: .*can't be kept.*XDG_CACHE_HOME.*\n$/);
  const library = runScript(`
    const places = await open();
    console.log(places.postcode('VA', '00120').places.length);`);
  expect(library).toMatchObject({ exitCode: 0, stdout: '1\n', stderr: expect.stringMatching(/can't be kept/) });
  expect(readdirSync(temporary())).toEqual([]);
  const homeless = runNode([small.program, 'lookup', 'LI', '9490'], { HOME: '', TMPDIR: temporary() });
  expect(homeless).toMatchObject({ exitCode: 0, stdout, stderr: expect.stringMatching(/no home/) });
});

test('the library opens the world, or the named countries alone', () => {
  const script = `
    const codes = (places) => places.countries({ hasPostcodes: true }).map(({ code }) => code).join();
    const some = await open(undefined, { countries: ['sm'] });
    const all = await open(undefined, { watch: true });
    const again = await open(undefined, { countries: ['SM'] });
    console.log([some, all, again].map(codes).join(' '));
    for (const places of [some, all, again]) await places.close();
    for (const [path, countries] of [[undefined, ['JP']], [undefined, []], [undefined, 'SM'], ['x', ['SM']]])
      console.log(await open(path, { countries }).catch(({ code, details }) => code + details[0].param));`;
  const fault = 'INVALID_ARGUMENTcountries\n';
  expect(runScript(script)).toEqual({
    exitCode: 0,
    stdout: `SM LI,SM,VA SM\n${fault.repeat(4)}`,
    stderr: '',
  });
  expect(kept()).toEqual(['SM.snapshot', 'world.snapshot']);
});

test('without its release the package has no data, and says so', () => {
  renameSync(inPackage('data/starter'), inPackage('data/away'));
  try {
    const { stdout } = runScript("console.log(await open().catch(({ name, code }) => [name, code].join(' ')));");
    expect(stdout).toBe('OpenError NO_PACKAGED_DATA\n');
    expect(run('lookup', 'LI', '9490')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('SNAPSHOT') });
  } finally {
    renameSync(inPackage('data/away'), inPackage('data/starter'));
  }
});

test('a first start compiles starter countries again that are damaged', async () => {
  const answer = run('lookup', 'LI', '9490').stdout;
  const [version = ''] = readdirSync(join(cache(), 'postal-places'));
  const file = join(cache(), 'postal-places', version, 'LI.snapshot');
  const sound = readFileSync(file);
  // Neither what a server reads at its start nor what it tries.
  writeFileSync(file, Buffer.from(sound).fill(0xff, 100_000, 100_100));
  const program = small.start(['start'], { ...environment(), PORT: '0', SITE_PORT: '0', DRAIN_SECONDS: '1' });
  try {
    await program.waitFor(/The site for people is at/);
    expect(readFileSync(file).equals(sound)).toBe(true);
    expect(run('lookup', 'LI', '9490').stdout).toBe(answer);
  } finally {
    program.process.kill('SIGTERM');
    await program.ended;
    rmSync(inPackage('var'), { recursive: true, force: true });
  }
  expect(program.stderr()).toBe('');
});

test('a server compiles all countries, and answers', async () => {
  const server = small.start(['serve'], { ...environment(), PORT: '0' });
  const response = await fetch(`${await originOf(server)}/v1/release`);
  const { data } = (await response.json()) as { data: { countries: readonly object[] } };
  expect(data.countries).toHaveLength(3);
  server.process.kill();
  expect(await server.ended).toBe(0);
  expect(kept()).toEqual(['world.snapshot']);
  // The disk of a log file is full.
  const full = small.start(['site'], { ...environment(), SITE_PORT: '0', POSTAL_PLACES_LOG_FILE: '/dev/full' });
  await waitUntil('a message', () => full.stderr() !== '');
  full.process.kill();
  expect(await full.ended).toBe(0);
  expect(full.stderr()).toMatch(/^(postal-places: the log .*ENOSPC.*\n)+$/);
});
