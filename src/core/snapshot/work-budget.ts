/**
 * The work budget of a query. Every search, entry, rank, comparison and text spends units of the budget before it is
 * read; when the units run out, the query ends with the results so far. Units are counted, not timed, so a result is
 * the same on every machine. A unit takes 20 to 60 nanoseconds over the names of the world, more if the file is not yet
 * in the processor's caches.
 */

import type { Range } from './array-bundle.js';

/**
 * The budget of a query in units: about a millisecond at most, or two with cold caches. 99 of 100 starts of names take
 * less than a tenth of it.
 */
export const MAX_WORK = 20_000;

/** The cost of each kind of work in units. */
export const WORK = {
  /** A step of a binary search. */
  step: 3,
  /** An entry, or a rank of its name, in a list. */
  listed: 1,
  /** An entry of a range in a scan for the best ranks. */
  scanned: 4,
  /** A lookup of a postal code. */
  probe: 10,
  /** The place of a rank, and the cached match of its unit. */
  place: 1,
  /** The text of a unit without a cached match; each 16 bytes of the text cost one more unit. */
  text: 20,
  /** A name, for each word that is searched in it. */
  word: 2,
  /** An entry whose edit distance from the query is computed. */
  comparison: 10,
} as const;

export class WorkBudget {
  readonly #units: number;
  #left: number;
  #isSpent = false;

  /** What is spent is also spent of `pool`, from which several budgets take. */
  constructor(
    units: number = MAX_WORK,
    private readonly pool?: WorkBudget,
  ) {
    this.#units = units;
    this.#left = units;
  }

  /** Another budget of as many units, from the same pool. */
  another(): WorkBudget {
    return new WorkBudget(this.#units, this.pool);
  }

  /** Spends units on the next piece of work. Returns false, from then on always, if not enough units are left. */
  spend(units: number): boolean {
    if (units > this.#left || this.pool?.spend(units) === false) this.#isSpent = true;
    if (!this.#isSpent) this.#left -= units;
    return !this.#isSpent;
  }

  /** Spends the units of a search for the start and the end of a range within a range. */
  spendSearch({ start, end }: Range): boolean {
    return this.spend(WORK.step * (33 - Math.clz32(end - start)));
  }

  get isHalfSpent(): boolean {
    return this.#left * 2 < this.#units;
  }

  /** Whether some work was refused. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  get spentUnits(): number {
    return this.#units - this.#left;
  }
}
