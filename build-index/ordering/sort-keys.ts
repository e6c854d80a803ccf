/**
 * Sorts names, entries, ranks and places by numbers in a fraction of the time that calls of a comparison take. Each
 * element has a whole number as its key; only elements of equal keys are compared.
 */

/**
 * Number of digits: 37 characters of folded text, and the end of a text as the lowest. 38^10 < 2^53, so keys are exact.
 */
const RADIX = 38;
/** Length of the text in a key, in characters: the longest that fits an exact number. */
export const KEY_LENGTH = 10;

/** The ten characters of `text` from `offset`, as a number with the same order. A shorter text comes first. */
export function sortKey(text: string, offset: number): number {
  let key = 0;
  for (let index = offset; index < offset + KEY_LENGTH; index++) {
    const unit = index < text.length ? text.charCodeAt(index) : 0;
    key = key * RADIX + (unit === 0 ? 0 : unit === 0x20 ? 1 : unit < 0x3a ? unit - 0x2e : unit - 0x55);
  }
  return key;
}

/** Number of bits of the digits that one pass sorts by, and the number of digits of a key below 2^53. */
const [DIGIT_BITS, DIGIT_COUNT] = [11, 5];
const DIGITS = 2 ** DIGIT_BITS;

/** The indexes of `keys`, ascending by key; those of equal keys ascend. A radix sort (Knuth, TAOCP 5.2.5). */
function radixSort(keys: Float64Array): Uint32Array {
  const count = keys.length;
  let order = new Uint32Array(count);
  for (let index = 0; index < count; index++) order[index] = index;
  let next = new Uint32Array(count);
  const digits = new Uint16Array(count);
  for (let pass = 0, unit = 1; pass < DIGIT_COUNT; pass++, unit *= DIGITS) {
    const ends = new Uint32Array(DIGITS);
    for (let index = 0; index < count; index++) {
      const digit = ((keys[index] as number) / unit) & (DIGITS - 1);
      digits[index] = digit;
      ends[digit] = (ends[digit] as number) + 1;
    }
    for (let digit = 1; digit < DIGITS; digit++) ends[digit] = (ends[digit] as number) + (ends[digit - 1] as number);
    for (let at = count - 1; at >= 0; at--) {
      const index = order[at] as number;
      const end = (ends[digits[index] as number] as number) - 1;
      ends[digits[index] as number] = end;
      next[end] = index;
    }
    [order, next] = [next, order];
  }
  return order;
}

/**
 * The indexes of `keys`, which are whole numbers below 2^53, ascending by key; `compare` decides the order of indexes with
 * equal keys, which ascend without it.
 */
export function sortByKeys(keys: Float64Array, compare?: (a: number, b: number) => number): Uint32Array {
  const order = radixSort(keys);
  if (compare === undefined) return order;
  for (let [start, end] = [0, 0]; start < order.length; start = end) {
    const key = keys[order[start] as number];
    while (end < order.length && keys[order[end] as number] === key) end++;
    if (end - start > 1) order.subarray(start, end).sort(compare);
  }
  return order;
}

/** The indexes of folded texts, ascending by text. */
export function sortTexts(texts: readonly string[]): Uint32Array {
  const keys = new Float64Array(texts.length);
  for (let index = 0; index < keys.length; index++) keys[index] = sortKey(texts[index] as string, 0);
  return sortByKeys(keys, (a, b) => {
    const [textA, textB] = [texts[a] as string, texts[b] as string];
    return textA === textB ? 0 : textA < textB ? -1 : 1;
  });
}
