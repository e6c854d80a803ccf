/** The container of every structure: round trips, the documented bytes, and what decoding refuses. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  alignUp,
  type BundleSchema,
  decodeBundle,
  type ElementType,
  encodeBundle,
} from '../../src/core/snapshot/array-bundle.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';

const ELEMENTS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f64: Float64Array };

const values: Record<ElementType, fc.Arbitrary<number[]>> = {
  u8: fc.array(fc.nat(0xff)),
  u16: fc.array(fc.nat(0xffff)),
  u32: fc.array(fc.nat(0xffffffff)),
  i32: fc.array(fc.integer()),
  f64: fc.array(fc.double()),
};

const bundles = fc.array(
  fc
    .constantFrom<ElementType>('u8', 'u16', 'u32', 'i32', 'f64')
    .chain((type) => fc.tuple(fc.constant(type), values[type])),
  { minLength: 1, maxLength: 6 },
);

type TestBundle = [ElementType, number[]][];

function encode(parts: TestBundle): { schema: BundleSchema; bytes: Buffer } {
  const schema = Object.fromEntries(parts.map(([type], index) => [`part${index}`, type]));
  const arrays = Object.fromEntries(parts.map(([type, list], index) => [`part${index}`, ELEMENTS[type].from(list)]));
  // Decoding wants an alignment that a pooled Buffer has not always.
  return { schema, bytes: Buffer.from(Uint8Array.from(Buffer.concat(encodeBundle(schema, arrays as never))).buffer) };
}

function refusalOf(act: () => unknown): SnapshotError {
  try {
    act();
  } catch (error) {
    if (error instanceof SnapshotError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('what was encoded is decoded, at any place in a buffer', () => {
  fc.assert(
    fc.property(bundles, fc.nat(4), (parts, shift) => {
      const { schema, bytes } = encode(parts);
      const around = new Uint8Array(bytes.length + 80).fill(0xee);
      around.set(bytes, shift * 8);
      const decoded = decodeBundle(schema, around.subarray(shift * 8, shift * 8 + bytes.length), 'test');
      parts.forEach(([type, list], index) => {
        expect(decoded[`part${index}`]).toEqual(ELEMENTS[type].from(list));
        expect(decoded[`part${index}`]?.buffer).toBe(around.buffer);
      });
    }),
    { seed: 20260330, numRuns: 300 },
  );
});

test('the worked example of the format, byte by byte', () => {
  const schema = { flags: 'u8', starts: 'u32' } as const;
  const bytes = Buffer.concat(encodeBundle(schema, { flags: Uint8Array.of(1, 2), starts: Uint32Array.of(7) }));
  expect(bytes.toString('hex')).toBe(
    ['0200000000000000', '02000000000000000400000000000000', '0102000000000000', '0700000000000000'].join(''),
  );
});

test('numbers are little-endian', () => {
  const arrays = { a: Uint16Array.of(0x0102), b: Uint32Array.of(0x01020304), c: Float64Array.of(-2) };
  const bytes = Buffer.concat(encodeBundle({ a: 'u16', b: 'u32', c: 'f64' }, arrays));
  expect(bytes.subarray(32).toString('hex')).toBe('0201000000000000' + '0403020100000000' + '00000000000000c0');
});

test('views into a larger array are encoded as what they show', () => {
  const whole = Uint32Array.of(1, 2, 3, 4);
  const bytes = Buffer.concat(encodeBundle({ part: 'u32' }, { part: whole.subarray(1, 3) }));
  expect(bytes.toString('hex')).toBe(`0100000000000000${'0800000000000000'}0200000003000000`);
});

test('each truncation, and each byte more, is refused', () => {
  const { schema, bytes } = encode([
    ['u8', [1, 2, 3]],
    ['u32', [4, 5]],
    ['f64', [6]],
  ]);
  const aligned = Uint8Array.from(bytes);
  for (let length = 0; length < aligned.length; length++) {
    const refusal = refusalOf(() => decodeBundle(schema, aligned.subarray(0, length), 'test'));
    expect(refusal.code).toBe('STRUCTURE_INVALID');
  }
  const longer = new Uint8Array(aligned.length + 8);
  longer.set(aligned);
  expect(refusalOf(() => decodeBundle(schema, longer, 'test')).code).toBe('STRUCTURE_INVALID');
});

describe('a directory that does not fit is refused', () => {
  const bytesWith = (change: (view: DataView) => void): Uint8Array => {
    const bytes = Uint8Array.from(encode([['u32', [1, 2]]]).bytes);
    change(new DataView(bytes.buffer));
    return bytes;
  };
  test.each<[string, (view: DataView) => void]>([
    ['another count', (view) => view.setUint32(0, 2, true)],
    ['a count beyond all bounds', (view) => view.setUint32(0, 0xffffffff, true)],
    ['a reserved word that is not zero', (view) => view.setUint32(4, 1, true)],
    ['half an element', (view) => view.setBigUint64(8, 6n, true)],
    ['one element too many', (view) => view.setBigUint64(8, 12n, true)],
    ['one element too few', (view) => view.setBigUint64(8, 0n, true)],
    ['the largest length there is', (view) => view.setBigUint64(8, 0xffffffffffffffffn, true)],
    ['a length that is exact in no double', (view) => view.setBigUint64(8, (1n << 53n) + 4n, true)],
  ])('%s', (_, change) => {
    const { code, expected } = refusalOf(() => decodeBundle({ part0: 'u32' }, bytesWith(change), 'somewhere'));
    expect(code).toBe('STRUCTURE_INVALID');
    expect(expected).toContain('somewhere');
  });
});

test.each([
  [0, 8, 0],
  [1, 8, 8],
  [8, 8, 8],
  [4097, 4096, 8192],
  [2 ** 40 + 1, 64, 2 ** 40 + 64],
])('alignUp(%d, %d) is %d', (offset, alignment, expected) => expect(alignUp(offset, alignment)).toBe(expected));
