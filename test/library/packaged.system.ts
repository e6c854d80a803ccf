/**
 * The data in the package, in a copy of it with three countries as it is installed: countries are compiled when they are
 * first asked for, and kept in the user's cache folder, by commands, by the library and by servers.
 */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type ProgramResult, runNode } from '../fixtures/program.js';
import { originOf } from '../fixtures/server-program.js';
import { createSmallPackage, type SmallPackage } from '../fixtures/small-package.js';
import { waitUntil } from '../fixtures/wait-until.js';

let small: SmallPackage;
const inPackage = (...names: string[]): string => join(small.root, ...names);
const cache = (): string => inPackage('cache');
const temporary = (): string => inPackage('tmp');
const environment = (): Record<string, string> => ({ XDG_CACHE_HOME: cache(), TMPDIR: temporary() });

/** What the command printed that compiled Liechtenstein, and the one after it that compiled the world. */
let compiling: ProgramResult;
let compilingWorld: ProgramResult;
const compiled = (): string => inPackage('compiled');
const compiledBoth = (): string => inPackage('compiled-both');
/** The cache as the first command left it, or the second. */
const useCompiled = (): void => cpSync(compiled(), cache(), { recursive: true });
const useBoth = (): void => cpSync(compiledBoth(), cache(), { recursive: true });

beforeAll(() => {
  small = createSmallPackage({ hasStarter: false });
  compiling = runNode([small.program, 'lookup', 'LI', '9490'], { XDG_CACHE_HOME: compiled() });
  cpSync(compiled(), compiledBoth(), { recursive: true });
  compilingWorld = runNode([small.program, 'suggest', 'vati'], { XDG_CACHE_HOME: compiledBoth() });
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
  expect(compiling).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Vaduz') });
  expect(compiling.stderr).toMatch(/^postal-places: compiling LI, this once.*\n$/);
  useCompiled();
  expect(run('lookup', 'LI', '9490')).toEqual({ ...compiling, stderr: '' });
  expect(kept()).toEqual(['LI.snapshot']);
  expect(compilingWorld.stdout).toContain('VA');
  expect(compilingWorld.stderr).toMatch(/^postal-places: compiling all 3 countries, this once.*\n$/);
  rmSync(cache(), { recursive: true });
  useBoth();
  expect(run('lookup', 'SM', '47890')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(kept()).toEqual(['LI.snapshot', 'world.snapshot']);
});

test('a country that the package lacks is told of, and a wrong argument refused, before anything large is compiled', () => {
  expect(run('lookup', 'JP', '100-0001')).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('Japan') });
  // Of the smallest country: it can tell.
  expect(kept()).toEqual(['VA.snapshot']);
  const cases = [
    [['suggest', 'vati', '--limit', '0'], /^postal-places: limit must/],
    [['nearby', '9490'], /^postal-places: the centre must/],
    [['lookup', 'Liechtenstein'], /^postal-places: a postal code is missing behind Liechtenstein/],
  ] as const;
  for (const [args, message] of cases)
    expect(run(...args)).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(message) });
  expect(kept()).toEqual(['VA.snapshot']);
});

test('the nearest place is looked for in all countries', () => {
  expect(run('reverse', '43.94', '12.45')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^SM/) });
  expect(kept()).toEqual(['world.snapshot']);
});

/** The path of a file that a command has compiled. */
function compiledFile(name: string): string {
  return join(cache(), 'postal-places', readdirSync(join(cache(), 'postal-places'))[0] as string, name);
}

/** The bytes with a page of zeros in place of that with the text, as a disk leaves it. */
function withoutPageOf(text: string, bytes: Buffer): Buffer {
  const page = bytes.indexOf(text) & -4_096;
  return Buffer.from(bytes).fill(0, page, page + 4_096);
}

