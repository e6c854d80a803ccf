/** What each subcommand loads: nothing of the others, so that each starts as soon as it can. */

import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/base/package-root.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { compiled } from '../fixtures/program.js';
import { createStoredKey } from '../fixtures/stored-key.js';

const DIST = pathToFileURL(join(import.meta.dirname, '../../dist/')).href;
const HOOKS = pathToFileURL(join(import.meta.dirname, 'recorded-loads.mjs')).href;

let fixture: FixtureSnapshot;
let keysDir: string;

beforeAll(async () => {
  fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
  keysDir = join(fixture.releasePath, 'keys');
  await createStoredKey(keysDir);
});
afterAll(() => fixture.cleanup());

interface Loaded {
  readonly code: number | null;
  readonly packages: readonly string[];
  /** Paths below dist. */
  readonly files: readonly string[];
}

function loadedBy(...args: string[]): Loaded {
  const record = join(fixture.releasePath, 'loaded');
  const { status } = spawnSync(process.execPath, ['--import', HOOKS, compiled(), ...args], {
    env: { PATH: process.env.PATH, LOADED_MODULES: record },
    stdio: 'ignore',
  });
  const urls = existsSync(record) ? readFileSync(record, 'utf8').split('\n') : [];
  rmSync(record, { force: true });
  const packages = urls.flatMap((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.slice(1) ?? []);
  const files = urls.filter((url) => url.startsWith(DIST)).map((url) => url.slice(DIST.length));
  return { code: status, packages: [...new Set(packages)].sort(), files };
}

test.each([
  ['--version', 0],
  ['--help', 0],
  ['nonsense', 2],
])('%s loads no subcommand', (arg, expected) => {
  const { code, packages, files } = loadedBy(arg);
  expect({ code, packages }).toEqual({ code: expected, packages: ['commander'] });
  expect(files).toContain('cli/commands.js');
  expect(files.filter((file) => /-commands?\.js$/.test(file))).toEqual([]);
  expect(files.length).toBeLessThan(16);
});

test('what reads a snapshot loads neither what serves it nor what keeps keys', () => {
  for (const args of [
    ['inspect', fixture.path],
    ['verify', fixture.path],
    ['list', '--to', fixture.releasePath],
  ]) {
    const { code, packages, files } = loadedBy(...args);
    expect({ args, code }).toEqual({ args, code: 0 });
    expect(packages).toContain('commander');
    for (const name of ['express', 'lmdb', 'ioredis', 'pino']) expect(packages).not.toContain(name);
    expect(
      files.filter((file) => /^(?:src\/(?:api\/http|site|keys\/accounts|process)|cli\/keys)\//.test(file)),
    ).toEqual([]);
  }
});

test('keys loads the store that it uses, and nothing of places', () => {
  const { code, packages, files } = loadedBy('keys', 'list', '--store', keysDir);
  expect(code).toBe(0);
  expect(packages).toEqual(expect.arrayContaining(['commander', 'lmdb']));
  for (const name of ['express', 'ioredis', 'nodemailer', 'pino']) expect(packages).not.toContain(name);
  expect(files.filter((file) => /^src\/(?:core|api\/http|site)\//.test(file))).toEqual([]);
});

describe('output that can not be written is told in one line', () => {
  let snapshot: FixtureSnapshot;
  let table: string;
  beforeAll(async () => {
    snapshot = await buildFixtureSnapshot({ AD: HAND_MADE_ROWS.AD ?? [] });
    table = join(snapshot.path, '../table.csv');
    writeFileSync(table, 'country,zip\nAD,AD500\n');
  });
  afterAll(() => snapshot?.cleanup());

  test.each<[string, () => string[]]>([
    ['lookup', () => ['AD', 'AD500', '--snapshot', snapshot.path]],
    ['enrich', () => [table, '--snapshot', snapshot.path]],
    ['export', () => ['--format', 'ndjson', '--snapshot', snapshot.path]],
    ['verify', () => [snapshot.path, '--json']],
    ['diff', () => [snapshot.path, snapshot.path]],
  ])('%s', (name, args) => {
    const full = openSync('/dev/full', 'w');
    const program = join(packageRoot(), 'dist/cli/main.js');
    const { status, stderr } = spawnSync(process.execPath, [program, name, ...args()], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/\n?postal-places: the output can't be written \([^\n]+\)\n$/),
    ]);
  });
});
