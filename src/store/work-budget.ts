/**
 * How much one query may look at, all in all: every search, entry, rank, comparison and text that is looked at takes
 * units off the query's one budget before, and where they do not suffice the query ends with what it has found. Units
 * are counted and not timed, so an answer is the same on every machine. A unit stands for 20 to 60 nanoseconds over the
 * names of the world, more where the file is not in the processor's caches yet.
 */
import type { Range } from './mapped-numbers.js';

/** What a query may spend: about a millisecond at the worst, twice that where nothing is in the caches. 99 of 100 starts of names take less than a tenth of it. */
export const MAX_WORK = 20_000;

/** The units of what a lookup does; a binary search costs as many for each of its steps. */
export const WORK = {
  /** A step of a binary search. */
  step: 3,
  /** An entry, or a rank of its name, in a list. */
  listed: 1,
  /** An entry of a range whose best ranks are looked for. */
  scanned: 4,
  /** A postal code that is looked up. */
  probe: 10,
  /** The place of a rank, and what is known of the unit that it lies in. */
  place: 1,
  /** The text of a unit that nothing is known of, and for each 16 bytes of it one more. */
  text: 20,
  /** A name in which one word is looked for. */
  word: 2,
  /** An entry that is compared with what was typed, letter by letter. */
  comparison: 10,
} as const;

export class WorkBudget {
  readonly #units: number;
  #left: number;
  #isSpent = false;

  constructor(units: number = MAX_WORK) {
    this.#units = units;
    this.#left = units;
  }

  /** Takes units for what is to be done next; false, and from then on always, where not so many are left. */
  spend(units: number): boolean {
    if (units > this.#left) this.#isSpent = true;
    if (!this.#isSpent) this.#left -= units;
    return !this.#isSpent;
  }

  /** Takes what finding the start and the end of something in a range costs. */
  spendSearch({ start, end }: Range): boolean {
    return this.spend(WORK.step * (33 - Math.clz32(end - start)));
  }

  get isHalfSpent(): boolean {
    return this.#left * 2 < this.#units;
  }

  /** Whether something was left undone. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  get spentUnits(): number {
    return this.#units - this.#left;
  }
}
