/**
 * Makes a part from a delta (delta-layout.ts) and its base. Nothing of a delta is trusted: whatever its bytes are, the
 * decoder reads within the base and the lists, makes at most as many bytes as the part has, and takes at most a step for
 * each byte of the delta. It does not know whether these are the right bytes: the part's digest tells. Memory: 5 MiB,
 * used again for each delta.
 */
import { ChannelError } from '../channel-error.js';
import type { Range } from '../snapshot-parts.js';
import { BASE_PAGE_BYTES, BaseReader } from './base-reader.js';
import {
  COPY,
  CORRECT,
  type DeltaLists,
  decodeSigned,
  INSERT,
  ListReader,
  MOVE,
  REPLACE,
  STEP_KINDS,
  splitDelta,
} from './delta-layout.js';
import { ShiftTable } from './shift-table.js';

/** Length of the pieces in which a part is made, in bytes: 64 KiB. */
const PIECE_BYTES = 1 << 16;

export class DeltaDecoder {
  readonly #shifts = new ShiftTable();
  readonly #base = new BaseReader();
  readonly #piece = Buffer.alloc(PIECE_BYTES);
  readonly #view = new DataView(this.#piece.buffer, this.#piece.byteOffset, PIECE_BYTES);
  /** Number of bytes of the piece that are made. */
  #made = 0;
  /** In bytes of the base. */
  #cursor = 0;

  /**
   * The pieces of a part of `length` bytes, whose base is the `ranges` of the open file `fd`. Each piece uses the memory
   * of the one before. For one delta at a time. Throws ChannelError DELTA_INVALID, or SnapshotError FILE_TOO_SHORT.
   */
  *decode(delta: Buffer, fd: number, ranges: readonly Range[], length: number): Generator<Uint8Array> {
    const lists = splitDelta(delta);
    if (lists === undefined) throw deltaInvalid('its lists are longer than itself');
    this.#base.open(fd, ranges);
    this.#made = 0;
    this.#cursor = 0;
    const readers = readersOf(lists);
    const { steps, corrections, literals } = readers;
    for (let missing = length; missing > 0; ) {
      const head = next(steps);
      const width = head % 2 === 1 ? 4 : 1;
      const count = Math.floor(head / 2);
      if (count === 0 || count * width > missing) throw deltaInvalid(`a segment of ${count} elements`);
      this.#moveTo(this.#cursor + decodeSigned(next(steps)), width);
      yield* this.#decodeSegment(readers, count, width);
      missing -= count * width;
    }
    if (this.#made > 0) yield this.#piece.subarray(0, this.#made);
    if (!steps.isAtEnd || !corrections.isAtEnd || !literals.isAtEnd) throw deltaInvalid('bytes behind the part');
  }

  *#decodeSegment(readers: ListReaders, count: number, width: 1 | 4): Generator<Uint8Array> {
    if (width === 4) {
      this.#shifts.clear();
      // A number lies in one piece, and in one page of the base.
      if (this.#made > 0) yield* this.#flush();
    }
    for (let missing = count; missing > 0; ) {
      const step = next(readers.steps);
      const kind = step % STEP_KINDS;
      let elements = Math.floor(step / STEP_KINDS);
      if (kind === MOVE) {
        this.#moveTo(this.#cursor + decodeSigned(elements) * width, width);
        continue;
      }
      if (elements > missing) throw deltaInvalid(`a step of ${elements} elements`);
      missing -= elements;
      while (elements > 0) {
        if (this.#made === PIECE_BYTES) yield* this.#flush();
        const most = Math.min(elements, (PIECE_BYTES - this.#made) / width);
        elements -= this.#make(kind, most, width, readers);
      }
    }
  }

  *#flush(): Generator<Uint8Array> {
    yield this.#piece.subarray(0, this.#made);
    this.#made = 0;
  }

  /** Makes at most `most` elements, and returns how many. */
  #make(kind: number, most: number, width: 1 | 4, { corrections, literals }: ListReaders): number {
    if (kind === REPLACE || kind === INSERT) {
      const bytes = literals.readBytes(most * width);
      if (bytes.length < most * width) throw deltaInvalid('too few literals');
      this.#piece.set(bytes, this.#made);
      this.#made += bytes.length;
      if (kind === REPLACE) this.#moveTo(this.#cursor + bytes.length, width);
      return most;
    }
    if (kind === COPY && width === 1) return this.#copyBytes(most);
    if (kind === COPY) return this.#makeNumbers(most, undefined);
    if (kind === CORRECT && width === 4) return this.#makeNumbers(most, corrections);
    throw deltaInvalid(`a step of kind ${kind}`);
  }

  #copyBytes(most: number): number {
    const page = this.#pageAtCursor();
    const start = this.#cursor % BASE_PAGE_BYTES;
    const bytes = page.subarray(start, start + most);
    this.#piece.set(bytes, this.#made);
    this.#made += bytes.length;
    this.#cursor += bytes.length;
    return bytes.length;
  }

  #makeNumbers(most: number, corrections: ListReader | undefined): number {
    const page = this.#pageAtCursor();
    const start = this.#cursor % BASE_PAGE_BYTES;
    const count = Math.min(most, Math.floor((page.length - start) / 4));
    // A base whose length is no multiple of four ends with bytes that are no number.
    if (count === 0) throw deltaInvalid('a copy from behind the base');
    const numbers = new DataView(page.buffer, page.byteOffset + start, 4 * count);
    for (let at = 0; at < 4 * count; at += 4) {
      const number = numbers.getUint32(at, true);
      let shift = this.#shifts.shiftOf(number);
      if (corrections !== undefined) shift = (shift + decodeSigned(next(corrections))) | 0;
      this.#shifts.learn(number, shift);
      this.#view.setUint32(this.#made + at, (number + shift) >>> 0, true);
    }
    this.#made += 4 * count;
    this.#cursor += 4 * count;
    return count;
  }

  #pageAtCursor(): Uint8Array {
    if (this.#cursor >= this.#base.length) throw deltaInvalid('a copy from behind the base');
    return this.#base.pageAt(this.#cursor);
  }

  #moveTo(cursor: number, width: 1 | 4): void {
    if (cursor < 0 || cursor > this.#base.length || cursor % width !== 0) throw deltaInvalid(`a cursor at ${cursor}`);
    this.#cursor = cursor;
  }
}

interface ListReaders {
  readonly steps: ListReader;
  readonly corrections: ListReader;
  readonly literals: ListReader;
}

function readersOf({ steps, corrections, literals }: DeltaLists): ListReaders {
  return {
    steps: new ListReader(steps),
    corrections: new ListReader(corrections),
    literals: new ListReader(literals),
  };
}

function next(list: ListReader): number {
  const number = list.readVarint();
  if (number === undefined) throw deltaInvalid('a list that ends early');
  return number;
}

/** The digest of the delta is right, and that of its base: so the publisher's program made it wrong. */
export function deltaInvalid(found: string): ChannelError {
  return new ChannelError('DELTA_INVALID', `a delta has ${found}`, 'tell the publisher of the release');
}
