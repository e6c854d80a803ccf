/** What is found by hashes: hash tables, ids of places, and old paths by their digests. */

import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { buildOldPaths, type OldPath } from '../../build-index/structures/build-old-paths.js';
import { buildSlots, checkSlotCount, hashBytes, probeSlots, slotCountFor } from '../../src/core/snapshot/hash-table.js';
import { hashNameEntries } from '../../src/core/snapshot/name-index.js';
import { decodeOldPaths, digestPath, findByOldPath, type OldPaths } from '../../src/core/snapshot/old-paths.js';
import {
  comparePlaceIds,
  createIds,
  decodePlaceIds,
  ID_BYTES,
  idAt,
  isIdAt,
  parsePlaceId,
  setIds,
  writePlaceId,
} from '../../src/core/snapshot/place-id.js';
import { hashPlaceId } from '../../src/core/snapshot/place-id-index.js';
import type { PlaceTree } from '../../src/core/snapshot/place-tree.js';
import { hashPostcode } from '../../src/core/snapshot/postcode-index.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';

/** Hash tables: every entry is found, nothing else is, whatever the hashes, and damaged tables end all the same. */
describe('hash tables', () => {
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
    const hashes = fc.array(
      fc.oneof(fc.nat(5), fc.constantFrom(0xffffffff, 0xfffffffe, 0x80000000), fc.nat(0xffffffff)),
    );
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
      expect([
        hashNameEntries(0, 257),
        hashNameEntries(1, 257),
        hashNameEntries(0, 258),
        hashNameEntries(1000, 5000),
      ]).toEqual([
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
});

/** Ids are UUIDs of version 5 as RFC 9562 has them: computed here once more, step by step, and against known ones. */
describe('ids', () => {
  const NAMESPACE = '706f7374-616c-4ac3-a970-6c616365732e';
  const DNS_NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

  /** The text of the id of `identity`. */
  function placeId(identity: string): string {
    const ids = createIds(3).fill(0xee);
    writePlaceId(identity, ids, 1);
    expect([...ids.subarray(0, ID_BYTES), ...ids.subarray(ID_BYTES * 2)].every((byte) => byte === 0xee)).toBe(true);
    expect(idAt(ids, 1)).toEqual(ids.subarray(ID_BYTES, ID_BYTES * 2));
    const copy = createIds(2);
    setIds(copy, 1, idAt(ids, 1));
    expect([isIdAt(copy, 1, idAt(ids, 1)), isIdAt(copy, 0, idAt(ids, 1))]).toEqual([true, false]);
    return decodePlaceIds(ids)[1] as string;
  }

  /** RFC 9562, 5.5. */
  function uuidVersion5(namespace: string, name: string): string {
    const hash = createHash('sha1')
      .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
      .update(name, 'utf8')
      .digest();
    const bytes = hash.subarray(0, 16);
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50;
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
    const hex = bytes.toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  }

  test('the reference agrees with the vector of RFC 9562, appendix A.4', () => {
    expect(uuidVersion5(DNS_NAMESPACE, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
  });

  test('an id is the UUID of its identity, in our namespace', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (identity) => {
        expect(placeId(identity)).toBe(uuidVersion5(NAMESPACE, identity));
      }),
      { seed: 20260330, examples: [['']] },
    );
  });

  /** Made with Python's uuid.uuid5. They never change, or every id that anybody has kept would be lost. */
  test.each([
    ['', '5ce81e7f-32d6-5506-b02c-9b2179a67360'],
    ['leaf\tAD\tAD100\tCanillo', 'bb330ddb-30c0-5dd4-9882-7379cf7633d5'],
    ['서울 🏝', 'b274bf1c-8fe5-540a-9a48-6d2b7cc61f19'],
  ])('the id of %j is %s', (identity, id) => expect(placeId(identity)).toBe(id));

  test('bytes → texts → bytes', () => {
    const id = fc.uint8Array({ minLength: ID_BYTES, maxLength: ID_BYTES });
    fc.assert(
      fc.property(fc.array(id, { maxLength: 5 }), (list) => {
        const texts = decodePlaceIds(Buffer.concat(list));
        expect(texts).toHaveLength(list.length);
        texts.forEach((text, index) => {
          expect(text).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
          expect(Uint8Array.from(parsePlaceId(text) as Uint8Array)).toEqual(list[index]);
          expect(Uint8Array.from(parsePlaceId(text.toUpperCase()) as Uint8Array)).toEqual(list[index]);
        });
      }),
      { seed: 20260330 },
    );
  });

  test('ids compare as their texts do', () => {
    const id = fc.array(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), { minLength: ID_BYTES, maxLength: ID_BYTES });
    fc.assert(
      fc.property(id, id, (first, second) => {
        const ids = Uint8Array.from([...first, ...second]);
        const [a, b] = decodePlaceIds(ids) as [string, string];
        expect(Math.sign(comparePlaceIds(ids, 0, 1))).toBe(a < b ? -1 : a > b ? 1 : 0);
        expect(comparePlaceIds(ids, 1, 1)).toBe(0);
      }),
      { seed: 20260330 },
    );
  });

  describe('what is no UUID', () => {
    test.each([
      '',
      'not-a-uuid',
      '2ed6657de927568b95e12665a8aea6a2',
      '2ed6657d-e927-568b-95e1-2665a8aea6a',
      '2ed6657d-e927-568b-95e1-2665a8aea6a22',
      '2ed6657d-e927-568b-95e1-2665a8aea6ag',
      ' 2ed6657d-e927-568b-95e1-2665a8aea6a2',
      '2ed6657d-e927-568b-95e1-2665a8aea6a2\n',
      '{2ed6657d-e927-568b-95e1-2665a8aea6a2}',
      '2ed6657d−e927−568b−95e1−2665a8aea6a2',
      '2ed6657d-e927-568b-95e1-2665a8aea6a２',
    ])('%j', (text) => expect(parsePlaceId(text)).toBeUndefined());
  });
});

/** The table of old paths: a round trip beside a plain Map, its bytes, and damaged tables. */
describe('old paths', () => {
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
});
