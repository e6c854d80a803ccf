/** Encodes a delta (delta-layout.ts): compares each array of a part with the same array of its base. */
import { readRanges } from '../part-bytes.js';
import { type PlannedPart, type Range, slicedRanges } from '../snapshot-parts.js';
import { MAX_DELTA_BYTES } from './delta-layout.js';
import { DeltaWriter } from './delta-writer.js';
import { matchBytes } from './match-bytes.js';
import { matchNumbers } from './match-numbers.js';
import { ShiftTable } from './shift-table.js';
import { listArrays } from './snapshot-arrays.js';

/** An uncut part of an open snapshot. */
export interface UncutPart extends PlannedPart {
  readonly fd: number;
}

/**
 * The delta of some bytes of an uncut part, from an offset that is a multiple of four on; undefined where it would be
 * longer than MAX_DELTA_BYTES. Memory: an array of each release. Throws SnapshotError.
 */
export function encodeDelta(target: UncutPart, { offset: start, length }: Range, base: UncutPart): Buffer | undefined {
  const end = start + length;
  const baseArrays = new Map(listArrays(base.fd, base).map((array) => [array.name, array]));
  const writer = new DeltaWriter();
  const shifts = new ShiftTable();
  for (const array of listArrays(target.fd, target)) {
    const from = Math.max(array.offset, start);
    const to = Math.min(array.offset + array.length, end);
    if (from >= to) continue;
    const baseArray = baseArrays.get(array.name) ?? { ...array, offset: 0, length: 0 };
    // A part that is cut within an array goes on in the base about where the part before it ended.
    const cursor = Math.min(from - array.offset, baseArray.length);
    const bytes = readSpan(target, from, to - from);
    const baseBytes = readSpan(base, baseArray.offset, baseArray.length);
    const count = array.isNumbers ? bytes.length / 4 : bytes.length;
    writer.beginSegment(count, array.isNumbers, baseArray.offset + cursor);
    if (!array.isNumbers) matchBytes(bytes, baseBytes, cursor, writer);
    else {
      shifts.clear();
      matchNumbers(numbersOf(bytes), numbersOf(baseBytes), cursor / 4, writer, shifts);
    }
    // No further arrays are compared.
    if (writer.length > MAX_DELTA_BYTES) return undefined;
  }
  const delta = writer.end();
  return delta.length > MAX_DELTA_BYTES ? undefined : delta;
}

function readSpan({ fd, ranges }: UncutPart, offset: number, length: number): Buffer {
  return readRanges(fd, slicedRanges(ranges, { offset, length }));
}

function numbersOf({ buffer, byteOffset, length }: Buffer): Uint32Array {
  return new Uint32Array(buffer as ArrayBuffer, byteOffset, length / 4);
}
