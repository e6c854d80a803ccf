/** The server in one file, as `npm run build` leaves it, and the code cache beside it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { packageRoot, programFile } from '../src/platform/package-root.js';
import { buildFixtureSnapshot, createTemporaryFolder, type FixtureSnapshot } from './fixtures/fixture-snapshot.js';
import { originOf, startServerProgram } from './fixtures/server-program.js';
import { createStoredKey } from './fixtures/stored-key.js';

const root = packageRoot();
const folder = createTemporaryFolder();
const copiedCache = join(folder.path, 'dist/src/server.cache');
let fixture: FixtureSnapshot;

beforeAll(async () => {
  fixture = await buildFixtureSnapshot({ LI: [['9490', 'Vaduz', 'Oberland', '', '', 47.14, 9.52]] });
  mkdirSync(join(folder.path, 'dist'));
  cpSync(programFile('src'), join(folder.path, 'dist/src'), { recursive: true });
  for (const name of ['package.json', 'docs', 'node_modules']) symlinkSync(join(root, name), join(folder.path, name));
});

afterAll(() => {
  fixture.cleanup();
  folder.remove();
});

test('this node takes the code of the cache', () => {
  const program = `
    const { readFileSync } = require('node:fs');
    const cache = readFileSync('server.cache');
    const cachedData = cache.subarray(cache.indexOf(10) + 1);
    const script = new (require('node:vm').Script)(readFileSync('server.cjs', 'latin1'), { cachedData });
    process.stdout.write(String(script.cachedDataRejected));`;
  const options = { cwd: programFile('src'), encoding: 'utf8' } as const;
  expect(execFileSync(process.execPath, ['-e', program], options)).toBe('false');
});

const DAMAGES: readonly (readonly [string, (cache: Buffer) => Buffer | undefined])[] = [
  ['none', () => undefined],
  ['an empty one', () => Buffer.alloc(0)],
  ['half of one', (cache) => cache.subarray(0, cache.length >>> 1)],
  ['one with a damaged byte', (cache) => cache.fill(~(cache[99_999] as number) & 0xff, 99_999, 100_000)],
  ["another node's", (cache) => Buffer.from(cache.toString('latin1').replace(/^node v\d+/, 'node v19'), 'latin1')],
];

test.each(DAMAGES)('the server starts with any cache: %s', async (_, damage) => {
  const cache = damage(readFileSync(programFile('src/server.cache')));
  if (cache === undefined) rmSync(copiedCache, { force: true });
  else writeFileSync(copiedCache, cache);
  const keysDir = join(folder.path, 'keys');
  const key = await createStoredKey(keysDir);
  const program = startServerProgram(relative(root, join(folder.path, 'dist/src/main.js')), {
    PORT: '0',
    SNAPSHOT: fixture.path,
    KEYS_DIR: keysDir,
  });
  const response = await fetch(`${await originOf(program)}/v1/countries/LI`, { headers: { 'x-api-key': key } });
  expect(response.status).toBe(200);
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  expect(program.stderr()).toBe('');
});

test('the licences of bundled packages are beside the bundle', () => {
  const licences = readFileSync(programFile('bundled-licences.txt'), 'utf8');
  for (const name of ['express', 'pino', 'ioredis', 'prom-client', 'any-ascii', 'flatbuffers']) {
    expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+: [\\w.-]+\n\n`, 'm'));
  }
  // What is left out is not in the bundle, and what is native stays a package.
  expect(licences).not.toMatch(/^(?:body-parser|mime-db|lmdb|koffi) /m);
});
