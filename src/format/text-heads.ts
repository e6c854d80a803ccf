/**
 * The heads of sorted texts: the first eight bytes of every n-th one, as two u32 that compare as the bytes do; a
 * shorter text is filled up with zeros. A search for a text begins among the heads, which lie together and are few, and
 * ends among some neighbours: of the texts themselves each look costs several reads from all over the file.
 *
 * Worked example, the heads of "a", …, "berlin" with a step of one: 61000000 00000000, …, 6265726c 696e0000.
 */

/** From a text with a head to the next one that has one, where texts are many. */
export const HEAD_STEP = 16;

/** The bytes of a text that are in its head. */
export const HEAD_BYTES = 8;

/** How many u32 the heads of so many texts are. */
export function headsLengthFor(textCount: number, step: number): number {
  return 2 * Math.ceil(textCount / step);
}

/** Four bytes of what `byteAt` gives, from `at` on, as a number: the first is the highest. It gives 0 behind the end. */
export function headWord(byteAt: (at: number) => number, at: number): number {
  return ((byteAt(at) << 24) | (byteAt(at + 1) << 16) | (byteAt(at + 2) << 8) | byteAt(at + 3)) >>> 0;
}
