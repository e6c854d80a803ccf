/**
 * Sampled prefixes of a sorted list of texts: the first eight bytes of every nth text, as two u32 that compare as the
 * bytes do; a shorter text is padded with zeros. A search starts among the prefixes, which are few and adjacent in
 * memory, and ends among n neighbouring texts. This avoids cache misses: each comparison with a text reads several
 * distant pages.
 *
 * Worked example, the prefixes of "a", …, "berlin" with a step of one: 61000000 00000000, …, 6265726c 696e0000.
 */

import { lowerBound } from './binary-search.js';

/**
 * The step of long lists, in texts: one text in 16 has a prefix. The texts between two prefixes take four comparisons.
 */
export const SAMPLE_STEP = 16;

/** The length of a prefix in bytes: two u32, which distinguish most of the neighbouring texts. */
export const PREFIX_BYTES = 8;

/** The length of the array of prefixes of `textCount` texts, in u32. */
export function prefixArrayLength(textCount: number, step: number): number {
  return 2 * Math.ceil(textCount / step);
}

/** The four bytes from `at` on as a big-endian number. `byteAt` must return 0 after the text's end. */
export function prefixWord(byteAt: (at: number) => number, at: number): number {
  return ((byteAt(at) << 24) | (byteAt(at + 1) << 16) | (byteAt(at + 2) << 8) | byteAt(at + 3)) >>> 0;
}

/** Greater than every byte of a folded text. */
const LAST_BYTE = 0xff;

/** The prefixes of every `step`-th of `count` texts. */
export interface SampledPrefixes {
  readonly prefixes: Uint32Array;
  readonly step: number;
  readonly count: number;
}

/**
 * The number of the first of the sorted texts that is not before `text`; `count` if there is none. `isBefore` tells
 * whether text number `at` is before `text`. It is called for few texts.
 */
export function lowerBoundBySample(
  { prefixes, step, count }: SampledPrefixes,
  text: Uint8Array,
  isBefore: (at: number) => boolean,
): number {
  const first = firstNotBefore(prefixes, 0, text, 0);
  // Texts with the same prefix as a longer `text` can be before it or after it.
  const end = text.length <= PREFIX_BYTES ? first : firstAfter(prefixes, first, text, 0);
  return lowerBound(textAfter(first, step, count), Math.min(count, end * step), isBefore);
}

/**
 * The number after the last of the sorted texts that begin with `text`, which has at most PREFIX_BYTES bytes. `start`
 * is the result of lowerBoundBySample. `begins` tells whether text number `at`, from `start` on, begins with `text`. It
 * is called for few texts.
 */
export function endBySampledPrefix(
  { prefixes, step, count }: SampledPrefixes,
  text: Uint8Array,
  start: number,
  begins: (at: number) => boolean,
): number {
  const from = Math.floor(start / step) + 1;
  const end = firstAfter(prefixes, from, text, LAST_BYTE);
  // The prefixes from `from` up to `end` begin with `text`. The prefix before `from` is before `start`, and says
  // nothing.
  const least = end === from ? start : textAfter(end, step, count);
  return lowerBound(least, Math.min(count, end * step), begins);
}

/**
 * Whether prefix number `at` equals the prefix of `text`. Two texts share a prefix only if both exceed PREFIX_BYTES.
 */
export function hasSampledPrefixOf({ prefixes }: SampledPrefixes, at: number, text: Uint8Array): boolean {
  const [high, low] = prefixOf(text, 0);
  return comparePrefix(prefixes, at, high, low) === 0;
}

/** The number of the first prefix, from number `from` on, that is not before the prefix of `text`. */
function firstNotBefore(prefixes: Uint32Array, from: number, text: Uint8Array, filler: number): number {
  const [high, low] = prefixOf(text, filler);
  return lowerBound(from, prefixes.length >>> 1, (prefix) => comparePrefix(prefixes, prefix, high, low) < 0);
}

/** The number of the first prefix, from number `from` on, that is after the prefix of `text`: usually near `from`. */
function firstAfter(prefixes: Uint32Array, from: number, text: Uint8Array, filler: number): number {
  const [high, low] = prefixOf(text, filler);
  const count = prefixes.length >>> 1;
  let [start, step] = [from, 1];
  while (start + step <= count && comparePrefix(prefixes, start + step - 1, high, low) <= 0) {
    start += step;
    step *= 4;
  }
  return lowerBound(start, Math.min(count, start + step), (prefix) => comparePrefix(prefixes, prefix, high, low) <= 0);
}

/** The number of the text that follows the text of the prefix before number `prefix`. */
function textAfter(prefix: number, step: number, count: number): number {
  return Math.min(count, Math.max(0, (prefix - 1) * step + 1));
}

/** The prefix of a text, padded with `filler`. */
function prefixOf(text: Uint8Array, filler: number): readonly [high: number, low: number] {
  const byteAt = (at: number): number => text[at] ?? filler;
  return [prefixWord(byteAt, 0), prefixWord(byteAt, 4)];
}

function comparePrefix(prefixes: Uint32Array, prefix: number, high: number, low: number): number {
  return (prefixes[prefix * 2] as number) - high || (prefixes[prefix * 2 + 1] as number) - low;
}
