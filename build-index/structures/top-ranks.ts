/**
 * Computes the best ranks of every range of entries that is too long to scan per request: the ranges of prefixes with
 * two or three letters. It merges the results of longer prefixes, so that each entry is read once: the best ranks of a
 * range are among those of its parts.
 */

import { lowerBound } from '../../src/format/binary-search.js';
import { buildSlots } from '../../src/format/hash.js';
import {
  type BestRanks,
  encodeTopRanks,
  hashRange,
  insertRank,
  scanEntries,
  TOP_RANGE,
} from '../../src/format/name-index.js';
import type { NameEntries } from './name-entries.js';

interface RankedNames extends NameEntries {
  readonly names: readonly string[];
  readonly rankStarts: Uint32Array;
  readonly ranks: Uint32Array;
  readonly entryRanks: Uint32Array;
}

interface TopRanks {
  readonly topSlots: Uint32Array;
  readonly topRanges: Uint32Array;
  readonly topRanks: Uint32Array;
}

export function findTopRanks(index: RankedNames): TopRanks {
  const ranges: number[] = [];
  const bests: BestRanks[] = [];

  const visit = (start: number, end: number, depth: number): BestRanks => {
    if (end - start <= TOP_RANGE) return scanEntries(index, start, end);
    const best: BestRanks = { starting: [], inner: [] };
    let partCount = 0;
    for (let partStart = start; partStart < end; partCount++) {
      const partEnd = endOfPart(index, partStart, end, depth);
      // Texts that end at this depth have no further letters to split the range by.
      const part =
        characterAt(index, partStart, depth) === 0
          ? scanEntries(index, partStart, partEnd)
          : visit(partStart, partEnd, depth + 1);
      addBest(best.starting, part.starting);
      addBest(best.inner, part.inner);
      partStart = partEnd;
    }
    // A range of one part is the same as the longer prefix's range, which is noted already.
    if (partCount > 1 || characterAt(index, start, depth) === 0) {
      ranges.push(start, end);
      bests.push(best);
    }
    return best;
  };
  visit(0, index.entryNames.length, 0);

  const topSlots = buildSlots(bests.length, (top) =>
    hashRange(ranges[top * 2] as number, ranges[top * 2 + 1] as number),
  );
  return { topSlots, topRanges: Uint32Array.from(ranges), topRanks: encodeTopRanks(bests) };
}

/** The character of an entry's text at `depth`; 0 after the end of the text. */
function characterAt(index: RankedNames, entry: number, depth: number): number {
  const name = index.names[index.entryNames[entry] as number] as string;
  const position = (index.entryOffsets[entry] as number) + depth;
  return position < name.length ? name.charCodeAt(position) : 0;
}

/** The first entry after `start` with a different character at `depth`. */
function endOfPart(index: RankedNames, start: number, end: number, depth: number): number {
  const character = characterAt(index, start, depth);
  return lowerBound(start, end, (entry) => characterAt(index, entry, depth) === character);
}

function addBest(list: number[], others: readonly number[]): void {
  for (const rank of others) insertRank(list, rank);
}
