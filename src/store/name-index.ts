/**
 * Lookups in the name index (src/format/name-index.ts) by binary search. Texts are folded, and given as bytes. Results
 * are ranges of entries, and ranks: computed for a short range, precomputed for a long one. Only results are allocated.
 */
import { lowerBound } from '../format/binary-search.js';
import { probeSlots } from '../format/hash.js';
import {
  type BestRanks,
  hashRange,
  isOtherAt,
  type NameIndex,
  OTHER_NAME,
  scanEntries,
  TOP_RANGE,
  topRanksAt,
} from '../format/name-index.js';
import { PREFIX_BYTES, SAMPLE_STEP } from '../format/sampled-prefixes.js';
import { type Range, rangeAt } from './mapped-numbers.js';
import { endByPrefix, lowerBoundByPrefix } from './sampled-prefixes.js';

const SPACE = 0x20;
/** Maximum number of words of a name that hasWords distinguishes: the bits of its mask. */
const MAX_NAME_WORDS = 31;
const NO_RANKS = new Uint32Array(0);

/** All entries. */
export function everyEntry(index: NameIndex): Range {
  return { start: 0, end: index.entryCount };
}

/** The entries that start with `text`. */
export function findEntries(index: NameIndex, text: Uint8Array): Range {
  const { entryCount } = index;
  const sampled = { prefixes: index.entryPrefixes, step: SAMPLE_STEP, count: entryCount };
  const isBefore = (entry: number): boolean => compareEntry(index, entry, text, 0) < 0;
  const start = lowerBoundByPrefix(sampled, text, isBefore);
  const begins = (entry: number): boolean => compareEntry(index, entry, text, 0) === 0;
  const end =
    text.length <= PREFIX_BYTES
      ? endByPrefix(sampled, text, start, begins)
      : endOfStart(index, text, { start, end: entryCount });
  return { start, end };
}

/**
 * The entries of `within` with `text` at position `depth`. All entries of `within` must share their first `depth`
 * bytes.
 */
export function findEntriesWithin(index: NameIndex, text: Uint8Array, within: Range, depth: number): Range {
  const start = lowerBound(within.start, within.end, (entry) => compareEntry(index, entry, text, depth) < 0);
  return { start, end: endOfStart(index, text, { start, end: within.end }, depth) };
}

/**
 * The end of the entries at the start of `within` that have `text` at position `depth`. Entries of `within` before the
 * first of these are not allowed.
 */
export function endOfStart(index: NameIndex, text: Uint8Array, within: Range, depth: number = 0): number {
  const { start, end } = within;
  // Usually few entries match. An exponential search from the start halves the number of comparisons.
  let step = 8;
  while (start + step < end && compareEntry(index, start + step, text, depth) === 0) step *= 8;
  return lowerBound(start, Math.min(end, start + step), (entry) => compareEntry(index, entry, text, depth) <= 0);
}

