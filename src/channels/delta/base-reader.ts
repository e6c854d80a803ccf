/**
 * Reads single bytes and numbers of a delta's base from an open file, a page at a time. The pages that were read last
 * are kept: points and text that moved are read from all over an array. Memory: 4 MiB.
 */
import { readInto } from '../../store/open-file.js';
import { lengthOf, type Range, slicedRanges } from '../snapshot-parts.js';

/** Length of a page in bytes: 16 KiB, which takes little longer to read than a byte. */
export const BASE_PAGE_BYTES = 1 << 14;
const PAGES = 256;

export class BaseReader {
  readonly #memory = new Uint8Array(PAGES * BASE_PAGE_BYTES);
  /** The number of the page that each place in the memory has; -1 where it has none. */
  readonly #numbers = new Int32Array(PAGES).fill(-1);
  #fd = -1;
  #ranges: readonly Range[] = [];
  #length = 0;

  /** Reads from these ranges of `fd`, one behind the other, from now on. */
  open(fd: number, ranges: readonly Range[]): void {
    this.#numbers.fill(-1);
    this.#fd = fd;
    this.#ranges = ranges;
    this.#length = lengthOf(ranges);
  }

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  /**
   * The page that has the byte at `offset`, which lies within the length, from its start; the last page may end earlier.
   * Valid until the next call. Throws SnapshotError FILE_TOO_SHORT.
   */
  pageAt(offset: number): Uint8Array {
    const number = Math.floor(offset / BASE_PAGE_BYTES);
    const place = number % PAGES;
    const start = number * BASE_PAGE_BYTES;
    const length = Math.min(BASE_PAGE_BYTES, this.#length - start);
    const page = this.#memory.subarray(place * BASE_PAGE_BYTES, place * BASE_PAGE_BYTES + length);
    if (this.#numbers[place] !== number) this.#read(start, page, place, number);
    return page;
  }

  #read(start: number, page: Uint8Array, place: number, number: number): void {
    this.#numbers[place] = -1;
    let done = 0;
    for (const { offset, length } of slicedRanges(this.#ranges, { offset: start, length: page.length })) {
      readInto(this.#fd, offset, page.subarray(done, done + length));
      done += length;
    }
    this.#numbers[place] = number;
  }
}