test('a damaged file is told of, and compiled again, whatever fails', () => {
  useCompiled();
  const file = compiledFile('LI.snapshot');
  const sound = readFileSync(file);
  // The file opens: only the answer fails, as it is no JSON.
  writeFileSync(file, withoutPageOf('"name":"Vaduz"', sound));
  const { exitCode, stderr, ...answer } = run('lookup', 'LI', '9490');
  expect([exitCode, answer.stdout]).toEqual([0, compiling.stdout]);
  expect(stderr).toMatch(/^postal-places: .*LI\.snapshot was damaged, and is compiled again\n.*compiling LI.*\n$/);
  expect(readFileSync(file).equals(sound)).toBe(true);
  // A structure that is read when the country is used, and what is no file.
  const damages: readonly (() => void)[] = [
    () => writeFileSync(file, Buffer.from(sound).fill(0xff, 20_000, sound.length - 20_000)),
    () => mkdirSync(join(file, 'folder'), { recursive: true }),
    () => void execFileSync('mkfifo', [file]),
  ];
  for (const damage of damages) {
    rmSync(file);
    damage();
    expect(run('lookup', 'LI', '9490')).toMatchObject({ exitCode: 0, stdout: compiling.stdout });
    expect(lstatSync(file).isFile() && readFileSync(file).equals(sound)).toBe(true);
  }
});

test('a damaged file that fails a table of which a part is written is removed, and the command must be run again', () => {
  const table = join(temporary(), 'table.csv');
  writeFileSync(table, 'country,postcode\nLI,9490\n');
  useBoth();
  const enrich = () => run('enrich', table, '--add', 'city,state', '--json');
  const { stdout } = enrich();
  const file = compiledFile('world.snapshot');
  // It opens, and the first row fails.
  const damaged = readFileSync(file);
  damaged.fill('~', damaged.indexOf('"Vaduz"'), damaged.indexOf('"Vaduz"') + 7);
  writeFileSync(file, damaged);
  const { exitCode, stderr } = enrich();
  expect([exitCode, stderr]).toEqual([
    1,
    `postal-places: ${file} was damaged, and is removed: run the command again\n`,
  ]);
  expect(enrich()).toMatchObject({ exitCode: 0, stdout });
});

test('a snapshot that was named is left as it is, and told of', () => {
  useCompiled();
  const named = inPackage('cache', 'named.snapshot');
  const damaged = withoutPageOf('"name":"Vaduz"', readFileSync(compiledFile('LI.snapshot')));
  writeFileSync(named, damaged);
  writeFileSync(inPackage('cache', 'table.csv'), 'country,postcode\nLI,9490\n');
  const commands = [
    ['lookup', 'LI', '9490'],
    ['enrich', inPackage('cache', 'table.csv'), '--add', 'city,state', '--json'],
  ];
  const told = `${named} is damaged or wrong: postal-places verify ${named} says where; SECTION_DAMAGED: `;
  for (const command of commands) {
    const { exitCode, stderr } = run(...command, '--snapshot', named);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`postal-places: ${told}`)]);
    expect(stderr.split('\n')).toHaveLength(2);
  }
  expect(readFileSync(named).equals(damaged)).toBe(true);
});

test('a lookup of the library that a damaged file fails throws a DamagedError, and the next open has a whole file', () => {
  useCompiled();
  const named = inPackage('cache', 'named.snapshot');
  writeFileSync(named, readFileSync(compiledFile('LI.snapshot')));
  const script = `
    import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
    for (const [path, options] of [[undefined, { countries: ['LI'] }], ['${named}', {}]]) {
      const places = await open(path, options);
      const file = path ?? '${compiledFile('LI.snapshot')}';
      const fd = openSync(file, 'r+');
      writeSync(fd, '~'.repeat(7), readFileSync(file).indexOf('"Vaduz"'));
      closeSync(fd);
      for (const ask of [() => places.postcode('LI', '9490'), () => places.json.places('LI', { format: 'csv' })])
        try { ask(); } catch ({ name, code, message, cause }) { console.log(name, code, message, cause.code); }
      console.log(places.postcode('LI', '0000'));
      await places.close();
    }
    const again = await open(undefined, { countries: ['LI'] });
    console.log(again.postcode('LI', '9490').places.length);`;
  const { stdout, stderr } = runScript(script);
  const ofPackage =
    /^DamagedError DAMAGED .*LI\.snapshot was damaged, and is removed: open compiles it again STRUCTURE_INVALID$/;
  const ofNamed =
    /^DamagedError DAMAGED .*named\.snapshot is damaged or wrong: postal-places verify .* STRUCTURE_INVALID$/;
  const missing = /^undefined$/;
  const told = [ofPackage, ofPackage, missing, ofNamed, ofNamed, missing, /^1$/].map((line) =>
    expect.stringMatching(line),
  );
  expect([stdout.trimEnd().split('\n'), stderr]).toEqual([told, '']);
});

