/**
 * Looking names up (src/format/name-index.ts), by binary search. Texts are folded, as bytes; what is found are ranges of
 * entries, and ranks: of the few where there are few, ready-made where there are many. No heap but the results.
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
import { HEAD_BYTES, HEAD_STEP } from '../format/text-heads.js';
import { type Range, rangeAt } from './mapped-numbers.js';
import { endByHeads, lowerBoundByHeads } from './text-heads.js';

const SPACE = 0x20;
/** Words of a name behind these are not told apart: as many as bits of a mask. */
const MAX_NAME_WORDS = 31;
const NO_RANKS = new Uint32Array(0);

/** All entries. */
export function everyEntry(index: NameIndex): Range {
  return { start: 0, end: index.entryCount };
}

/** The entries that start with `text`. */
export function findEntries(index: NameIndex, text: Uint8Array): Range {
  const { entryCount } = index;
  const heads = { heads: index.entryHeads, step: HEAD_STEP, count: entryCount };
  const isBefore = (entry: number): boolean => compareEntry(index, entry, text, 0) < 0;
  const start = lowerBoundByHeads(heads, text, isBefore);
  const begins = (entry: number): boolean => compareEntry(index, entry, text, 0) === 0;
  const end =
    text.length <= HEAD_BYTES
      ? endByHeads(heads, text, start, begins)
      : endOfStart(index, text, { start, end: entryCount });
  return { start, end };
}

/** The entries of `within`, which share their first `depth` bytes, whose text goes on with `text` from there. */
export function findEntriesWithin(index: NameIndex, text: Uint8Array, within: Range, depth: number): Range {
  const start = lowerBound(within.start, within.end, (entry) => compareEntry(index, entry, text, depth) < 0);
  return { start, end: endOfStart(index, text, { start, end: within.end }, depth) };
}

/** Behind the entries at the start of `within` that have `text` at `depth`: none before the first has it. */
export function endOfStart(index: NameIndex, text: Uint8Array, within: Range, depth: number = 0): number {
  const { start, end } = within;
  // Mostly there are few: looking for the end near the start is half of the way.
  let step = 8;
  while (start + step < end && compareEntry(index, start + step, text, depth) === 0) step *= 8;
  return lowerBound(start, Math.min(end, start + step), (entry) => compareEntry(index, entry, text, depth) <= 0);
}

/** Negative where the entry's text from `depth` on is before `text`, 0 where it starts so, positive where it is behind. */
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

/** The byte of an entry's text at `depth`; 0 behind its end. */
export function entryByte(index: NameIndex, entry: number, depth: number): number {
  const name = index.entryNames[entry] as number;
  const at = (index.nameOffsets[name] as number) + (index.entryOffsets[entry] as number) + depth;
  return at < (index.nameOffsets[name + 1] as number) ? (index.nameText[at] as number) : 0;
}

/** Behind the entries of `within`, whose first `depth` bytes are the same, that have `byte` next as the first has. */
export function endOfByte(index: NameIndex, within: Range, depth: number, byte: number): number {
  return lowerBound(within.start, within.end, (entry) => entryByte(index, entry, depth) === byte);
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
  const { nameCount } = index;
  const heads = { heads: index.nameHeads, step: HEAD_STEP, count: nameCount };
  const name = lowerBoundByHeads(heads, text, (at) => compareName(index, at, text) < 0);
  return name < nameCount && compareName(index, name, text) === 0 ? name : undefined;
}

/** Negative where the name, from its byte `from` on, is before `text`, 0 where it is `text`, positive where it is behind. */
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

/** The ranks of the places of a name, ascending, whether it is their own or another one. */
export function ranksOfName(index: NameIndex, name: number): Uint32Array {
  const { start, end } = rangeAt(index.rankStarts, name, index.ranks.length);
  const found = index.ranks.subarray(start, end);
  // Cities with another name come last, if any do.
  return start < end && isOtherAt(index, end - 1) ? found.map((rank) => rank & ~OTHER_NAME).sort() : found;
}

/** The ranks of the places whose own name it is, and of the cities that have it as another one, each ascending. */
export function splitRanksOfName(index: NameIndex, name: number): { own: Uint32Array; other: Uint32Array } {
  const { start, end } = rangeAt(index.rankStarts, name, index.ranks.length);
  // Few cities have other names, and few names are another one.
  const firstOther =
    start < end && isOtherAt(index, end - 1) ? lowerBound(start, end, (at) => !isOtherAt(index, at)) : end;
  return {
    own: index.ranks.subarray(start, firstOther),
    other: firstOther === end ? NO_RANKS : index.ranks.subarray(firstOther, end).map((rank) => rank & ~OTHER_NAME),
  };
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
