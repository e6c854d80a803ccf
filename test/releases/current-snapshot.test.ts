/** The snapshot that is served, and how another takes its place. */

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ExpectedError } from '../../src/base/errors.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import { service } from '../../src/core/use-cases/service.js';
import { openCurrentSnapshot } from '../../src/releases/current-snapshot.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';

let one: FixtureSnapshot;
let two: FixtureSnapshot;
beforeAll(async () => {
  one = await buildFixtureSnapshot(HAND_MADE_ROWS, { releaseName: 'one' });
  two = await buildFixtureSnapshot(HAND_MADE_ROWS, { releaseName: 'two' });
});
afterAll(() => {
  one?.cleanup();
  two?.cleanup();
});

test('another file is served after serve(), and a request keeps its snapshot', async () => {
  const live = await openCurrentSnapshot(one.path, service);
  const taken = live.current();
  const serving = live.serve(two.path);
  expect(live.current().release).toBe('one');
  await serving;
  expect([live.current().release, taken.release]).toEqual(['two', 'one']);
});

test('a file that cannot be opened, or fails the probe, is not served', async () => {
  const broken = `${two.path}.broken`;
  writeFileSync(broken, 'no snapshot');
  const live = await openCurrentSnapshot(one.path, service);
  await expect(live.serve(broken)).rejects.toThrow(SnapshotError);
  await expect(openCurrentSnapshot(one.path, { ...service, autocomplete: () => '[]' })).rejects.toThrow(ExpectedError);
  expect(live.current().release).toBe('one');
});

test('a snapshot is prepared before it is served, and not served if that fails', async () => {
  const prepared: string[] = [];
  const live = await openCurrentSnapshot(one.path, service, {
    *prepare({ release }) {
      yield;
      if (prepared.length === 2) throw new ExpectedError('cannot be prepared');
      prepared.push(release);
    },
  });
  expect(prepared).toEqual(['one']);
  const serving = live.serve(two.path).then(() => live.current().release);
  expect(live.current().release).toBe('one');
  expect([await serving, prepared]).toEqual(['two', ['one', 'two']]);
  await expect(live.serve(one.path)).rejects.toThrow('cannot be prepared');
  expect(live.current().release).toBe('two');
});
