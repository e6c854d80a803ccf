/** What `pack` extracts from the world is, to the byte, what a build of the same countries from the release gives. */

import { execFile } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { packSnapshot } from '../../build-index/building/pack-snapshot.js';
import { STARTER_COUNTRIES } from '../../src/releases/packaged/packaged-release.js';
import { poolHere } from '../fixtures/pool-here.js';
import { silentProgress } from '../fixtures/silent-progress.js';
import {
  buildsFolder,
  builtFolder,
  countriesWithData,
  openWithCities,
  printFigures,
  releaseFolder,
  sha256Of,
} from './world.js';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'dist/cli/main.js');
const run = promisify(execFile);
const inFolder = (name: string): string => join(buildsFolder(), 'packing', name);
const world = (): string => join(buildsFolder(), '2026-03-cities.snapshot');

beforeAll(() => void mkdirSync(inFolder(''), { recursive: true }));
afterAll(() => rmSync(inFolder(''), { recursive: true }));

async function pack(countries: readonly string[]) {
  const options = { source: world(), outPath: inFolder('packed.snapshot'), countries };
  return await packSnapshot(options, poolHere, silentProgress);
}

test.each([
  ['Germany, Austria and Switzerland', ['DE', 'AT', 'CH']],
  ['the countries of the starter data', STARTER_COUNTRIES],
])('%s', async (_, countries) => {
  const { seconds, fileBytes } = await pack(countries.toReversed());
  const release = builtFolder('2026-03');
  const gazetteer = join(dirname(releaseFolder('2026-03')), 'gazetteer/cities500.zip');
  const options = ['--gazetteer', gazetteer, '--countries', countries.join()];
  await run(process.execPath, [PROGRAM, 'build', release, ...options, '--out', inFolder('built.snapshot'), '--json'], {
    maxBuffer: 1 << 26,
  });
  expect(await sha256Of(inFolder('packed.snapshot'))).toBe(await sha256Of(inFolder('built.snapshot')));
  printFigures(`pack: ${countries.length} countries, ${(fileBytes / 1e6).toFixed(0)} MB, ${seconds.toFixed(1)} s`);
});

test('all countries: the same file', async () => {
  const snapshot = openWithCities();
  const { seconds } = await pack(countriesWithData(snapshot).map(({ code }) => code));
  expect(await sha256Of(inFolder('packed.snapshot'))).toBe(await sha256Of(world()));
  printFigures(`pack: all countries, ${seconds.toFixed(1)} s`);
});
