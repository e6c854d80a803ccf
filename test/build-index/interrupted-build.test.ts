/** A build that is killed, at whatever moment, leaves the earlier snapshot alone; the next one tidies up. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { openSnapshot } from '../../src/store/snapshot.js';
import { buildFrom, createTemporaryFolder, type TemporaryFolder, writeRelease } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS, lineOf } from '../fixtures/hand-made-release.js';
import { runProgram, startProgram } from '../fixtures/program.js';
import { mulberry32, seededRelease } from '../fixtures/seeded-release.js';

let folder: TemporaryFolder;
let out: string;
let outPath: string;
beforeAll(() => {
  folder = createTemporaryFolder();
  out = join(folder.path, 'out');
  outPath = join(out, 'places.snapshot');
  writeRelease(join(folder.path, 'small'), { AD: HAND_MADE_ROWS.AD ?? [] });
  const rows = seededRelease(4);
  writeRelease(join(folder.path, 'large'), rows);
  mkdirSync(join(folder.path, 'all'));
  const lines = Object.entries(rows).flatMap(([country, list]) =>
    list.map((row) => lineOf(country, row as Parameters<typeof lineOf>[1])),
  );
  writeFileSync(join(folder.path, 'all', 'allCountries.txt'), lines.join('\n'));
});
beforeEach(() => {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
});
afterAll(() => folder?.remove());

test.each(['large', 'all'])('killed at seeded moments, building %s', async (release) => {
  await buildFrom(join(folder.path, 'small'), outPath);
  const before = readFileSync(outPath);
  const random = mulberry32(99);
  let killed = 0;
  for (let attempt = 0; attempt < 4; attempt++) {
    const program = startProgram(['build', join(folder.path, release), '--out', outPath]);
    const ended = once(program, 'exit');
    // Up to when the first worker is at work, on a slow machine; on a fast one, up to verification.
    await Promise.race([wait(80 + random() * 400), ended]);
    program.kill('SIGKILL');
    const [, signal] = await ended;
    if (signal !== 'SIGKILL') continue;
    killed++;
    expect(readFileSync(outPath).equals(before)).toBe(true);
  }
  expect(killed).toBeGreaterThan(0);
  expect(runProgram(['build', join(folder.path, release), '--out', outPath]).exitCode).toBe(0);
  expect(readFileSync(outPath).equals(before)).toBe(false);
  expect(openSnapshot(outPath).countries.filter(({ structures }) => structures !== undefined)).toHaveLength(3);
  expect(readdirSync(out)).toEqual(['places.snapshot']);
});

/** The id of a process that has ended. */
function endedProcess(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

test('removes the partial file of a build that has ended, and leaves those of others', async () => {
  const pid = endedProcess();
  const others = [
    '.other.snapshot.1.partial',
    `.places.snapshot.${process.ppid}.partial`,
    '.places.snapshot.x.partial',
  ];
  for (const name of [...others, `.places.snapshot.${pid}.partial`, `.places.snapshot.${process.pid}.partial`]) {
    writeFileSync(join(out, name), 'left behind');
  }
  await buildFrom(join(folder.path, 'small'), outPath);
  expect(readdirSync(out).sort()).toEqual([...others, 'places.snapshot'].sort());
});

test('removes the folder of countries that a killed build of allCountries left behind', async () => {
  const leftBehind = join(out, `.places.snapshot.${endedProcess()}.partial.countries`);
  mkdirSync(leftBehind);
  writeFileSync(join(leftBehind, 'DE.txt'), 'left behind');
  await buildFrom(join(folder.path, 'small'), outPath);
  expect(readdirSync(out).filter((name) => name.includes('countries'))).toEqual([]);
});

test('is not stopped by such a folder of a process with its own id, as in a container', async () => {
  const leftBehind = join(out, `.places.snapshot.${process.pid}.partial.countries`);
  mkdirSync(leftBehind);
  writeFileSync(join(leftBehind, 'DE.txt'), lineOf('DE', ['00000', 'Left behind', '', '', '', 0, 0]));
  const { tally } = await buildFrom(join(folder.path, 'all'), outPath);
  expect(tally.rowsRead).toBe(3000);
});
