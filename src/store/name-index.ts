/**
 * Looking names up (src/format/name-index.ts), by binary search. Texts are folded, as bytes; what is found are ranges of
 * entries, and ranks: of the few where there are few, ready-made where there are many. No heap but the results.
 */
import { probeSlots } from '../format/hash.js';
import { type BestRanks, hashRange, type NameIndex, scanEntries, TOP_RANGE, topRanksAt } from '../format/name-index.js';
import type { Range } from './place-tree.js';

const SPACE = 0x20;
/** Words of a name behind these are not told apart: as many as bits of a mask. */
const MAX_NAME_WORDS = 31;

/** All entries. */
export function everyEntry(index: NameIndex): Range {
  return { start: 0, end: index.entryCount };
}

/** The entries whose text starts with `text`, of those in `within`. */
export function findEntries(index: NameIndex, text: Uint8Array, within: Range = everyEntry(index)): Range {
  const start = lowerBound(index, text, within, false);
  // Mostly there are few: looking for the end near the start is half of the way.
  let step = 8;
  while (start + step < within.end && compareEntry(index, start + step, text) === 0) step *= 8;
  const nearEnd = Math.min(within.end, start + step);
  return { start, end: lowerBound(index, text, { start, end: nearEnd }, true) };
}

/** The first entry in `within` that is not before `text`, or, with `behind`, that is behind all that start with it. */
function lowerBound(index: NameIndex, text: Uint8Array, within: Range, behind: boolean): number {
  let low = within.start;
  let high = within.end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareEntry(index, middle, text);
    if (order < 0 || (order === 0 && behind)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Negative where the entry's text is before `text`, 0 where it starts with it, positive where it is behind. */
function compareEntry(index: NameIndex, entry: number, text: Uint8Array): number {
  const name = index.entryNames[entry] as number;
  const start = (index.nameOffsets[name] as number) + (index.entryOffsets[entry] as number);
  const length = (index.nameOffsets[name + 1] as number) - start;
  for (let at = 0; at < text.length; at++) {
    if (at >= length) return -1;
    const difference = (index.nameText[start + at] as number) - (text[at] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The byte of an entry's text at `depth`; 0 behind its end. */
export function entryByte(index: NameIndex, entry: number, depth: number): number {
  const name = index.entryNames[entry] as number;
  const at = (index.nameOffsets[name] as number) + (index.entryOffsets[entry] as number) + depth;
  return at < (index.nameOffsets[name + 1] as number) ? (index.nameText[at] as number) : 0;
}

/** Behind the entries of `within`, whose first `depth` bytes are the same, that have `byte` next as the first has. */
export function endOfByte(index: NameIndex, within: Range, depth: number, byte: number): number {
  let low = within.start;
  let high = within.end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (entryByte(index, middle, depth) === byte) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The name that is `text` and nothing more, by the entries that start with it: it comes first among them. */
export function nameOf(index: NameIndex, { start, end }: Range, text: Uint8Array): number | undefined {
  if (start === end || index.entryOffsets[start] !== 0) return undefined;
  const name = index.entryNames[start] as number;
  const length = (index.nameOffsets[name + 1] as number) - (index.nameOffsets[name] as number);
  return length === text.length ? name : undefined;
}

/** The name that is `text`, by its place among the names. */
export function findName(index: NameIndex, text: Uint8Array): number | undefined {
  const { nameOffsets, nameText } = index;
  let low = 0;
  let high = index.nameCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = nameOffsets[middle] as number;
    const length = (nameOffsets[middle + 1] as number) - start;
    const shared = Math.min(length, text.length);
    let at = 0;
    while (at < shared && nameText[start + at] === text[at]) at++;
    const order = at < shared ? (nameText[start + at] as number) - (text[at] as number) : length - text.length;
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return undefined;
}

/** The ranks of the places of a name, ascending. */
export function ranksOfName({ rankStarts, ranks }: NameIndex, name: number): Uint32Array {
  const start = rankStarts[name];
  const end = rankStarts[name + 1];
  // In a damaged file: there is no such name, or it has no list.
  if (start === undefined || end === undefined) return ranks.subarray(0, 0);
  return ranks.subarray(start, end);
}

/** The TOP_COUNT lowest ranks of the names that a range of entries starts, and of those it is inside of. */
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
 * Whether each of `words` starts a word of the name, a different one each. They must be sorted, longer ones first: of
 * two that start one word the shorter starts the longer, so the longer may take any word that is left.
 */
export function hasWords(index: NameIndex, name: number, words: readonly Uint8Array[]): boolean {
  const { nameText } = index;
  const start = index.nameOffsets[name] as number;
  // A damaged file could have the name end behind all names.
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
