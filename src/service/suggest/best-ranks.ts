/**
 * The best ranks of a range of entries of a name index, within the budget of a query: those of all places, or those of
 * some types.
 */
import { type BestRanks, isOtherAt, type NameIndex, rankAt, TOP_COUNT, TOP_RANGE } from '../../format/name-index.js';
import { type Range, rangeAt } from '../../store/mapped-numbers.js';
import { bestRanks } from '../../store/name-index.js';
import { WORK, type WorkBudget } from '../../store/work-budget.js';
import { isOfTypes, type SearchScope } from './search-scope.js';
import type { Suggestion } from './suggestion.js';

/**
 * Maximum number of entries of a range whose places are all looked through for those of some types; of a longer range
 * only the best places are.
 */
const MAX_TYPED = 1024;

interface Query {
  readonly scope: SearchScope;
  readonly work: WorkBudget;
}

type PlaceOf = (rank: number) => Suggestion | undefined;

/** `placeOf` tells the place of a rank of the index. */
export function bestRanksIn(query: Query, index: NameIndex, entries: Range, placeOf: PlaceOf): BestRanks {
  const count = entries.end - entries.start;
  if (query.scope.types !== undefined && count <= MAX_TYPED) return bestOfTypes(query, index, entries, placeOf);
  // The best ranks of a longer range are precomputed.
  const scannedCount = count <= TOP_RANGE ? count : 1;
  return query.work.spend(scannedCount * WORK.scanned) ? bestRanks(index, entries) : { starting: [], inner: [] };
}

function bestOfTypes(query: Query, index: NameIndex, entries: Range, placeOf: PlaceOf): BestRanks {
  const [starting, inner] = [new Set<number>(), new Set<number>()];
  for (let entry = entries.start; entry < entries.end && !query.work.isSpent; entry++) {
    const { start, end } = rangeAt(index.rankStarts, index.entryNames[entry] as number, index.ranks.length);
    for (let at = start; at < end && query.work.spend(WORK.listed); at++) {
      const isStarting = index.entryOffsets[entry] === 0 && !isOtherAt(index, at);
      (isStarting ? starting : inner).add(rankAt(index, at));
    }
  }
  return { starting: bestOf(query, starting, placeOf), inner: bestOf(query, inner, placeOf) };
}

function bestOf(query: Query, ranks: ReadonlySet<number>, placeOf: PlaceOf): number[] {
  const fitting: number[] = [];
  for (const rank of Uint32Array.from(ranks).sort()) {
    if (fitting.length === TOP_COUNT || query.work.isSpent) break;
    const found = placeOf(rank);
    if (found !== undefined && isOfTypes(found, query.scope, query.work)) fitting.push(rank);
  }
  return fitting;
}
