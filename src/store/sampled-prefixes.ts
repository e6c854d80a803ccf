/** Binary search in sorted texts by way of their sampled prefixes (src/format/sampled-prefixes.ts). */

import { lowerBound } from '../format/binary-search.js';
import { PREFIX_BYTES, prefixWord } from '../format/sampled-prefixes.js';

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
export function lowerBoundByPrefix(
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
 * is the result of lowerBoundByPrefix. `begins` tells whether text number `at`, from `start` on, begins with `text`. It
 * is called for few texts.
 */
export function endByPrefix(
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
export function hasPrefixOf({ prefixes }: SampledPrefixes, at: number, text: Uint8Array): boolean {
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
