/** The secret of a fresh checkout's site: made once, whichever program starts first. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { provideSiteSecret } from '../../demo/site-secret.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder.remove());

test('it is made once, in a file for nobody else', () => {
  const keys = join(folder.path, 'keys');
  const secret = provideSiteSecret(keys);
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(provideSiteSecret(keys)).toBe(secret);
  expect(readdirSync(keys)).toEqual(['site-secret']);
  expect(statSync(join(keys, 'site-secret')).mode & 0o777).toBe(0o600);
});

const PAIRS = 12;

/** A program that says that it is ready, is told a time, and from then on asks for the secret of a folder every 20 ms. */
const ASKING = `
  import { createInterface } from 'node:readline';
  const { provideSiteSecret } = await import(process.argv[1]);
  console.log('ready');
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const start = Number((await lines.next()).value);
  for (let pair = 0; pair < ${PAIRS}; pair++) {
    while (Date.now() < start + 20 * pair);
    try {
      console.log(provideSiteSecret(process.argv[2] + pair));
    } catch (error) {
      console.log(error.message);
    }
  }
  process.exit();
`;

test('two programs that start at once use the same one, and leave nothing else', async () => {
  const module = pathToFileURL(join(import.meta.dirname, '../../dist/demo/site-secret.js')).href;
  const programs = [1, 2].map(() =>
    spawn(process.execPath, ['--input-type=module', '-e', ASKING, module, join(folder.path, 'keys')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  await Promise.all(programs.map(({ stdout }) => once(stdout, 'readable')));
  const start = Date.now() + 20;
  for (const { stdin } of programs) stdin.write(`${start}\n`);
  const [one = '', two] = await Promise.all(programs.map(({ stdout }) => text(stdout)));
  expect(two).toBe(one);
  expect(one).toMatch(new RegExp(`^ready\\n(?:[\\w-]{43}\\n){${PAIRS}}$`));
  for (let pair = 0; pair < PAIRS; pair++)
    expect(readdirSync(join(folder.path, `keys${pair}`))).toEqual(['site-secret']);
});
