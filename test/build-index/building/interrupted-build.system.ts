/** A build killed at any moment leaves the earlier snapshot unchanged; the next build removes its temporary files. */

import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { libc } from '../../../src/base/libc.js';
import { openSnapshot } from '../../../src/core/snapshot/snapshot.js';
import {
  buildFrom,
  createTemporaryFolder,
  type TemporaryFolder,
  writeRelease,
} from '../../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../../fixtures/hand-made-release.js';
import { killBuilds, writeKillableReleases } from '../../fixtures/kills.js';
import { runProgram, startProgram } from '../../fixtures/program.js';
import { waitUntil } from '../../fixtures/wait-until.js';

let folder: TemporaryFolder;
let out: string;
let outPath: string;
beforeAll(() => {
  folder = createTemporaryFolder();
  out = join(folder.path, 'out');
  outPath = join(out, 'places.snapshot');
  writeRelease(join(folder.path, 'small'), { AD: HAND_MADE_ROWS.AD ?? [] });
  writeKillableReleases(folder.path);
});
beforeEach(() => {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
});
afterAll(() => folder?.remove());

/** More of them, and at other moments, in kills.soak.ts. */
const KILLS = Number(process.env.KILLED_BUILDS ?? 2);
const SEED = Number(process.env.SOAK_SEED ?? 99);

test.each(['countries', 'all'])(
  'killed at seeded moments, building %s',
  async (release) => {
    await buildFrom(join(folder.path, 'small'), outPath);
    const landings = await killBuilds(join(folder.path, release), out, KILLS, SEED);
    expect(Object.values(landings).reduce((sum, count) => sum + count)).toBe(KILLS);
    expect(runProgram(['build', join(folder.path, release), '--out', outPath]).exitCode).toBe(0);
    expect(openSnapshot(outPath).countries.filter(({ structures }) => structures !== undefined)).toHaveLength(3);
    expect(readdirSync(out)).toEqual(['places.snapshot']);
  },
  3_600_000,
);

const STALE = '.places.snapshot.0123456789ab.partial';

test('removes the partial file of a build that has ended, and leaves those of others', async () => {
  const atWork = '.places.snapshot.ba9876543210.partial';
  const others = ['.other.snapshot.0123456789ab.partial', '.places.snapshot.1.partial', atWork];
  for (const name of [...others, STALE]) writeFileSync(join(out, name), 'left behind');
  mkdirSync(join(out, `${atWork}.countries`));
  const fd = openSync(join(out, atWork), 'r');
  try {
    expect(libc()?.tryLock(fd, 'shared')).toBe('taken');
    await buildFrom(join(folder.path, 'small'), outPath);
    expect(readdirSync(out).sort()).toEqual([...others, `${atWork}.countries`, 'places.snapshot'].sort());
  } finally {
    closeSync(fd);
  }
});

test.each([true, false])(
  'removes the countries of a killed build of allCountries; their file there: %s',
  async (isThere) => {
    mkdirSync(join(out, `${STALE}.countries`));
    writeFileSync(join(out, `${STALE}.countries`, 'DE.txt'), 'left behind');
    if (isThere) writeFileSync(join(out, STALE), 'left behind');
    await buildFrom(join(folder.path, 'small'), outPath);
    expect(readdirSync(out)).toEqual(['places.snapshot']);
  },
);

test('a build that is interrupted leaves nothing behind', async () => {
  const program = startProgram(['build', join(folder.path, 'all'), '--out', outPath]);
  const ended = once(program, 'exit');
  await waitUntil('the first file', () => readdirSync(out).some((name) => name.endsWith('.countries')), { everyMs: 5 });
  program.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(readdirSync(out)).toEqual([]);
});
