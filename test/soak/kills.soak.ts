/**
 * Builds and publishers killed at a hundred seeded moments each: whatever the moment, what was there stays whole, and
 * the next run leaves nothing of theirs behind. Most of it is starting processes: half an hour on a busy machine.
 * SOAK_SEED chooses other moments. Where the kills landed is printed.
 */

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { publishedChangesName } from '../../src/releases/folder/published-name.js';
import { buildFrom, createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { expectWhole, killBuilds, killPublishers, type Landings, writeKillableReleases } from '../fixtures/kills.js';
import { runProgram } from '../fixtures/program.js';

const SEED = Number(process.env.SOAK_SEED ?? 20_240_229);
const KILLS = 100;

let folder: TemporaryFolder;
const inFolder = (...names: string[]): string => join(folder.path, ...names);
beforeAll(() => {
  folder = createTemporaryFolder();
  writeKillableReleases(folder.path);
});
afterAll(() => folder?.remove());

function expectCount(landings: Landings, kills: number, title: string): void {
  process.stdout.write(`${title}, seed ${SEED}: ${JSON.stringify(landings)}\n`);
  expect(Object.values(landings).reduce((sum, count) => sum + count)).toBe(kills);
}

test.each(['countries', 'all'])(
  'killed builds of %s',
  async (release) => {
    const out = inFolder(`out-${release}`);
    mkdirSync(out);
    const outPath = join(out, 'places.snapshot');
    await buildFrom(inFolder(release), outPath, { countries: ['DE'] });
    expectCount(await killBuilds(inFolder(release), out, KILLS / 2, SEED), KILLS / 2, `builds of ${release}`);
    expect(runProgram(['build', inFolder(release), '--out', outPath])).toMatchObject({ exitCode: 0 });
    expect(readdirSync(out)).toEqual(['places.snapshot']);
  },
  3_600_000,
);

test('killed publishers', async () => {
  const sources = [inFolder('one.snapshot'), inFolder('two.snapshot')] as const;
  for (const [index, source] of sources.entries()) {
    await buildFrom(inFolder('countries'), source, { countries: ['RU'], releaseName: `2026-0${index + 1}` });
  }
  const published = inFolder('published');
  const landings = await killPublishers(sources, published, KILLS, SEED);
  expectCount(landings, KILLS, 'publishers');
  expect(runProgram(['publish', sources[0], '--to', published])).toMatchObject({ exitCode: 0 });
  await expectWhole(published);
  const files = readdirSync(published);
  const snapshots = files.filter((name) => name.endsWith('.snapshot'));
  const left = files.filter((name) => !snapshots.includes(name) && !snapshots.map(publishedChangesName).includes(name));
  expect(left.sort()).toEqual(['.lock', 'current', 'history.json']);
}, 3_600_000);
