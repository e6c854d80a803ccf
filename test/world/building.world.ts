/**
 * The build of a whole release is a function of the release: compiled again in another folder, with another locale and
 * time zone, it gives the same bytes, and the file stands up to `verify`.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { buildsFolder, builtFolder, printFigures, sha256Of, snapshotFile } from './world.js';

const PROGRAM = join(import.meta.dirname, '../../dist/cli/main.js');

const run = promisify(execFile);

test('the same release gives the same file, whatever the folder, the locale and the time zone', async () => {
  const folder = join(buildsFolder(), 'elsewhere', 'ännu en gång');
  mkdirSync(folder, { recursive: true });
  const again = join(folder, 'again.snapshot');
  const env = { ...process.env, LANG: 'sv_SE.UTF-8', LC_ALL: 'sv_SE.UTF-8', TZ: 'Asia/Kathmandu' };
  await run(process.execPath, [PROGRAM, 'build', builtFolder('2026-03'), '--out', again, '--json'], {
    cwd: folder,
    env,
    maxBuffer: 1 << 26,
  });
  const [first, second] = [await sha256Of(snapshotFile('2026-03')), await sha256Of(again)];
  rmSync(folder, { recursive: true });
  expect(second).toBe(first);
  printFigures(`determinism: built twice, SHA-256 ${first} both times`);
});

test('verify finds the file sound', async () => {
  const { stdout } = await run(process.execPath, [PROGRAM, 'verify', snapshotFile('2026-03')]);
  expect(stdout).toMatch(/^sound /);
  printFigures(`verify: ${stdout.slice(stdout.indexOf('sound')).trim()}`);
});
