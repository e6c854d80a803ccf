/**
 * Predicts by how much a 32-bit number of a release is greater than that of the release before. Numbers that refer to
 * the same things shift alike: where three places came before place 700, every 700 of any array is 703 now, and so are
 * its neighbours shifted. The table remembers the last shift of each range of FINE numbers, and for those of which none
 * came yet, of each range of COARSE numbers. Encoder and decoder learn the same shifts in the same order.
 *
 * A table has a fixed size, so a range may take the entry of another one; then it predicts worse. Memory: 1 MiB.
 */

/**
 * Base-2 logarithm of the numbers of a range: 16. Ranges of 4, 64, 1,024 and 65,536 numbers instead of these two make
 * deltas that are hardly shorter.
 */
const FINE_BITS = 4;
/** The same of the wide ranges: 4096 numbers. */
const COARSE_BITS = 12;
/** Entries for each width of ranges: 65,536, of a million numbers. Four times as many make the deltas of three countries no shorter. */
const ENTRIES = 1 << 16;

export class ShiftTable {
  /** The range that an entry is of, plus one; 0 where it has none. */
  readonly #fineRanges = new Uint32Array(ENTRIES);
  readonly #fineShifts = new Int32Array(ENTRIES);
  readonly #coarseRanges = new Uint32Array(ENTRIES);
  readonly #coarseShifts = new Int32Array(ENTRIES);
  #last = 0;

  /** Forgets all shifts. */
  clear(): void {
    this.#fineRanges.fill(0);
    this.#coarseRanges.fill(0);
    this.#last = 0;
  }

  /** The shift to expect of a number of the base, modulo 2^32 and signed. */
  shiftOf(number: number): number {
    const fine = number >>> FINE_BITS;
    if (this.#fineRanges[fine & (ENTRIES - 1)] === fine + 1) return this.#fineShifts[fine & (ENTRIES - 1)] as number;
    const coarse = number >>> COARSE_BITS;
    return this.#coarseRanges[coarse & (ENTRIES - 1)] === coarse + 1
      ? (this.#coarseShifts[coarse & (ENTRIES - 1)] as number)
      : this.#last;
  }

  learn(number: number, shift: number): void {
    const fine = number >>> FINE_BITS;
    this.#fineRanges[fine & (ENTRIES - 1)] = fine + 1;
    this.#fineShifts[fine & (ENTRIES - 1)] = shift;
    const coarse = number >>> COARSE_BITS;
    this.#coarseRanges[coarse & (ENTRIES - 1)] = coarse + 1;
    this.#coarseShifts[coarse & (ENTRIES - 1)] = shift;
    this.#last = shift;
  }
}
