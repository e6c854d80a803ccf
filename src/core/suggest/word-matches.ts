/**
 * The places whose name matches a query in one way or another: the reasons of name-search.ts that need more than a lookup
 * of the whole query. Results are ranks, best first, at most TOP_COUNT.
 */

import { bytesOf } from '../snapshot/byte-string.js';
import {
  hasNameWords,
  insertFirstNameRanks,
  insertNameRank,
  type NameIndex,
  nameEntryCount,
  TOP_COUNT,
} from '../snapshot/name-index.js';
import { WORK } from '../snapshot/work-budget.js';
import type { NameQuery } from './name-query.js';
import type { NameSplit, TypedText } from './name-splits.js';

/**
 * Maximum number of entries that startWithin and anyOrder read: a start with more entries says too little.
 */
export const MAX_SCANNED = 1024;

/** The matches of the reasons nameWithin, nameNear and otherWithin. */
interface ContextMatches {
  readonly within: number[];
  readonly near: number[];
  /** By alternative names of cities that are not big. */
  readonly other: number[];
}

export class NameMatches {
  readonly #index: NameIndex;
  /** Whether a match may be among entries that were not read, because there are more than MAX_SCANNED. */
  isUnsure = false;

  constructor(
    private readonly names: NameQuery,
    /** Maximum number of ranks that the reason startWithin looks for. */
    private readonly limit: number,
  ) {
    this.#index = names.index;
  }

  /** The reasons nameWithin and nameNear, and otherWithin for alternative names of cities that are not big. */
  findInContext(splits: readonly NameSplit[]): ContextMatches {
    const found: ContextMatches = { within: [], near: [], other: [] };
    const bigEnd = this.#index.cityEnds[0] as number;
    for (const split of splits) {
      const name = this.names.findNameOf(split);
      if (name === undefined) continue;
      this.names.visitWithin(split, name, (rank, match, isOther) => {
        const list = match === 'whole' ? found.within : found.near;
        insertNameRank(isOther && rank >= bigEnd ? found.other : list, rank);
      });
    }
    return found;
  }

  /**
   * The reason wordTooMany: cities that match the query without one or two of its words, by name or else by nameWithin.
   * Lookups by name cost less and come first.
   */
  findCitiesWithout(typed: TypedText): number[] {
    const cityEnd = this.#index.cityEnds[1] as number;
    const texts = [1, 2].map((count) => typed.listWithout(count));
    for (const ofCount of texts) {
      const found: number[] = [];
      for (const { bytes } of ofCount) {
        const name = this.names.findName(bytes);
        const ranks = name === undefined ? [] : this.names.ranksOf(name);
        for (const rank of ranks.slice(0, TOP_COUNT)) if (rank < cityEnd) insertNameRank(found, rank);
      }
      if (found.length > 0) return found;
    }
    for (const ofCount of texts) {
      const found: number[] = [];
      for (const { splits } of ofCount) {
        for (const rank of this.findInContext(splits).within) if (rank < cityEnd) insertNameRank(found, rank);
      }
      if (found.length > 0) return found;
    }
    return [];
  }

  /** The places with one of some texts as their name; alternative names of cities only. */
  findNamed(texts: readonly TypedText[]): number[] {
    const cityEnd = this.#index.cityEnds[1] as number;
    const found: number[] = [];
    for (const { bytes } of texts) {
      const name = this.names.findName(bytes);
      if (name === undefined) continue;
      const { own, other } = this.names.splitRanksOf(name);
      insertFirstNameRanks(found, own);
      insertFirstNameRanks(
        found,
        other.filter((rank) => rank < cityEnd),
      );
    }
    return found;
  }

  /** The places with one of some texts as in nameWithin. */
  findNamedInContext(texts: readonly TypedText[]): number[] {
    const found: number[] = [];
    for (const { splits } of texts) for (const rank of this.findInContext(splits).within) insertNameRank(found, rank);
    return found;
  }

  /** The places of the longest run of words that is a name: of at least a share of the letters, or else a big city. */
  findInside(typed: TypedText, share: number): number[] {
    const bigEnd = this.#index.cityEnds[0] as number;
    const runs = typed.listRuns();
    const isLong = ({ bytes }: TypedText): boolean => bytes.length >= typed.bytes.length * share;
    for (const texts of runs) {
      const found = this.findNamed(texts.filter(isLong));
      if (found.length > 0) return found;
    }
    for (const texts of runs) {
      const found = this.findNamed(texts).filter((rank) => rank < bigEnd);
      if (found.length > 0) return found;
    }
    return [];
  }

  /** The reason reordered. */
  findReordered(typed: TypedText): number[] {
    const found: number[] = [];
    for (const { name: text, split } of typed.listReordered()) {
      const name = this.names.findName(text);
      if (name === undefined) continue;
      if (split === undefined) insertFirstNameRanks(found, this.names.ranksOf(name));
      else this.names.visitWithin(split, name, (rank, match) => match === 'whole' && insertNameRank(found, rank));
    }
    return found;
  }

  /** The reason startWithin. */
  findStartWithin(splits: readonly NameSplit[]): number[] {
    const found: number[] = [];
    for (const split of splits) {
      const fitting = new Set<number>();
      for (const rank of this.#ranksToScan(split.name)) {
        if (fitting.size === this.limit || this.names.work.isSpent) break;
        if (this.names.match(split, rank) !== 'none') fitting.add(rank);
      }
      for (const rank of fitting) insertNameRank(found, rank);
    }
    return found;
  }

  /**
   * The ranks of all names in which a word starts with the text, ascending; only the best ranks if there are more than
   * MAX_SCANNED entries.
   */
  #ranksToScan(text: Uint8Array): Iterable<number> {
    const entries = this.names.findEntries(text);
    if (nameEntryCount(entries) <= MAX_SCANNED) return this.names.listRanks(entries);
    const { starting, inner } = this.names.bestRanks(text, entries);
    return [...starting, ...inner].sort((a, b) => a - b);
  }

  /** The reason anyOrder; `isOwn` tells that alternative names don't count. */
  findAnyOrder(typed: TypedText, isOwn: boolean): number[] {
    const found: number[] = [];
    if (!typed.isDivisible()) return found;
    const words = typed.words.map(bytesOf).sort((a, b) => b.length - a.length);
    const ranges = words.map((word) => this.names.findEntries(word));
    const fewest = ranges.reduce((best, range) => (nameEntryCount(range) < nameEntryCount(best) ? range : best));
    if (nameEntryCount(fewest) > MAX_SCANNED) {
      this.isUnsure = true;
      return found;
    }
    const costs = words.length * WORK.word;
    for (let entry = fewest.start; entry < fewest.end && this.names.work.spend(costs); entry++) {
      const name = this.#index.entryNames[entry] as number;
      if (!hasNameWords(this.#index, name, words)) continue;
      insertFirstNameRanks(found, isOwn ? this.names.splitRanksOf(name).own : this.names.ranksOf(name));
    }
    return found;
  }
}
