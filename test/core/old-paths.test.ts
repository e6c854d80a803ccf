/** The table of old paths: a round trip beside a plain Map, its bytes, and damaged tables. */

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { buildOldPaths, type OldPath } from '../../build-index/structures/build-place-tree.js';
import { decodeOldPaths, digestPath, findByOldPath, type OldPaths } from '../../src/core/snapshot/path-trie.js';
import type { PlaceTree } from '../../src/core/snapshot/place-tree.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';

const PLACE_COUNT = 1000;
const tree = { placeCount: PLACE_COUNT } as PlaceTree;

function encode(list: readonly OldPath[]): Uint8Array {
  // The bytes of a slice start at a multiple of 64 of their buffer.
  return Uint8Array.from(Buffer.concat(buildOldPaths(list)));
}

const find = (oldPaths: OldPaths, path: string) => findByOldPath({ oldPaths, tree }, path.slice(1).split('/'));

const slugs = fc.string({ unit: fc.constantFrom(...'ab0-'), minLength: 1, maxLength: 3 });
const paths = fc.array(slugs, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`);

test('every path finds its place, and no other path finds any', () => {
  fc.assert(
    fc.property(fc.uniqueArray(paths, { maxLength: 60 }), fc.array(paths, { maxLength: 60 }), (old, others) => {
      const places = new Map(old.map((path, index) => [path, (index * 17) % PLACE_COUNT]));
      const oldPaths = decodeOldPaths(encode([...places].map(([path, place]) => ({ path, place }))), 'old-paths');
      for (const path of [...old, ...others]) expect(find(oldPaths, path)).toBe(places.get(path));
    }),
    { seed: 20260330, numRuns: 60, examples: [[[], ['/a']]] },
  );
});

test('golden bytes', () => {
  const list = ['/mazovia', '/canillo', '/mazovia/warszawa'].map((path, place) => ({ path, place }));
  expect(Buffer.from(encode(list)).toString('hex')).toBe(
    [
      ...['02000000', '00000000', '1800000000000000', '0c00000000000000'],
      // The SHA-1 of the third path starts with 0e1c300d7f3aef4e, of the second with 85612437…, of the first 89564f0e….
      ...['0d301c0e', '4eef3a7f', '37246185', 'f2c40b4d', '0e4f5689', '8ed8e696'],
      ...['02000000', '01000000', '00000000', '00000000'],
    ].join(''),
  );
  expect(digestPath('/mazovia')).toEqual([0x89564f0e, 0x96e6d88e]);
});

test('the order of the list changes nothing', () => {
  const list = Array.from({ length: 200 }, (_, place) => ({ path: `/a/${place}`, place }));
  expect(encode(list.toReversed())).toEqual(encode(list));
});

test('a table with a digest too many is refused', () => {
  const bytes = encode([{ path: '/a', place: 1 }]);
  // Two places of one digest.
  new DataView(bytes.buffer).setBigUint64(16, 8n, true);
  expect(() => decodeOldPaths(bytes, 'old-paths of PL')).toThrow(SnapshotError);
});

test('a place that is not there, and digests in disorder, are nowhere', () => {
  const list = Array.from({ length: 50 }, (_, place) => ({ path: `/${place}`, place }));
  const damaged = decodeOldPaths(encode(list), 'old-paths');
  damaged.places.fill(PLACE_COUNT, 0, 25).fill(0xffffffff, 25);
  for (const { path } of list) expect(find(damaged, path)).toBeUndefined();
  damaged.places.fill(7);
  for (const value of [0, 0xffffffff]) {
    damaged.digests.fill(value);
    for (const { path } of list) expect(find(damaged, path)).toBeUndefined();
  }
});
