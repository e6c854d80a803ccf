/**
 * The container of every structure of a snapshot: a few typed arrays, one after the other. Decoding creates views and
 * copies nothing. It checks counts and bounds, so a view never reaches outside its bundle.
 * Everything is little-endian, and every array starts at a multiple of 8 from the bundle's start.
 *
 *   0        4        8          8+8k
 *   ├ u32 k ─┼ u32 0 ─┼ k × u64 ─┼ array 0 ┄ zeros to 8 ┼ array 1 ┄ ┄
 *   array count       byte length of each array
 *
 * Worked example, { flags: u8[1, 2], starts: u32[7] }:
 *   02 00 00 00  00 00 00 00                            two arrays
 *   02 00 00 00 00 00 00 00  04 00 00 00 00 00 00 00    of 2 and 4 bytes
 *   01 02 00 00 00 00 00 00                             flags, padded
 *   07 00 00 00 00 00 00 00                             starts, padded
 */

import { structureError } from './snapshot-error.js';

const ELEMENTS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f64: Float64Array } as const;
const ALIGNMENT = 8;

interface ElementArrays {
  u8: Uint8Array;
  u16: Uint16Array;
  u32: Uint32Array;
  i32: Int32Array;
  f64: Float64Array;
}

export type ElementType = keyof ElementArrays;
export type BundleSchema = Readonly<Record<string, ElementType>>;
export type Bundle<S extends BundleSchema> = { readonly [K in keyof S]: ElementArrays[S[K]] };

if (new Uint8Array(new Uint32Array([1]).buffer)[0] !== 1) {
  throw new Error('Snapshots are little-endian; this machine is big-endian and cannot map them.');
}

export function alignUp(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}

/** The bundle as chunks to write in order: the directory, then each array (not copied) and its padding. */
export function encodeBundle<S extends BundleSchema>(schema: S, arrays: Bundle<S>): Uint8Array[] {
  const parts = Object.keys(schema).map((name) => arrays[name as keyof S]);
  const directory = new Uint8Array(directoryBytes(schema));
  const view = new DataView(directory.buffer);
  view.setUint32(0, parts.length, true);
  const chunks = [directory];
  parts.forEach((part, index) => {
    view.setBigUint64(ALIGNMENT + 8 * index, BigInt(part.byteLength), true);
    chunks.push(new Uint8Array(part.buffer as ArrayBuffer, part.byteOffset, part.byteLength));
    const paddingLength = alignUp(part.byteLength, ALIGNMENT) - part.byteLength;
    if (paddingLength > 0) chunks.push(new Uint8Array(paddingLength));
  });
  return chunks;
}

/** Position of an array in bytes from the start of its bundle. */
interface ArrayPosition {
  readonly offset: number;
  readonly byteLength: number;
}

/**
 * The position of each array of a bundle of `bundleLength` bytes; `bytes` hold at least the directory. Throws
 * SnapshotError STRUCTURE_INVALID when the directory does not fit the schema or the length.
 */
