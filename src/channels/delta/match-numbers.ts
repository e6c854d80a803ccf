/**
 * Aligns the numbers of a segment with those of the base. While the numbers are as ShiftTable predicts them they are
 * copied. Where one is not, the alignment is tried in which up to MAX_GAP numbers came or went, and then one that a table
 * finds by three equal numbers; otherwise the number is corrected or replaced. Greedy. Time: linear; each number that is
 * not predicted costs a look at some eighty alignments.
 */
import type { DeltaWriter } from './delta-writer.js';
import type { ShiftTable } from './shift-table.js';

/** Maximum number of numbers that came or went in one place. */
const MAX_GAP = 8;
/** Number of numbers by which an alignment is judged. */
const JUDGED = 12;
/** Maximum difference from the predicted number of one that may be the same: 256, the best of 64, 256 and 4,096. */
const NEAR = 256;
/**
 * Maximum difference of a number that is corrected although the next number has another shift: as a varint the
 * correction has no more bytes than the number itself.
 */
const MAX_CORRECTION = 1 << 16;

/**
 * How often the table of seeds finds nothing before it is made again: so many times, and for this share of the base's
 * numbers. Each time costs as much as some hundredth of the numbers.
 */
const [MAX_FAILURES, MAX_FAILURE_SHARE] = [64, 1 / 256];

/** Points of one of the judged numbers. */
const [PREDICTED, SHIFTED_ALIKE, IS_NEAR, IS_FAR] = [4, 3, 1, -2];
/** Minimum points of an alignment, and points after which no better one is sought. */
const [ACCEPTED, GOOD] = [JUDGED, (PREDICTED - 1) * JUDGED];

