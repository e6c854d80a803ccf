/**
 * Sampled prefixes of a sorted list of texts: the first eight bytes of every nth text, as two u32 that compare as the
 * bytes do; a shorter text is padded with zeros. A search starts among the prefixes, which are few and adjacent in
 * memory, and ends among n neighbouring texts. This avoids cache misses: each comparison with a text reads several
 * distant pages.
 *
 * Worked example, the prefixes of "a", …, "berlin" with a step of one: 61000000 00000000, …, 6265726c 696e0000.
 */

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
