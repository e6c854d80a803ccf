/** The snapshot that is served and the one that may follow it. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SnapshotError } from '../../src/format/snapshot-error.js';
import { openLiveSnapshot } from '../../src/releases/live-snapshot.js';
import { ProbeError } from '../../src/releases/probing.js';
import { service } from '../../src/service/service.js';
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

test('what was prepared is served once it is committed', async () => {
  const live = await openLiveSnapshot(one.path, service);
  const taken = live.current();
  await live.prepare(two.path);
  expect(live.current().release).toBe('one');
  live.commit();
  expect(live.current().release).toBe('two');
  expect(taken.release).toBe('one');
});

test('what was discarded is not served, and there is nothing to commit any more', async () => {
  const live = await openLiveSnapshot(one.path, service);
  expect(() => live.commit()).toThrow('no snapshot was prepared');
  await live.prepare(two.path);
  live.discard();
  expect(() => live.commit()).toThrow('no snapshot was prepared');
  expect(live.current().release).toBe('one');
});

test('what cannot be opened, or does not answer, is not served', async () => {
  const broken = `${two.path}.broken`;
  writeFileSync(broken, 'no snapshot');
  const live = await openLiveSnapshot(one.path, service);
  await live.prepare(two.path);
  await expect(live.prepare(broken)).rejects.toThrow(SnapshotError);
  expect(() => live.commit()).toThrow('no snapshot was prepared');
  await expect(openLiveSnapshot(one.path, { ...service, autocomplete: () => ['[]'] })).rejects.toThrow(ProbeError);
  expect(live.current().release).toBe('one');
});
