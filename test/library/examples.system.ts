/** The examples of docs/in-your-program.md, each run as a file in a folder where the package is installed. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/base/package-root.js';
import { flipCurrent } from '../../src/releases/folder/published-folder.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';

const TEXT = readFileSync(join(packageRoot(), 'docs/in-your-program.md'), 'utf8');
/** The code of each example by the file that its first line names. */
const EXAMPLES = new Map(
  [...TEXT.matchAll(/```js\n\/\/ (\S+)\n(.*?)```/gs)].map(([, file = '', code = '']) => [file, code]),
);

let snapshot: FixtureSnapshot;
let folder: string;
beforeAll(async () => {
  snapshot = await buildFixtureSnapshot({
    AT: [['1010', 'Wien', 'Wien', '', '', 48.2077, 16.3705]],
    DE: [
      ['10115', 'Berlin', 'Berlin', '', '', 52.5323, 13.3846],
      ['80331', 'München', 'Bayern', '', '', 48.1345, 11.571],
    ],
  });
  folder = dirname(snapshot.path);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(packageRoot(), join(folder, 'node_modules/postal-places'), 'dir');
  symlinkSync(snapshot.path, join(folder, 'world.snapshot'));
  mkdirSync(join(folder, 'snapshots'));
  symlinkSync(snapshot.path, join(folder, 'snapshots/fixture-0000000000000001.snapshot'));
  flipCurrent(join(folder, 'snapshots'), 'fixture-0000000000000001.snapshot');
  for (const [file, code] of EXAMPLES) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), code);
  }
});
afterAll(() => snapshot?.cleanup());

/** What a program of the folder prints; it must end by itself. */
function run(...args: readonly string[]): string {
  const env = { ...process.env, SNAPSHOT: 'world.snapshot' };
  return execFileSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8', timeout: 60_000 });
}

test('every block of code names its file', () => {
  expect(EXAMPLES.size).toBe(TEXT.split('```js').length - 1);
});

test('a script', () => {
  expect(run('script.mjs')).toBe("[ [ 'Berlin', 52.5323, 13.3846 ] ]\nMünchen, Germany\n");
});

test('errors', () => {
  expect(run('errors.mjs')).toBe('limit must be an integer from 1 to 25; got "100"\n');
});

test('formats', () => {
  expect(run('formats.mjs')).toBe(
    'Bayern [ 11.571, 48.1345 ]\nBerlin [ 13.3846, 52.5323 ]\n' +
      'postcode,latitude,longitude,placeCount\r\n10115,52.5323,13.3846,1\r\n\n',
  );
});

test('a watch, which does not keep its process alive', () => {
  expect(run('watch.mjs')).toBe('');
});

test('a worker thread', () => {
  expect(run('threads.mjs')).toBe('Berlin\n');
});

test('a route handler of Next.js', () => {
  const script = `
    const { GET, runtime } = await import('./app/api/postcode/route.mjs');
    const config = await import('./next.config.mjs');
    const answers = [];
    for (const query of ['country=DE&postcode=10115', 'country=DE&postcode=99999', 'country=Germany&postcode=1', 'country=DE']) {
      const response = await GET(new Request('http://localhost/api/postcode?' + query));
      const text = await response.text();
      answers.push([response.status, text && [JSON.parse(text)].flat()[0].message]);
    }
    console.log(JSON.stringify([runtime, config.default.serverExternalPackages, answers]));`;
  expect(JSON.parse(run('--input-type=module', '--eval', script))).toEqual([
    'nodejs',
    ['postal-places'],
    [
      [200, null],
      [404, ''],
      [400, expect.stringContaining('did you mean DE?')],
      [400, 'postcode is required (1 to 20 characters)'],
    ],
  ]);
});

test('a Lambda', () => {
  const script = `
    const { handler } = await import('./lambda.mjs');
    const ask = (postcode) => handler({ pathParameters: { country: 'DE', postcode } });
    const { statusCode, body } = await ask('10115');
    console.log(statusCode, JSON.parse(body).places[0].name, (await ask('99999')).statusCode);`;
  expect(run('--input-type=module', '--eval', script)).toBe('200 Berlin 404\n');
});

test('the package can be required', () => {
  expect(run('--no-warnings', '--eval', "console.log(typeof require('postal-places').open)")).toBe('function\n');
});
