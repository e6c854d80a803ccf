/** Reading a file against its checksums on a thread: of the compiled program, since a thread is a file of its own. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { checkSnapshotFile as Check } from '../../src/releases/integrity-check.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';

const never = new AbortController().signal;
let check: typeof Check;
let fixture: FixtureSnapshot;
beforeAll(async () => {
  ({ checkSnapshotFile: check } = await import(
    join(import.meta.dirname, '../../dist/src/releases/integrity-check.js')
  ));
  fixture = await buildFixtureSnapshot(HAND_MADE_ROWS, { releaseName: 'one' });
});
afterAll(() => fixture?.cleanup());

test('an undamaged file has the release and id of its manifest', async () => {
  expect(await check(fixture.path, never)).toEqual({ release: 'one', id: expect.stringMatching(/^[0-9a-f]{16}$/) });
});

test('a changed byte is found', async () => {
  const bytes = readFileSync(fixture.path);
  // Of the first section, behind the header's page.
  bytes.writeUInt8(bytes.readUInt8(5000) ^ 1, 5000);
  const damaged = `${fixture.path}.damaged`;
  writeFileSync(damaged, bytes);
  await expect(check(damaged, never)).rejects.toThrow(/checksum/);
});

test('an aborted check ends', async () => {
  const stopping = new AbortController();
  const checking = check(fixture.path, stopping.signal);
  stopping.abort();
  await expect(checking).rejects.toThrow(/^the check ended/);
});
