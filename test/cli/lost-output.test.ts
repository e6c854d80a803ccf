/** Output that can't be written: every command says so in one line and fails, those with a progress display as well. */

import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/base/package-root.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';

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
