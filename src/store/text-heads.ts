/** Searching sorted texts by their heads (src/format/text-heads.ts). */
import { HEAD_BYTES, HEAD_STEP, headWord } from '../format/text-heads.js';
import { lowerBound, type Range } from './mapped-numbers.js';

/**
 * As lowerBound among all of `count` sorted texts. `isBefore` says whether text number `at` is before `text`; it is asked of
 * a few.
 */
export function lowerBoundByHeads(
  heads: Uint32Array,
  count: number,
  text: Uint8Array,
  isBefore: (at: number) => boolean,
): number {
  const { start, end } = narrowDown(heads, count, text);
  return lowerBound(start, end, isBefore);
}

/** A range of `count` sorted texts in which, or at the end of which, the first that is not before `text` is. */
function narrowDown(heads: Uint32Array, count: number, text: Uint8Array): Range {
  const byteAt = (at: number): number => text[at] ?? 0;
  const [high, low] = [headWord(byteAt, 0), headWord(byteAt, 4)];
  const headCount = heads.length >>> 1;
  const first = lowerBound(0, headCount, (head) => compareHead(heads, head, high, low) < 0);
  // Of a longer text the head does not tell which of those that begin so are before it.
  const isWhole = text.length <= HEAD_BYTES;
  const end = isWhole ? first : lowerBound(first, headCount, (head) => compareHead(heads, head, high, low) <= 0);
  return { start: Math.min(count, Math.max(0, first - 1) * HEAD_STEP), end: Math.min(count, end * HEAD_STEP) };
}

function compareHead(heads: Uint32Array, head: number, high: number, low: number): number {
  return (heads[head * 2] as number) - high || (heads[head * 2 + 1] as number) - low;
}
