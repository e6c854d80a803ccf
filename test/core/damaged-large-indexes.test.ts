/**
 * Damage in structures that only large countries have: precomputed ranks of long ranges, and inner nodes of the k-d
 * tree.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createBuilderPool } from '../../build-index/tasks/builder-pool.js';
import { verifySnapshot } from '../../build-index/verifying/verify-snapshot.js';
import type { SectionName } from '../../src/core/snapshot/header.js';
import { NO_RANK } from '../../src/core/snapshot/name-index.js';
import { decodeSnapshot } from '../../src/core/snapshot/snapshot.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import { damageStructure } from '../fixtures/damage.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../fixtures/fixture-snapshot.js';
import { seededRelease } from '../fixtures/seeded-release.js';
import { silentProgress } from '../fixtures/silent-progress.js';
import { type Call, findFaults, listCalls } from './endpoint-calls.js';

type Arrays = Record<string, Uint32Array | Float64Array>;

let fixture: FixtureSnapshot;
let bytes: Uint8Array;
let calls: readonly Call[];
beforeAll(async () => {
  fixture = await buildFixtureSnapshot({ DE: (seededRelease(6).DE ?? []).slice(0, 800) });
  bytes = readFileSync(fixture.path);
  calls = listCalls(decodeSnapshot(bytes, false), 4).flat();
});
afterAll(() => fixture?.cleanup());

function swap(array: Uint32Array | Float64Array, a: number, b: number, width = 1): void {
  const first = array.slice(a * width, (a + 1) * width);
  array.copyWithin(a * width, b * width, (b + 1) * width);
  array.set(first, b * width);
}

test.each<[string, SectionName, (arrays: Arrays) => void]>([
  ['a precomputed rank of no place', 'name-index', ({ topRanks }) => topRanks?.set([NO_RANK - 1], 0)],
  ['the end of a long range', 'name-index', ({ topRanges }) => topRanges?.set([(topRanges[1] as number) - 1], 1)],
  ['the slot of a long range', 'name-index', ({ topSlots }) => topSlots?.fill(0)],
  ['a slot of no range', 'name-index', ({ topSlots }) => topSlots?.fill(0xffffffff)],
  [
    'two points on the wrong sides',
    'point-index',
    ({ places, coords }) => {
      swap(places as Uint32Array, 0, (places as Uint32Array).length - 1);
      swap(coords as Float64Array, 0, (places as Uint32Array).length - 1, 2);
    },
  ],
  ['a point of another place', 'point-index', ({ places }) => swap(places as Uint32Array, 3, 4)],
  ['longitude for latitude', 'point-index', ({ coords }) => swap(coords as Float64Array, 0, 1)],
  ['a point nowhere', 'point-index', ({ coords }) => coords?.set([Number.NaN], 400)],
  ['two entries in disorder', 'name-index', ({ entryNames }) => swap(entryNames as Uint32Array, 100, 101)],
  [
    'a name that ends far behind all names',
    'name-index',
    ({ nameOffsets }) => nameOffsets?.set([0xffffffff], nameOffsets.length - 2),
  ],
  [
    'a name with the places of all others',
    'name-index',
    ({ rankStarts, ranks }) => rankStarts?.fill(ranks?.length ?? 0, 1),
  ],
  [
    'a unit whose text ends far behind all texts',
    'place-contexts',
    ({ textStarts }) => textStarts?.set([0xffffffff], textStarts.length - 2),
  ],
  ['two slots changed round', 'id-index', ({ slots }) => slots?.reverse()],
  [
    'a code before its time',
    'postcode-index',
    ({ placeStarts }) => placeStarts?.set([(placeStarts[5] as number) + 1], 5),
  ],
])('%s', async (_, name, change) => {
  const damaged = damageStructure(bytes, name, 'DE', (arrays) => change(arrays as unknown as Arrays));
  expect(Buffer.compare(damaged, bytes)).not.toBe(0);
  writeFileSync(fixture.path, damaged);
  const outcome = await verifySnapshot(fixture.path, createBuilderPool(0), silentProgress).then(
    () => 'sound',
    (error) => (error instanceof SnapshotError ? error.code : error),
  );
  expect(outcome).toBe('STRUCTURE_INVALID');
  expect(findFaults(decodeSnapshot(damaged, false), calls)).toEqual([]);
});
