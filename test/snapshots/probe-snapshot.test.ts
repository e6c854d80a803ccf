/** What is asked of a snapshot before it is served: a sound one passes, and each wrong answer is found. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ExpectedError } from '../../src/expected-error.js';
import { type Service, service } from '../../src/service/service.js';
import { probeSnapshot } from '../../src/snapshots/probe-snapshot.js';
import { openSnapshot, type Snapshot } from '../../src/store/snapshot.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { seededRelease } from '../fixtures/seeded-release.js';

const fixtures: FixtureSnapshot[] = [];
let snapshot: Snapshot;
beforeAll(async () => {
  for (const rows of [HAND_MADE_ROWS, seededRelease(5)]) fixtures.push(await buildFixtureSnapshot(rows));
  snapshot = openSnapshot((fixtures[0] as FixtureSnapshot).path);
});
afterAll(() => {
  for (const fixture of fixtures) fixture.cleanup();
});

test('sound snapshots answer', async () => {
  for (const { path } of fixtures) await probeSnapshot(openSnapshot(path), service);
});

test.each(Object.keys(service) as (keyof Service)[])('a snapshot that does not answer %s is refused', async (name) => {
  const broken = {
    ...service,
    [name]: () => {
      throw new RangeError('offset out of bounds');
    },
  };
  await expect(probeSnapshot(snapshot, broken)).rejects.toThrow(ExpectedError);
  await expect(probeSnapshot(snapshot, broken)).rejects.toThrow(new RegExp(`^${name} of .*: offset out of bounds$`));
});

test.each([
  ['getCountry', '{"code":"XX"}'],
  ['resolvePath', '{"id":"another"}'],
  ['findPostcode', '{"places":[]}'],
  ['autocomplete', '[]'],
  ['reverse', '{"distanceKm":81}'],
  ['getPlace', '{"childCount":'],
  ['checkPostcode', '{"match":"normalised"}'],
  ['listPostcodes', '{"items":[]}'],
  ['nearby', '[]'],
  ['distance', '{"distanceKm":1}'],
] as const)('a wrong answer of %s is found', async (name, json) => {
  const wrong = { ...service, [name]: () => json };
  await expect(probeSnapshot(snapshot, wrong)).rejects.toThrow(new RegExp(`^${name} of `));
});
