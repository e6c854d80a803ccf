/**
 * The entries of the prefix index: one for each word of each folded name, ascending by the text from the word to the
 * name's end. Sorting a million texts is the slowest part of a build, so the first ten characters of each are packed
 * into one exact number and compared first.
 */
import { MAX_ENTRY_OFFSET } from '../../src/format/name-index.js';

export interface NameEntries {
  readonly entryNames: Uint32Array;
  readonly entryOffsets: Uint8Array;
}

/**
 * Number of digits: 37 characters of folded text, and the end of a text as the lowest. 38^10 < 2^53, so keys are exact.
 */
const RADIX = 38;
/** Length of the compared prefix, in characters: the longest that fits an exact number. */
const KEY_LENGTH = 10;

/** The ten characters of `text` from `offset`, as a number with the same order. A shorter text comes first. */
export function sortKey(text: string, offset: number): number {
  let key = 0;
  for (let index = offset; index < offset + KEY_LENGTH; index++) {
    const unit = index < text.length ? text.charCodeAt(index) : 0;
    key = key * RADIX + (unit === 0 ? 0 : unit === 0x20 ? 1 : unit < 0x3a ? unit - 0x2e : unit - 0x55);
  }
  return key;
}

/** The positions at which the words of a folded name start, up to MAX_ENTRY_OFFSET. */
export function wordStarts(name: string): number[] {
  const starts = [0];
  for (let space = name.indexOf(' '); space !== -1 && space < MAX_ENTRY_OFFSET; space = name.indexOf(' ', space + 1)) {
    starts.push(space + 1);
  }
  return starts;
}

/**
 * Sorts entries given as parallel lists. Sorting concatenated sorted lists (the entries of several countries) takes
 * little more time than merging them, since Array's sort is TimSort.
 */
export function sortEntries(names: readonly string[], entryNames: Uint32Array, entryOffsets: Uint8Array): NameEntries {
  const keys = new Float64Array(entryNames.length);
  for (let entry = 0; entry < keys.length; entry++) {
    keys[entry] = sortKey(names[entryNames[entry] as number] as string, entryOffsets[entry] as number);
  }
  const compare = (a: number, b: number): number => {
    const difference = (keys[a] as number) - (keys[b] as number);
    if (difference !== 0) return difference;
    const offsetA = entryOffsets[a] as number;
    const offsetB = entryOffsets[b] as number;
    const textA = (names[entryNames[a] as number] as string).slice(offsetA + KEY_LENGTH);
    const textB = (names[entryNames[b] as number] as string).slice(offsetB + KEY_LENGTH);
    if (textA !== textB) return textA < textB ? -1 : 1;
    return offsetA - offsetB || (entryNames[a] as number) - (entryNames[b] as number);
  };
  const order = Array.from(keys, (_, entry) => entry).sort(compare);
  return {
    entryNames: Uint32Array.from(order, (entry) => entryNames[entry] as number),
    entryOffsets: Uint8Array.from(order, (entry) => entryOffsets[entry] as number),
  };
}
