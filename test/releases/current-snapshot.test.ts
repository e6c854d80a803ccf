/** The snapshot that is served: how another takes its place, what is asked of it before, and the check of its file. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { askExamples } from '../../src/api/description/ask-examples.js';
import { ExpectedError } from '../../src/base/errors.js';
import { ProbeError, SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import type { checkIntegrity as Check } from '../../src/releases/checking/integrity-check.js';
import { openCurrentSnapshot } from '../../src/releases/served/current-snapshot.js';
import { damageStructure } from '../fixtures/damage.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS, type RowsByCountry } from '../fixtures/hand-made-release.js';
import { silentLogger } from '../fixtures/recording-logger.js';
import { seededRelease } from '../fixtures/seeded-release.js';

const BERLIN: RowsByCountry = { DE: [['10115', 'Berlin', 'Berlin', '', '', 52.5323, 13.3846]] };

const fixtures: FixtureSnapshot[] = [];
let one: string;
let two: string;
beforeAll(async () => {
  const build = async (rows: RowsByCountry, releaseName: string): Promise<string> => {
    const fixture = await buildFixtureSnapshot(rows, { releaseName });
    fixtures.push(fixture);
    return fixture.path;
  };
  one = await build(HAND_MADE_ROWS, 'one');
  two = await build(BERLIN, 'two');
  await build(seededRelease(5), 'seeded');
});
afterAll(() => {
  for (const fixture of fixtures) fixture.cleanup();
});

/** A copy of `two` with other bytes. */
function written(name: string, bytes: Uint8Array | string): string {
  const path = `${two}.${name}`;
  writeFileSync(path, bytes);
  return path;
}

const openCurrent = (path: string) => openCurrentSnapshot(path, askExamples, silentLogger);

describe('the current snapshot', () => {
  test('another file is served after serve(), and a request keeps its snapshot', async () => {
    const live = await openCurrent(one);
    const taken = live.current();
    const serving = live.serve(two);
    expect(live.current().release).toBe('one');
    await serving;
    expect([live.current().release, taken.release]).toEqual(['two', 'one']);
  });

  test('a file that cannot be opened, or whose answers are no JSON, is not served', async () => {
    const live = await openCurrent(one);
    await expect(live.serve(written('broken', 'no snapshot'))).rejects.toThrow(SnapshotError);
    const damaged = damageStructure(readFileSync(two), 'place-answers', 'DE', ({ text }) => text.fill(0x7b));
    const refused = live.serve(written('damaged', damaged));
    await expect(refused).rejects.toThrow(ProbeError);
    await expect(refused).rejects.toThrow(/^listPlaces: STRUCTURE_INVALID: .* JSON, found other characters/);
    expect(live.current().release).toBe('one');
  });

  test('whole snapshots are served, with Germany and without it', async () => {
    for (const { path } of fixtures) expect((await openCurrent(path)).current().countries.length).toBeGreaterThan(0);
  });

  test('a snapshot is prepared before it is served, and not served if that fails', async () => {
    const prepared: string[] = [];
    const live = await openCurrentSnapshot(
      one,
      function* ({ release }) {
        yield;
        if (prepared.length === 2) throw new ExpectedError('cannot be prepared');
        prepared.push(release);
      },
      silentLogger,
    );
    expect(prepared).toEqual(['one']);
    const serving = live.serve(two).then(() => live.current().release);
    expect(live.current().release).toBe('one');
    expect([await serving, prepared]).toEqual(['two', ['one', 'two']]);
    await expect(live.serve(one)).rejects.toThrow('cannot be prepared');
    expect(live.current().release).toBe('two');
  });
});

describe('the check of a file on a thread', () => {
  const never = new AbortController().signal;
  let check: typeof Check;
  beforeAll(async () => {
    ({ checkIntegrity: check } = await import(
      join(import.meta.dirname, '../../dist/src/releases/checking/integrity-check.js')
    ));
  });

  test('an undamaged file has the release and id of its manifest', async () => {
    expect(await check(one, never)).toEqual({ release: 'one', id: expect.stringMatching(/^[0-9a-f]{16}$/) });
  });

  test('a changed byte is found', async () => {
    const bytes = readFileSync(one);
    // Of the first section, behind the header's page.
    bytes.writeUInt8(bytes.readUInt8(5000) ^ 1, 5000);
    await expect(check(written('flipped', bytes), never)).rejects.toThrow(/checksum/);
  });

  test('an aborted check ends', async () => {
    const stopping = new AbortController();
    const checking = check(one, stopping.signal);
    stopping.abort();
    await expect(checking).rejects.toThrow(/^the check ended/);
  });
});