/** Writes the steps of `target`, with the cursor at `start` in `base`, both in numbers. `shifts` is clear. */
export function matchNumbers(
  target: Uint32Array,
  base: Uint32Array,
  start: number,
  writer: DeltaWriter,
  shifts: ShiftTable,
): void {
  const aligner = new Aligner(target, base, shifts);
  let [done, cursor] = [0, start];
  const write = (count: number): Uint8Array => bytesOf(target.subarray(done, done + count));
  while (done < target.length) {
    const before = done;
    for (; done < target.length && cursor < base.length; done++, cursor++) {
      const number = base[cursor] as number;
      const shift = shifts.shiftOf(number);
      if ((number + shift) >>> 0 !== target[done]) break;
      shifts.learn(number, shift);
    }
    writer.copy(done - before);
    if (done === target.length) return;
    const { inserted, moved } = aligner.align(done, cursor);
    if (inserted !== moved) {
      writer.insert(write(inserted));
      writer.move(moved);
      done += inserted;
      cursor += moved;
      continue;
    }
    for (let count = Math.max(1, inserted); count > 0; count--, done++, cursor++) {
      if (cursor >= base.length) {
        // A cursor never leaves the base.
        writer.insert(write(1));
        cursor--;
        continue;
      }
      const number = base[cursor] as number;
      const shift = ((target[done] as number) - number) | 0;
      const difference = (shift - shifts.shiftOf(number)) | 0;
      // A number that is replaced teaches no shift, and where 100 kB of text came, all offsets behind it shift alike.
      const shiftAfter = ((target[done + 1] as number) - (base[cursor + 1] as number)) | 0;
      const isAlike = done + 1 < target.length && cursor + 1 < base.length && shiftAfter === shift;
      if (isAlike || Math.abs(difference) < MAX_CORRECTION) {
        writer.correct(difference);
        shifts.learn(number, shift);
      } else writer.replace(write(1));
    }
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

interface Alignment {
  /** How many numbers of the target come first, and by how many the cursor moves; the same where they are replaced. */
  readonly inserted: number;
  readonly moved: number;
}

const NO_ALIGNMENT: Alignment = { inserted: 0, moved: 0 };

class Aligner {
  readonly #predicted = new Uint32Array(MAX_GAP + 1);
  #seeds: SeedTable | undefined;
  /** How often the table has found nothing. */
  #failures = 0;

  constructor(
    private readonly target: Uint32Array,
    private readonly base: Uint32Array,
    private readonly shifts: ShiftTable,
  ) {}

  /** How the numbers from `done` on are those of the base near `cursor`, or elsewhere. */
  align(done: number, cursor: number): Alignment {
    let best = this.#judge(done, cursor);
    let alignment = NO_ALIGNMENT;
    const mostInserted = Math.min(MAX_GAP, this.target.length - 1 - done);
    const mostMoved = Math.min(MAX_GAP, this.base.length - 1 - cursor);
    this.#predict(cursor, mostMoved);
    for (let gap = 1; gap <= 2 * MAX_GAP && best < GOOD; gap++) {
      for (let inserted = Math.max(0, gap - mostMoved); inserted <= Math.min(gap, mostInserted); inserted++) {
        const moved = gap - inserted;
        const difference = ((this.target[done + inserted] as number) - (this.#predicted[moved] as number)) | 0;
        if (difference > NEAR || difference < -NEAR) continue;
        const points = this.#judge(done + inserted, cursor + moved) - gap;
        if (points > best) [best, alignment] = [points, { inserted, moved }];
      }
    }
    if (best >= ACCEPTED) return alignment;
    const found = this.#findElsewhere(done);
    return found !== undefined && found !== cursor && this.#judge(done, found) >= 2 * ACCEPTED
      ? { inserted: 0, moved: found - cursor }
      : NO_ALIGNMENT;
  }

  /** The shifts are known better from time to time, so the table is made again. */
  #findElsewhere(done: number): number | undefined {
    if (this.#seeds === undefined || this.#failures > MAX_FAILURES + this.base.length * MAX_FAILURE_SHARE) {
      this.#seeds = new SeedTable(this.base, this.shifts);
      this.#failures = 0;
    }
    const found = this.#seeds.find(this.target, done);
    if (found === undefined) this.#failures++;
    return found;
  }

  /** Of the number at the cursor and the next `count`. */
  #predict(cursor: number, count: number): void {
    for (let moved = 0; moved <= count; moved++) {
      const number = this.base[cursor + moved] as number;
      this.#predicted[moved] = number + this.shifts.shiftOf(number);
    }
  }

  #judge(start: number, baseStart: number): number {
    const count = Math.min(JUDGED, this.target.length - start, this.base.length - baseStart);
    let points = JUDGED - count;
    let shiftBefore: number | undefined;
    for (let index = 0; index < count; index++) {
      const number = this.base[baseStart + index] as number;
      const shift = ((this.target[start + index] as number) - number) | 0;
      const difference = (shift - this.shifts.shiftOf(number)) | 0;
      if (difference === 0) points += PREDICTED;
      else if (shift === shiftBefore) points += SHIFTED_ALIKE;
      else points += difference <= NEAR && difference >= -NEAR ? IS_NEAR : IS_FAR;
      shiftBefore = shift;
    }
    return points;
  }
}

/** The positions of three numbers of the base by the hash of what is predicted of them; of equal ones the last. */
class SeedTable {
  /** Position plus one; 0 where there is none. */
  readonly #entries: Uint32Array;
  readonly #shift: number;

  constructor(base: Uint32Array, shifts: ShiftTable) {
    const bits = Math.max(4, 32 - Math.clz32(base.length));
    this.#shift = 32 - bits;
    this.#entries = new Uint32Array(1 << bits);
    const predicted = base.map((number) => number + shifts.shiftOf(number));
    for (let at = 0; at + 3 <= base.length; at++) this.#entries[this.#hash(predicted, at)] = at + 1;
  }

  /** A position where the base may have the numbers. Zeros, such as those of empty slots, tell nothing. */
  find(target: Uint32Array, at: number): number | undefined {
    if (at + 3 > target.length) return undefined;
    if (target[at] === 0 && target[at + 1] === 0 && target[at + 2] === 0) return undefined;
    const entry = this.#entries[this.#hash(target, at)] as number;
    return entry === 0 ? undefined : entry - 1;
  }

  #hash(numbers: Uint32Array, at: number): number {
    const first = Math.imul(numbers[at] as number, 0x9e3779b1);
    const second = Math.imul(numbers[at + 1] as number, 0x85ebca6b);
    const third = Math.imul(numbers[at + 2] as number, 0x27d4eb2f);
    const mixed = Math.imul(first ^ second ^ ((first ^ second) >>> 15), 0xc2b2ae35) ^ third;
    return Math.imul(mixed ^ (mixed >>> 13), 0x9e3779b1) >>> this.#shift;
  }
}
