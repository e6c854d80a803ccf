/** The snapshot that is served: how another takes its place, what is asked of it before, and the check of its file. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { askExamples } from '../../src/api/description/ask-examples.js';
import { ExpectedError } from '../../src/base/errors.js';
import { ID_TEXT_LENGTH } from '../../src/core/snapshot/place-id.js';
import { ProbeError, SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import type { checkIntegrity as Check } from '../../src/releases/checking/integrity-check.js';
import { openCurrentSnapshot } from '../../src/releases/served/current-snapshot.js';
import { damageStructure } from '../fixtures/damage.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS, type RowsByCountry } from '../fixtures/hand-made-release.js';
import { silentLogger } from '../fixtures/recording-logger.js';
import { seededRelease } from '../fixtures/seeded-release.js';

const BERLIN: RowsByCountry = { DE: [['10115', 'Berlin', 'Berlin', '', '', 52.5323, 13.3846]] };

const DUTCH: RowsByCountry = {
  NL: [
    ['1011', 'Amsterdam', 'Noord-Holland', '', '', 52.3728, 4.9],
    ['1012', 'Amsterdam', 'Noord-Holland', '', '', 52.373, 4.8936],
    ['1013', 'Amsterdam', 'Noord-Holland', '', '', 52.39, 4.88],
  ],
};

/** A name that is too short to be searched for, and behind it a recipient, which many answers leave out. */
const FRENCH: RowsByCountry = {
  FR: [
    ['80190', 'Y', 'Hauts-de-France', '', '', 49.8033, 2.9908],
    ['80191 CEDEX', 'Z CEDEX', 'Hauts-de-France', '', '', 49.8033, 2.9908],
  ],
};

const fixtures: FixtureSnapshot[] = [];
let one: string;
let two: string;
let dutch: string;
beforeAll(async () => {
  const build = async (rows: RowsByCountry, releaseName: string): Promise<string> => {
    const fixture = await buildFixtureSnapshot(rows, { releaseName });
    fixtures.push(fixture);
    return fixture.path;
  };
  one = await build(HAND_MADE_ROWS, 'one');
  two = await build(BERLIN, 'two');
  dutch = await build(DUTCH, 'dutch');
  await build(FRENCH, 'french');
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
    await expect(refused).rejects.toThrow(/^the first place of DE: STRUCTURE_INVALID: .* JSON, found other characters/);
    expect(live.current().release).toBe('one');
  });

  const damage = (change: (arrays: { text: Uint8Array; offsets: Uint32Array; places: Uint32Array }) => void) => change;
  const ID = '{"id":"'.length;
  test.each([
    [
      'the end of whose answers is no JSON',
      'place-answers',
      damage(({ text, offsets }) => text.fill(0x7b, offsets.at(-2))),
      /^distance: No place in NL uses the postcode/,
    ],
    [
      'whose last answer has the id of no place',
      'place-answers',
      damage(({ text, offsets }) => text.fill(0x30, (offsets.at(-2) ?? 0) + ID, (offsets.at(-2) ?? 0) + ID + 8)),
      /^getPlace: There is no place with the id 00000000-/,
    ],
    [
      "whose last two answers have each other's id",
      'place-answers',
      damage(({ text, offsets }) => {
        const [before, last] = [-3, -2].map((at) => (offsets.at(at) ?? 0) + ID) as [number, number];
        const id = text.slice(before, before + ID_TEXT_LENGTH);
        text.copyWithin(before, last, last + ID_TEXT_LENGTH);
        text.set(id, last);
      }),
      /^getPlace: the answer to .* does not have "/,
    ],
    [
      'whose codes lead to other places',
      'postcode-index',
      damage(({ places }) => places.fill(0)),
      /^listPostcodes: finds nothing for/,
    ],
  ] as const)('a file of the Netherlands alone, %s, is not served', async (_, section, change, message) => {
    const live = await openCurrent(dutch);
    const damaged = damageStructure(readFileSync(dutch), section, 'NL', (arrays) =>
      change(arrays as unknown as Parameters<typeof change>[0]),
    );
    const refused = live.serve(written('damaged', damaged));
    await expect(refused).rejects.toThrow(ProbeError);
    await expect(refused).rejects.toThrow(message);
    expect(live.current().release).toBe('dutch');
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
