/** Searching sorted texts by their heads (src/format/text-heads.ts). */
import { lowerBound } from '../format/binary-search.js';
import { HEAD_BYTES, headWord } from '../format/text-heads.js';

/** Beyond every byte of a folded text. */
const LAST_BYTE = 0xff;

/** The heads of `count` texts, of every `step`-th one. */
export interface Heads {
  readonly heads: Uint32Array;
  readonly step: number;
  readonly count: number;
}

/**
 * As lowerBound among all of some sorted texts. `isBefore` says whether text number `at` is before `text`; it is asked of
 * a few.
 */
export function lowerBoundByHeads(
  { heads, step, count }: Heads,
  text: Uint8Array,
  isBefore: (at: number) => boolean,
): number {
  const first = headsBefore(heads, 0, text, 0);
  // Of a longer text the head does not tell which of those that begin so are before it.
  const end = text.length <= HEAD_BYTES ? first : headsUpTo(heads, first, text, 0);
  return lowerBound(behindHead(first, step, count), Math.min(count, end * step), isBefore);
}

/**
 * Behind the texts that begin with `text`, which has no more than HEAD_BYTES, where the first of them is `start`. `begins`
 * says whether text number `at`, not before `start`, begins so; it is asked of a few.
 */
export function endByHeads(
  { heads, step, count }: Heads,
  text: Uint8Array,
  start: number,
  begins: (at: number) => boolean,
): number {
  const from = Math.floor(start / step) + 1;
  const end = headsUpTo(heads, from, text, LAST_BYTE);
  // The heads from `from` to `end` begin so; of the one before nothing is known.
  const least = end === from ? start : behindHead(end, step, count);
  return lowerBound(least, Math.min(count, end * step), begins);
}

/** Whether the head number `at` is that of a text: no other text has it, unless both are longer than HEAD_BYTES. */
export function isHeadOf({ heads }: Heads, at: number, text: Uint8Array): boolean {
  const [high, low] = headOf(text, 0);
  return compareHead(heads, at, high, low) === 0;
}

/** The first head from `from` on that is not before that of `text`. */
function headsBefore(heads: Uint32Array, from: number, text: Uint8Array, filler: number): number {
  const [high, low] = headOf(text, filler);
  return lowerBound(from, heads.length >>> 1, (head) => compareHead(heads, head, high, low) < 0);
}

/** The first head from `from` on that is behind that of `text`. Mostly it is near. */
function headsUpTo(heads: Uint32Array, from: number, text: Uint8Array, filler: number): number {
  const [high, low] = headOf(text, filler);
  const count = heads.length >>> 1;
  let [start, step] = [from, 1];
  while (start + step <= count && compareHead(heads, start + step - 1, high, low) <= 0) {
    start += step;
    step *= 4;
  }
  return lowerBound(start, Math.min(count, start + step), (head) => compareHead(heads, head, high, low) <= 0);
}

/** The first text behind the one of the head before `head`. */
function behindHead(head: number, step: number, count: number): number {
  return Math.min(count, Math.max(0, (head - 1) * step + 1));
}

/** The head of a text, filled up with `filler`. */
function headOf(text: Uint8Array, filler: number): readonly [high: number, low: number] {
  const byteAt = (at: number): number => text[at] ?? filler;
  return [headWord(byteAt, 0), headWord(byteAt, 4)];
}

function compareHead(heads: Uint32Array, head: number, high: number, low: number): number {
  return (heads[head * 2] as number) - high || (heads[head * 2 + 1] as number) - low;
}
