/**
 * The package as its users get it: packed, installed from the tarball into an empty folder, and run there. Its
 * dependencies come from npm's cache or from the registry. Every program answers from the data in the package, which the
 * first ones compile: the tests that say "first" come before all others.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { originOf, type ServerProgram, startInstalled } from '../fixtures/server-program.js';

const ROOT = join(import.meta.dirname, '../..');

/** Maximum length of the tarball, in bytes: 21 MB, of which the rows of all countries take 16.6, and land and waters of maps 1.1. */
const MAX_PACKAGE_BYTES = 21e6;

/** How long a process may take, in seconds: many times what compiling the world takes. It is killed after. */
const MAX_SECONDS = 300;

/** The rows of the table that `enrich` gets: as many as the bound is for. */
const ROW_COUNT = 100_000;

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

/** A command that is killed, with all that it has started, when it takes too long: its status is not 0 then. */
const bounded = (...command: string[]): string[] => ['timeout', '--signal=KILL', String(MAX_SECONDS), ...command];

/** Where the programs keep what they compile. */
const environment = () => ({ XDG_CACHE_HOME: inFolder('cache') });

/** Runs a command in the folder. */
function runBounded(command: readonly string[], input = '') {
  const [file = '', ...args] = bounded(...command);
  const env = { ...process.env, ...environment() };
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: inFolder('empty'), encoding: 'utf8', input, env });
  return { status, stdout, stderr };
}

/** What npm has put where `npx postal-places` finds it. */
const program = (): string => inFolder('empty/node_modules/.bin/postal-places');
const run = (...args: string[]) => runBounded([program(), ...args]);
/** As users run it from the folder; npx says nothing of its own. */
const runByNpx = (...args: string[]) =>
  runBounded(['npx', '--no-install', '--offline', '--loglevel=error', 'postal-places', ...args]);

test('it has the rows of all countries and what the programs read, and not what makes them', () => {
  const paths = packed.files.map(({ path }) => path);
  for (const path of [
    'data/starter/FR.zip',
    'data/starter/cities15000.zip',
    'data/countries.tsv',
    'docs/openapi.json',
    'dist/cli/main.js',
    'CHANGELOG.md',
    'NOTICE',
  ]) {
    expect(paths).toContain(path);
  }
  const others = paths.filter((path) =>
    /^(?:data\/starter\.snapshot|dist\/generate\/|src\/|test\/|var\/|node_modules\/)/.test(path),
  );
  expect(others).toEqual([]);
  expect(packed.size).toBeLessThan(MAX_PACKAGE_BYTES);
  process.stdout.write(`package: ${(packed.size / 1e6).toFixed(1)} MB\n`);
});

/** The names of the snapshots that were compiled, and the path of one. */
const compiledNames = () => readdirSync(inFolder('cache'), { recursive: true, encoding: 'utf8' });
const compiledFile = (name: string): string =>
  inFolder('cache', compiledNames().find((path) => path.endsWith(name)) as string);

/** What is compiled for a lookup in Denmark: also the territories of its post. */
const DANISH_FILE = 'DK-FO-GL.snapshot';

test('a first lookup compiles its country alone, and a later one finds it', () => {
  const first = runByNpx('lookup', 'DK', '1050');
  expect(first).toMatchObject({ status: 0, stdout: expect.stringMatching(/1050.*København/) });
  expect(first.stderr).toMatch(/^postal-places: compiling DK, this once.*\n$/);
  expect(run('lookup', 'DK', '1050')).toEqual({ ...first, stderr: '' });
  // Greenland's.
  expect(run('lookup', 'DK', '3900')).toMatchObject({ status: 0, stderr: '' });
  expect(compiledNames().filter((path) => path.endsWith('.snapshot'))).toEqual([expect.stringContaining(DANISH_FILE)]);
});

test('a first suggestion of no country compiles the world, and says that this happens once', () => {
  const first = run('suggest', 'Paris');
  expect(first.stdout.split('\n')[0]).toMatch(/^FR .*Paris/);
  expect(first.stderr).toMatch(/^postal-places: compiling all 118 countries, this once.*\n$/);
});

test.each([
  ['GB', 'SW1A'],
  ['PL', '00-002'],
  ['KR', '06236'],
  ['US', '90210'],
])('a later lookup of %s %s compiles nothing', (country, code) => {
  expect(run('lookup', country, code)).toMatchObject({ status: 0, stderr: '' });
});

