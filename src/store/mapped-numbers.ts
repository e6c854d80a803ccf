/**
 * What lookups do with the numbers in a snapshot. Opening a snapshot does not read its contents, so until
 * `build-index verify` has, any number in the file may be any other: disks and transfers flip bits. The rule of all
 * lookups: a number that leads outside of what the file holds leads to nothing. Ranges are cut to what there is, searches
 * end whatever they find, and no slice is longer than the longest that a builder writes. So a damaged file makes wrong
 * answers, or "not found", but never an error, a loop without end, or an answer of megabytes. What that costs is a
 * comparison or two where a range is read.
 */

/** Consecutive places, entries or positions: `end` is not among them. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

const NOTHING: Range = { start: 0, end: 0 };

/** Range number `at` of those that start where `starts` says, each at the end of the one before, among `count` things. */
export function rangeAt(starts: Uint32Array, at: number, count: number): Range {
  const start = starts[at] as number;
  const end = Math.min(starts[at + 1] as number, count);
  return start <= end ? { start, end } : NOTHING;
}

/** The bytes from `start` to, without, `end`, but no more than `most` of them: a view. */
export function sliceOf(bytes: Buffer, start: number, end: number, most: number): Buffer {
  // An end before the start could be negative, which for `subarray` is a position counted from the end.
  return bytes.subarray(start, Math.max(start, Math.min(end, start + most)));
}