test('what is compiled is opened without the builder, and compiled again by another one', () => {
  const script =
    "const places = await open(undefined, { countries: ['LI'] }); console.log(places.postcode('LI', '9490').places[0].name)";
  const found = { exitCode: 0, stdout: 'Vaduz\n', stderr: '' };
  useCompiled();
  renameSync(inPackage('dist/build-index'), inPackage('dist/away'));
  try {
    expect(runScript(script)).toEqual(found);
  } finally {
    renameSync(inPackage('dist/away'), inPackage('dist/build-index'));
  }
  const [before] = readdirSync(join(cache(), 'postal-places'));
  const digest = readFileSync(inPackage('dist/builder.sha256'));
  writeFileSync(inPackage('dist/builder.sha256'), 'another');
  try {
    expect(runScript(script)).toEqual(found);
  } finally {
    writeFileSync(inPackage('dist/builder.sha256'), digest);
  }
  expect(kept()).toEqual(['LI.snapshot']);
  expect(readdirSync(join(cache(), 'postal-places'))).not.toContain(before);
});

test('what another version left goes with a compilation, and nothing else', () => {
  const root = join(cache(), 'postal-places');
  const others = ['0.0.1-000000000000', '1.0.0-beta.1-0123456789ab'];
  const kept = ['backup-0123456789ab', '0.0.1-0123456789AB', '0.0.1'];
  for (const name of [...others, ...kept]) {
    mkdirSync(join(root, name), { recursive: true, mode: 0o700 });
    writeFileSync(join(root, name, 'world.snapshot'), '');
  }
  chmodSync(root, 0o700);
  // It leads to a folder of somebody else's.
  symlinkSync(temporary(), join(root, '0.0.2-000000000000'));
  writeFileSync(join(temporary(), 'file'), '');
  expect(run('lookup', 'LI', '9490')).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining("can't") });
  const [own] = readdirSync(join(compiled(), 'postal-places'));
  const left = readdirSync(root).filter((name) => name !== own);
  expect(left.sort()).toEqual(['0.0.2-000000000000', ...kept].sort());
  expect(readdirSync(temporary())).toEqual(['file']);
});

test('a cache that others may write, or that is a link, is neither used nor touched', () => {
  useCompiled();
  const root = join(cache(), 'postal-places');
  const file = compiledFile('LI.snapshot');
  // It answers, with another name.
  const planted = readFileSync(file);
  planted.write('"Evil!"', planted.indexOf('"Vaduz"'));
  writeFileSync(file, planted);
  const stale = join(root, '0.0.1-000000000000');
  mkdirSync(stale);
  chmodSync(root, 0o777);
  const open = run('lookup', 'LI', '9490');
  expect(open).toMatchObject({
    exitCode: 0,
    stdout: compiling.stdout,
    stderr: expect.stringMatching(/others may write .*go-w; set XDG_/),
  });
  expect([readFileSync(file).equals(planted), existsSync(stale)]).toEqual([true, true]);
  const target = join(temporary(), 'target');
  renameSync(root, target);
  chmodSync(target, 0o700);
  symlinkSync(target, root);
  const linked = run('lookup', 'LI', '9490');
  expect(linked).toMatchObject({
    exitCode: 0,
    stdout: compiling.stdout,
    stderr: expect.stringMatching(/postal-places is a link; set XDG_/),
  });
  expect(readdirSync(target)).toContain('0.0.1-000000000000');
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
