/**
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
export function rangeAt(starts: Uint32Array, at: number, count: number): Range {
  const start = starts[at] as number;
  const end = Math.min(starts[at + 1] as number, count);
  return start <= end ? { start, end } : NOTHING;
}

/** A view of the bytes from `start` up to but not including `end`, at most `most` bytes. */
export function sliceOf(bytes: Buffer, start: number, end: number, most: number): Buffer {
  // An end before the start could be negative, which `subarray` takes as a position from the end.
  return bytes.subarray(start, Math.max(start, Math.min(end, start + most)));
}
