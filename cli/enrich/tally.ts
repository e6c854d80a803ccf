/** Counts the rows of a table by how they were found, and which misses are frequent. Its size does not grow with the table. */

import { copyText } from './copy-text.js';
import type { Match } from './row-finders.js';

/** Maximum number of different misses that are counted; when it is reached, the rarer half of them is dropped. */
const MAX_MISSES = 10_000;
/** Maximum length of a miss in characters. */
const MAX_MISS_LENGTH = 60;
const SHOWN_MISSES = 10;

interface Miss {
  readonly value: string;
  /** At least so often, if the table has very many different misses. */
  readonly count: number;
}

/** What is counted of rows: the matches, the rows without a value in the key columns, and the bad rows. */
export type Counted = Match | 'empty' | 'bad';

export class Tally {
  readonly #counts: Record<Counted, number> = {
    exact: 0,
    normalised: 0,
    partial: 0,
    inferred: 0,
    withdrawn: 0,
    nearest: 0,
    none: 0,
    empty: 0,
    bad: 0,
  };
  #misses = new Map<string, number>();
  readonly #absent = new Map<string, number>();
  #openQuoteLine: number | undefined;

  /** Rows of an interrupted run, which are not counted otherwise. */
  earlierRows = 0;

  /** Rows to whose postal code zeros were put back; they are counted otherwise too. */
  lostZeroRows = 0;

  /** Rows whose address has a postal code that is not one of its town; they are counted as `none` too. */
  codeElsewhereRows = 0;

  get counts(): Readonly<Record<Counted, number>> {
    return this.#counts;
  }

  /** Rows of all kinds. */
  get rowCount(): number {
    return Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
  }

  /** The line where the first quote opens that is not closed as it should be; undefined without one. */
  get openQuoteLine(): number | undefined {
    return this.#openQuoteLine;
  }

  noteOpenQuote(line: number): void {
    this.#openQuoteLine ??= line;
  }

  count(counted: Counted): void {
    this.#counts[counted]++;
  }

  /** Counts a row, which is also counted as `none`, for a country without data. */
  countAbsent(code: string): void {
    this.#absent.set(code, (this.#absent.get(code) ?? 0) + 1);
  }

  /** The codes of countries without data and the numbers of their rows, the most rows first. */
  get absent(): readonly (readonly [string, number])[] {
    return [...this.#absent].sort((a, b) => b[1] - a[1]);
  }

  countMiss(value: string): void {
    const miss = copyText(value.slice(0, MAX_MISS_LENGTH));
    this.#misses.set(miss, (this.#misses.get(miss) ?? 0) + 1);
    if (this.#misses.size > MAX_MISSES) this.#misses = new Map(this.#sortedMisses().slice(0, MAX_MISSES / 2));
  }

  get frequentMisses(): readonly Miss[] {
    return this.#sortedMisses()
      .slice(0, SHOWN_MISSES)
      .map(([value, count]) => ({ value, count }));
  }

  #sortedMisses(): [string, number][] {
    return [...this.#misses].sort((a, b) => b[1] - a[1]);
  }
}