/** The commands that end by themselves: their arguments, and what they print. */
const COMMANDS: readonly (readonly [string, readonly (string | (() => string))[], RegExp])[] = [
  ['lookup', ['DE', '10115'], /10115.*Berlin/],
  ['suggest', ['münch', '--country', 'DE', '--json'], /"name":"Munich"|"name":"München"/],
  ['match', ['Unter den Linden 77, 10117 Berlin'], /10117.*exact/],
  ['reverse', ['48.14', '11.58'], /München/],
  ['nearby', ['DE', '10115', '--json'], /"distanceKm":/],
  ['inspect', [() => compiledFile(DANISH_FILE), '--postcode', 'DK/1050'], /"København/],
  ['verify', [() => compiledFile(DANISH_FILE)], /^sound .*\nrelease +2026-03-30\ncountries +3$/m],
  ['keys create', ['--name', 'a test', '--json'], /^\{.*"key":"pp_/],
];

test.each(COMMANDS)('postal-places %s', (command, args, output) => {
  const words = args.map((word) => (typeof word === 'string' ? word : word()));
  expect(run(...command.split(' '), ...words)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(output),
  });
});

test('postal-places enrich adds the places to every row of a large table', () => {
  const known = ['DE,10115,Berlin,exact', 'CH,8001,Zürich,exact', 'LI,9490,Vaduz,exact', 'DE,00000,,none'];
  const rows = Array.from({ length: ROW_COUNT }, (_, index) => `${index},${known[index % known.length]}`);
  const asked = rows.map((row) => row.split(',', 3).join());
  writeFileSync(inFolder('empty/table.csv'), `id,country,postcode\n${asked.join('\n')}\n`);
  const { status, stderr } = run('enrich', 'table.csv', '--add', 'city', '--out', 'out.csv', '--json');
  const quarter = ROW_COUNT / known.length;
  expect({ status, report: JSON.parse(stderr) }).toMatchObject({
    status: 0,
    report: { rows: ROW_COUNT, bad: 0, matches: { exact: 3 * quarter, none: quarter } },
  });
  const [header, ...found] = readFileSync(inFolder('empty/out.csv'), 'utf8').trimEnd().split('\n');
  expect(header).toBe('id,country,postcode,city,match');
  // One wrong row is shown, not a difference of all.
  expect(found.length).toBe(ROW_COUNT);
  const wrong = found.findIndex((row, index) => row !== rows[index]);
  expect([wrong, found[wrong]]).toEqual([-1, undefined]);
});

test('postal-places mcp answers a client of the protocol until its input ends', () => {
  const clientInfo = { name: 'test', version: '1' };
  const found = { name: 'postal_lookup_code', arguments: { country: 'DE', postcode: '10115' } };
  const messages = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
    { id: 3, method: 'tools/call', params: found },
  ];
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
  const { status, stdout } = runBounded([program(), 'mcp'], input);
  expect(status).toBe(0);
  const answers = new Map(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ id, result }) => [id, result]),
  );
  expect(answers.get(1)).toMatchObject({ serverInfo: { name: 'postal-places' } });
  const names = ['lookup_code', 'suggest', 'match_address', 'reverse', 'nearby', 'place'].map(
    (name) => `postal_${name}`,
  );
  expect(
    answers
      .get(2)
      .tools.map(({ name }: { name: string }) => name)
      .sort(),
  ).toEqual(names.sort());
  expect(answers.get(3)).toMatchObject({ structuredContent: { places: [{ postalCode: '10115', name: 'Berlin' }] } });
});

test('the library opens the world or some countries, and answers', () => {
  const script = `import { open } from 'postal-places';
    const places = await open();
    const found = places.postcode('DE', '10115');
    const { place } = places.reverse(47.14, 9.52);
    const [suggestion] = places.suggest('münch', { country: 'DE', limit: 1 });
    console.log(found.places[0].name, places.postcode('DE', '00000'), place.postalCode, suggestion.name);
    places.close();
    const danish = await open(undefined, { countries: ['DK'] });
    console.log(danish.countries({ hasPostcodes: true }).length, danish.postcode('DK', '1050').places.length > 0);`;
  writeFileSync(inFolder('empty/use.mjs'), script);
  const expected = { status: 0, stdout: 'Berlin undefined 9490 München\n1 true\n', stderr: '' };
  expect(runBounded([process.execPath, 'use.mjs'])).toEqual(expected);
});

/** The subcommands that serve, and a path with what its answer has. */
const SERVERS: readonly (readonly [string, string, RegExp])[] = [
  ['serve', '/v1/countries/DE/postcodes/10115', /"name":"Berlin"/],
  ['site', '/germany', /<h1[^>]*>[^<]*Germany/],
];

describe('serving', () => {
  let server: ServerProgram | undefined;
  let key: string;
  beforeAll(() => {
    ({ key } = JSON.parse(run('keys', 'create', '--name', 'a caller', '--json').stdout));
  });
  afterAll(() => void server?.process.kill());

  test.each(SERVERS)('%s answers from the data of the package, and says so', async (command, path, answer) => {
    const settings = { PORT: '0', SITE_PORT: '0', KEYS_DIR: inFolder('empty/var/keys'), ...environment() };
    server = startInstalled(bounded(program(), command), settings, inFolder('empty'));
    const response = await fetch(`${await originOf(server)}${path}`, { headers: { 'x-api-key': key } });
    expect({ status: response.status, text: await response.text() }).toEqual({
      status: 200,
      text: expect.stringMatching(answer),
    });
    expect(server.stdout()).toMatch(/SNAPSHOT is not set: these are data of the package/);
    server.process.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });
});