function decodeDirectory<S extends BundleSchema>(
  schema: S,
  bytes: Uint8Array,
  bundleLength: number,
  where: string,
): Readonly<Record<keyof S, ArrayPosition>> {
  const entries = Object.entries(schema);
  const directoryLength = directoryBytes(schema);
  if (bytes.length < directoryLength || bundleLength < directoryLength) {
    throw structureError(where, `at least ${directoryLength} bytes`, `${Math.min(bytes.length, bundleLength)}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const arrayCount = view.getUint32(0, true);
  if (arrayCount !== entries.length || view.getUint32(4, true) !== 0) {
    throw structureError(where, `${entries.length} arrays`, `${arrayCount}`);
  }
  const positions: Record<string, ArrayPosition> = {};
  let offset = directoryLength;
  entries.forEach(([name, type], index) => {
    const byteLength = Number(view.getBigUint64(ALIGNMENT + 8 * index, true));
    if (byteLength % ELEMENTS[type].BYTES_PER_ELEMENT !== 0 || offset + byteLength > bundleLength) {
      throw structureError(
        `${where}.${name}`,
        `whole ${type} elements within ${bundleLength - offset} bytes`,
        `${byteLength} bytes`,
      );
    }
    positions[name] = { offset, byteLength };
    offset += alignUp(byteLength, ALIGNMENT);
  });
  if (offset !== bundleLength) throw structureError(where, `${offset} bytes in all`, `${bundleLength}`);
  return positions as Record<keyof S, ArrayPosition>;
}

/** Length of the directory of a bundle in bytes. */
export function directoryBytes(schema: BundleSchema): number {
  return ALIGNMENT + 8 * Object.keys(schema).length;
}

/**
 * Views of the arrays in `bytes`, which must start at a multiple of 8 of its buffer. `where` names the structure in
 * the error. Throws SnapshotError STRUCTURE_INVALID when the directory does not fit the schema or the bytes.
 */
export function decodeBundle<S extends BundleSchema>(schema: S, bytes: Uint8Array, where: string): Bundle<S> {
  const arrays: Record<string, unknown> = {};
  for (const [name, { offset, byteLength }] of Object.entries(decodeDirectory(schema, bytes, bytes.length, where))) {
    const Element = ELEMENTS[schema[name] as ElementType];
    arrays[name] = new Element(
      bytes.buffer as ArrayBuffer,
      bytes.byteOffset + offset,
      byteLength / Element.BYTES_PER_ELEMENT,
    );
    const end = offset + byteLength;
    if (bytes.subarray(end, alignUp(end, ALIGNMENT)).some((byte) => byte !== 0)) {
      throw structureError(`${where}.${name}`, 'zeros as padding', 'other bytes');
    }
  }
  return arrays as Bundle<S>;
}

/** A Buffer over the same memory, for reading text. */
export function bufferOfArray({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, length);
}

/** Throws SnapshotError unless the offsets start at 0 and end at `length`, the length of the array they point into. */
export function checkBundledOffsets(where: string, offsets: Uint32Array, length: number): void {
  const end = offsets[offsets.length - 1];
  if (offsets[0] !== 0 || end !== length)
    throw structureError(where, `offsets from 0 to ${length}`, `${offsets[0]} to ${end}`);
}

/** Throws SnapshotError unless `array` has the expected length, which follows from other arrays of the structure. */
export function checkBundledLength(where: string, array: { readonly length: number }, expected: number): void {
  if (array.length !== expected) throw structureError(where, `${expected} elements`, `${array.length}`);
}

/*
 * Safe use of the numbers in a snapshot. Opening a snapshot doesn't read its contents, so until `postal-places verify`
 * has checked them, any number can be wrong: disks and transfers flip bits. The rule of all lookups: a number outside
 * of its bounds leads to no result. Ranges are clamped to their array, every search ends, and no slice is longer than
 * the longest that a builder writes. A damaged file can so lead to wrong data or "not found", but never to a crash, an
 * endless loop or a response of megabytes. The price is one or two comparisons for each range.
 */

/** Consecutive places, entries or positions, from `start` up to but not including `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

const NOTHING: Range = { start: 0, end: 0 };

/** Range number `at` of consecutive ranges that begin at `starts`, clamped to `count`, the end of the last range. */
export function arrayRangeAt(starts: Uint32Array, at: number, count: number): Range {
  const start = starts[at] as number;
  const end = Math.min(starts[at + 1] as number, count);
  return start <= end ? { start, end } : NOTHING;
}

/** A view of the bytes from `start` up to but not including `end`, at most `most` bytes. */
export function arraySliceOf(bytes: Buffer, start: number, end: number, most: number): Buffer {
  // An end before the start could be negative, which `subarray` takes as a position from the end.
  return bytes.subarray(start, Math.max(start, Math.min(end, start + most)));
}
