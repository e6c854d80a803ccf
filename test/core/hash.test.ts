/** Hash tables: every entry is found, nothing else is, whatever the hashes, and damaged tables end all the same. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { buildSlots, checkSlotCount, hashBytes, probeSlots, slotCountFor } from '../../src/core/snapshot/hash-table.js';
import { hashRange } from '../../src/core/snapshot/name-index.js';
import { createIds, hashPlaceId, setIds } from '../../src/core/snapshot/place-id.js';
import { hashPostcode } from '../../src/core/snapshot/postcode-index.js';

function find(slots: Uint32Array, hash: number, isSought: (entry: number) => boolean): number | undefined {
  let found: number | undefined;
  probeSlots(slots, hash, (entry) => {
    if (isSought(entry)) found = entry;
    return found !== undefined;
  });
  return found;
}

test('every key is found under its hash, and no other', () => {
  // Few distinct hashes: long runs of neighbours, and runs around the end of the table.
  const hashes = fc.array(fc.oneof(fc.nat(5), fc.constantFrom(0xffffffff, 0xfffffffe, 0x80000000), fc.nat(0xffffffff)));
  fc.assert(
    fc.property(hashes, (list) => {
      const slots = buildSlots(list.length, (entry) => list[entry] as number);
      expect(slots).toHaveLength(slotCountFor(list.length));
      expect(slots.filter((slot) => slot !== 0)).toHaveLength(list.length);
      list.forEach((hash, entry) => {
        expect(find(slots, hash, (candidate) => candidate === entry)).toBe(entry);
      });
      expect(find(slots, 3, () => false)).toBeUndefined();
    }),
    { seed: 20260330, numRuns: 300 },
  );
});

test.each([
  [0, 2],
  [1, 2],
  [2, 4],
  [3, 8],
  [4, 8],
  [5, 16],
  [1_000_000, 2_097_152],
])('%d entries have %d slots: a power of two, at most half full', (entryCount, slotCount) => {
  expect(slotCountFor(entryCount)).toBe(slotCount);
  expect(() => checkSlotCount(new Uint32Array(slotCount), entryCount, 'here')).not.toThrow();
  expect(() => checkSlotCount(new Uint32Array(slotCount * 2), entryCount, 'here')).toThrow(/STRUCTURE_INVALID.*here/);
});

test('a table without an empty slot is looked through once', () => {
  const visited: number[] = [];
  probeSlots(new Uint32Array(8).fill(5), 6, (entry) => {
    visited.push(entry);
    return false;
  });
  expect(visited).toEqual(new Array(8).fill(4));
});

describe('golden values', () => {
  /** FNV-1a as published, in exact integers, and the last mixing step of ours. */
  function reference(text: string): number {
    let hash = 0x811c9dc5n;
    for (const byte of Buffer.from(text, 'utf8')) hash = ((hash ^ BigInt(byte)) * 0x01000193n) & 0xffffffffn;
    return Number(hash ^ (hash >> 15n));
  }

  test.each(['', 'a', 'foobar', 'SW1A1AA', '75021CEDEX01', '서울'])('hashBytes of %j', (text) =>
    expect(hashBytes(Buffer.from(text, 'utf8'))).toBe(reference(text)),
  );

  test('the published value of FNV-1a shows through the mixing', () => {
    // FNV-1a("foobar") is bf9cf968 in the tables of its authors.
    expect(hashBytes(Buffer.from('foobar'))).toBe((0xbf9cf968 ^ (0xbf9cf968 >>> 15)) >>> 0);
  });

  test('a postal code is hashed by its compact form', () => {
    expect(hashPostcode('SW1A 1AA')).toBe(reference('SW1A1AA'));
    expect(hashPostcode('SW-1A1 AA')).toBe(hashPostcode('SW1A1AA'));
  });

  test('an id is hashed by its first four bytes', () => {
    const ids = createIds(2).fill(9);
    setIds(ids, 1, Uint8Array.of(0xde, 0xad, 0xbe, 0xef, 1, 2));
    expect([hashPlaceId(ids, 0), hashPlaceId(ids, 1)]).toEqual([0x09090909, 0xdeadbeef]);
  });

  test('a range', () => {
    expect([hashRange(0, 257), hashRange(1, 257), hashRange(0, 258), hashRange(1000, 5000)]).toEqual([
      hashRangeReference(0n, 257n),
      hashRangeReference(1n, 257n),
      hashRangeReference(0n, 258n),
      hashRangeReference(1000n, 5000n),
    ]);
  });

  function hashRangeReference(start: bigint, end: bigint): number {
    const hash = ((start ^ ((end * 0x9e3779b1n) & 0xffffffffn)) * 0x85ebca6bn) & 0xffffffffn;
    // The shift is that of a signed 32-bit number made unsigned: zeros come in from the left.
    return Number(hash ^ (hash >> 15n));
  }
});