/** Compares an entry's text from position `depth` on with `text`; 0 if it starts with `text`. */
function compareEntry(index: NameIndex, entry: number, text: Uint8Array, depth: number): number {
  const name = index.entryNames[entry] as number;
  const start = (index.nameOffsets[name] as number) + (index.entryOffsets[entry] as number) + depth;
  const length = (index.nameOffsets[name + 1] as number) - start;
  for (let at = 0; at < text.length; at++) {
    if (at >= length) return -1;
    const difference = (index.nameText[start + at] as number) - (text[at] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The byte of an entry's text at position `depth`; 0 after its end. */
export function entryByte(index: NameIndex, entry: number, depth: number): number {
  const name = index.entryNames[entry] as number;
  const at = (index.nameOffsets[name] as number) + (index.entryOffsets[entry] as number) + depth;
  return at < (index.nameOffsets[name + 1] as number) ? (index.nameText[at] as number) : 0;
}

/**
 * The end of the entries at the start of `within` with `byte` at position `depth`, given that they share the bytes
 * before.
 */
export function endOfByte(index: NameIndex, within: Range, depth: number, byte: number): number {
  return lowerBound(within.start, within.end, (entry) => entryByte(index, entry, depth) === byte);
}

/** The name that equals `text`, given the entries that start with `text`: its entry is the first of them. */
export function nameOf(index: NameIndex, { start, end }: Range, text: Uint8Array): number | undefined {
  if (start === end || index.entryOffsets[start] !== 0) return undefined;
  const name = index.entryNames[start] as number;
  const length = (index.nameOffsets[name + 1] as number) - (index.nameOffsets[name] as number);
  return length === text.length ? name : undefined;
}

/** The name that equals `text`, by a search among the names. */
export function findName(index: NameIndex, text: Uint8Array): number | undefined {
  const { nameCount } = index;
  const sampled = { prefixes: index.namePrefixes, step: SAMPLE_STEP, count: nameCount };
  const name = lowerBoundByPrefix(sampled, text, (at) => compareName(index, at, text) < 0);
  return name < nameCount && compareName(index, name, text) === 0 ? name : undefined;
}

/** Compares a name, from its byte number `from` on, with `text`; 0 if they are equal. */
export function compareName({ nameOffsets, nameText }: NameIndex, name: number, text: Uint8Array, from = 0): number {
  const start = (nameOffsets[name] as number) + from;
  const length = (nameOffsets[name + 1] as number) - start;
  const shared = Math.min(length, text.length);
  for (let at = 0; at < shared; at++) {
    const difference = (nameText[start + at] as number) - (text[at] as number);
    if (difference !== 0) return difference;
  }
  return length - text.length;
}

/** The ranks of the places with a name, ascending, be it their own name or an alternative name. */
export function ranksOfName(index: NameIndex, name: number): Uint32Array {
  const { start, end } = rangeAt(index.rankStarts, name, index.ranks.length);
  const found = index.ranks.subarray(start, end);
  // The ranks of cities with the name as an alternative name come last, if there are any.
  return start < end && isOtherAt(index, end - 1) ? found.map((rank) => rank & ~OTHER_NAME).sort() : found;
}

/**
 * The ranks of the places with the name as their own, and of the cities with the name as an alternative, each
 * ascending.
 */
export function splitRanksOfName(index: NameIndex, name: number): { own: Uint32Array; other: Uint32Array } {
  const { start, end } = rangeAt(index.rankStarts, name, index.ranks.length);
  // Few names are alternative names.
  const firstOther =
    start < end && isOtherAt(index, end - 1) ? lowerBound(start, end, (at) => !isOtherAt(index, at)) : end;
  return {
    own: index.ranks.subarray(start, firstOther),
    other: firstOther === end ? NO_RANKS : index.ranks.subarray(firstOther, end).map((rank) => rank & ~OTHER_NAME),
  };
}

/** The TOP_COUNT lowest ranks of a range of entries. */
export function bestRanks(index: NameIndex, range: Range): BestRanks {
  if (range.end - range.start <= TOP_RANGE) return scanEntries(index, range.start, range.end);
  let found: number | undefined;
  probeSlots(index.topSlots, hashRange(range.start, range.end), (top) => {
    if (index.topRanges[top * 2] === range.start && index.topRanges[top * 2 + 1] === range.end) found = top;
    return found !== undefined;
  });
  if (found === undefined) return { starting: [], inner: [] };
  return topRanksAt(index, found);
}

/**
 * Whether each of `words` is the start of a different word of the name. `words` must be sorted by length, the longest
 * first: if two of them start the same word of the name, the shorter starts the longer, so the longer can take any free
 * word.
 */
export function hasWords(index: NameIndex, name: number, words: readonly Uint8Array[]): boolean {
  const { nameText } = index;
  const start = index.nameOffsets[name] as number;
  // In a damaged file the name could end outside of the text.
  const end = Math.min(index.nameOffsets[name + 1] as number, nameText.length);
  let taken = 0;
  for (const word of words) {
    let position = 0;
    let isFound = false;
    for (let at = start; at < end && !isFound && position < MAX_NAME_WORDS; position++) {
      if (!((taken >> position) & 1) && end - at >= word.length) {
        let length = 0;
        while (length < word.length && nameText[at + length] === word[length]) length++;
        isFound = length === word.length;
        if (isFound) taken |= 1 << position;
      }
      while (at < end && nameText[at] !== SPACE) at++;
      at++;
    }
    if (!isFound) return false;
  }
  return true;
}
