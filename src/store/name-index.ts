/**
 * Suggestions for a folded query (src/format/name-index.ts): two binary searches for the entries that start with it,
 * then the best ranks among them, looked through where there are few and ready-made where there are many. No heap
 * but the result.
 */
import { probeSlots } from '../format/hash.js';
import { hashRange, type NameIndex, NO_RANK, scanEntries, TOP_COUNT, TOP_RANGE } from '../format/name-index.js';
import type { Range } from './place-tree.js';

/**
 * The ranks of the best places for a folded query, at most `limit` (up to TOP_COUNT): places of exactly that name
 * first, then those whose name starts with it, then those with a later word that does; by rank within each.
 */
export function findRanks(index: NameIndex, folded: string, limit: number): number[] {
  const query = Buffer.from(folded, 'latin1');
  const range = findEntries(index, query);
  if (range.end === range.start) return [];
  const found: number[] = [];
  const fullName = fullMatch(index, range, query.length);
  if (fullName !== undefined) takeRanks(found, ranksOfName(index, fullName), limit);
  if (found.length >= limit) return found;
  const { starting, inner } =
    range.end - range.start > TOP_RANGE ? topOfRange(index, range) : scanEntries(index, range.start, range.end);
  takeRanks(found, starting, limit);
  takeRanks(found, inner, limit);
  return found;
}

/** The entries whose text starts with `query`. */
export function findEntries(index: NameIndex, query: Uint8Array): Range {
  return { start: lowerBound(index, query, false), end: lowerBound(index, query, true) };
}

/** The first entry that is not before `query`, or, with `behind`, the first that is behind all that start with it. */
function lowerBound(index: NameIndex, query: Uint8Array, behind: boolean): number {
  let low = 0;
  let high = index.entryCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareEntry(index, middle, query);
    if (order < 0 || (order === 0 && behind)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Negative where the entry's text is before `query`, 0 where it starts with it, positive where it is behind. */
function compareEntry(index: NameIndex, entry: number, query: Uint8Array): number {
  const name = index.entryNames[entry] as number;
  const start = (index.nameOffsets[name] as number) + (index.entryOffsets[entry] as number);
  const length = (index.nameOffsets[name + 1] as number) - start;
  for (let at = 0; at < query.length; at++) {
    if (at >= length) return -1;
    const difference = (index.nameText[start + at] as number) - (query[at] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The name that is the query and nothing more: its entry comes first in the range. */
function fullMatch(index: NameIndex, range: Range, length: number): number | undefined {
  const name = index.entryNames[range.start] as number;
  const isWhole = index.entryOffsets[range.start] === 0;
  const nameLength = (index.nameOffsets[name + 1] as number) - (index.nameOffsets[name] as number);
  return isWhole && nameLength === length ? name : undefined;
}

function ranksOfName(index: NameIndex, name: number): Uint32Array {
  return index.ranks.subarray(index.rankStarts[name], index.rankStarts[name + 1]);
}

/** Ranges of more than TOP_RANGE entries have their best ranks in the file. */
function topOfRange(index: NameIndex, range: Range): { starting: Iterable<number>; inner: Iterable<number> } {
  let found: number | undefined;
  probeSlots(index.topSlots, hashRange(range.start, range.end), (top) => {
    if (index.topRanges[top * 2] === range.start && index.topRanges[top * 2 + 1] === range.end) found = top;
    return found !== undefined;
  });
  const start = (found ?? 0) * 2 * TOP_COUNT;
  if (found === undefined) return { starting: [], inner: [] };
  return {
    starting: index.topRanks.subarray(start, start + TOP_COUNT),
    inner: index.topRanks.subarray(start + TOP_COUNT, start + 2 * TOP_COUNT),
  };
}

/** Moves ranks over, without repeats, until there are `limit`. */
function takeRanks(found: number[], ranks: Iterable<number>, limit: number): void {
  for (const rank of ranks) {
    if (rank === NO_RANK || found.length >= limit) return;
    if (!found.includes(rank)) found.push(rank);
  }
}
