/**
 * The package as its users get it: packed, installed from the tarball into an empty folder, and run there. Its
 * dependencies come from npm's cache or from the registry. Every program answers from the data in the package.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { originOf, type ServerProgram, startInstalled } from '../fixtures/server-program.js';

const ROOT = join(import.meta.dirname, '../..');

/** Maximum length of the tarball, in bytes: 20 MB, of which the starter data take 15. */
const MAX_PACKAGE_BYTES = 20e6;

interface PackedFile {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

let folder: TemporaryFolder;
let packed: PackedFile;
const inFolder = (...names: string[]): string => join(folder.path, ...names);

beforeAll(() => {
  folder = createTemporaryFolder();
  mkdirSync(inFolder('empty'));
  // The sources are compiled already, see test:package; prepack would compile them again.
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder.path];
  [packed] = JSON.parse(execFileSync('npm', pack, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 }));
  writeFileSync(inFolder('empty/package.json'), '{"private": true}\n');
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', inFolder(packed.filename)];
  execFileSync('npm', install, { cwd: inFolder('empty'), encoding: 'utf8', stdio: 'pipe' });
});
afterAll(() => folder?.remove());

/** Runs a command of the package, as `npx` does from the folder. */
function run(...command: string[]) {
  const args = ['--no-install', '--offline', ...command];
  const { status, stdout, stderr } = spawnSync('npx', args, { cwd: inFolder('empty'), encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('it has the starter data and what the programs read, and not what makes them', () => {
  const paths = packed.files.map(({ path }) => path);
  for (const path of ['data/starter.snapshot', 'data/countries.tsv', 'docs/openapi.json', 'dist/cli/main.js']) {
    expect(paths).toContain(path);
  }
  const others = paths.filter((path) =>
    /^(?:data\/starter\/|dist\/generate\/|src\/|test\/|var\/|node_modules\/)/.test(path),
  );
  expect(others).toEqual([]);
  expect(packed.size).toBeLessThan(MAX_PACKAGE_BYTES);
  process.stdout.write(`package: ${(packed.size / 1e6).toFixed(1)} MB\n`);
});

/** The commands that end by themselves: their arguments, and what they print. */
const COMMANDS: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['lookup', ['DE', '10115'], /10115.*Berlin/],
  ['suggest', ['münch', '--country', 'DE', '--json'], /"name":"Munich"|"name":"München"/],
  ['reverse', ['48.14', '11.58'], /München/],
  ['nearby', ['DE', '10115', '--json'], /"distanceKm":/],
  ['inspect', ['node_modules/postal-places/data/starter.snapshot', '--postcode', 'DE/10115'], /"Berlin"/],
  ['verify', ['node_modules/postal-places/data/starter.snapshot'], /: sound; release starter, 14 countries/],
  ['keys create', ['--name', 'a test', '--json'], /^\{.*"key":"pp_/],
];

test.each(COMMANDS)('npx postal-places %s', (command, args, output) => {
  expect(run('postal-places', ...command.split(' '), ...args)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(output),
  });
});

/** The subcommands that serve, and a path with what its answer has. */
const SERVERS: readonly (readonly [string, string, RegExp])[] = [
  ['serve', '/v1/countries/DE/postcodes/10115', /"name":"Berlin"/],
  ['site', '/germany', /<h1[^>]*>[^<]*Germany/],
];

describe('serving', () => {
  let program: ServerProgram | undefined;
  afterAll(() => void program?.process.kill('SIGKILL'));

  test.each(SERVERS)('%s answers from the starter data, and says so', async (command, path, answer) => {
    const { key } = JSON.parse(run('postal-places', 'keys', 'create', '--name', command, '--json').stdout);
    const file = inFolder('empty/node_modules/.bin/postal-places');
    expect(existsSync(file)).toBe(true);
    const environment = { PORT: '0', SITE_PORT: '0', KEYS_DIR: inFolder('empty/var/keys') };
    program = startInstalled([file, command], environment, inFolder('empty'));
    const response = await fetch(`${await originOf(program)}${path}`, { headers: { 'x-api-key': key } });
    expect({ status: response.status, text: await response.text() }).toEqual({
      status: 200,
      text: expect.stringMatching(answer),
    });
    expect(program.stdout()).toMatch(/SNAPSHOT is not set: this is the starter data of the package/);
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });
});
