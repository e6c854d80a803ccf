/**
 * The bytes of a delta: how a part is made from its base, the bytes that a machine has of the same country or world
 * section of an earlier release. A delta copies from the base, and holds the rest. Most of a snapshot is arrays of
 * 32-bit numbers that refer to places, names or text; where one row comes or goes, all that lie behind it are shifted. So
 * numbers are not copied as they are, but as ShiftTable predicts them from the base's. The idea of a copy with
 * differences is that of bsdiff (Colin Percival, "Naive differences of executable code", 2003).
 *
 *   0       4             8         8+s           8+s+c
 *   ├ u32 s ┼ u32 c ──────┼ steps ──┼ corrections ┼ literals ─┤
 *   length   length        numbers   numbers       elements
 *   of steps of corrections
 *
 * All numbers but s and c are varints: seven bits a byte, the lowest first, the highest bit set in all but the last
 * byte; at most MAX_VARINT_BYTES. A signed number is stored as 2n, or −2n−1 where it is negative.
 *
 * The part is made segment by segment, from its start. There is a cursor in the base, at 0 first. A segment begins with
 * 2 · its number of elements, plus 1 if they are numbers (u32, little-endian) and not bytes; then comes the signed
 * distance in bytes by which the cursor moves. Then come steps until the segment has its elements. A step is
 * 8 · its count + its kind:
 *
 *   0 copy     count elements, each predicted from the base's element at the cursor, which goes on by one
 *   1 correct  of numbers only: the same, each plus the next signed number of the corrections
 *   2 replace  count elements of the literals; the cursor goes on by as many
 *   3 insert   count elements of the literals; the cursor stays
 *   4 move     the count is a signed number of elements by which the cursor moves
 *
 * A byte is predicted as it is in the base. Each segment of numbers has a ShiftTable of its own.
 *
 * Worked example, for the base `abcdef` and the part `abXdef`:
 *   05 00 00 00  00 00 00 00    5 bytes of steps, none of corrections
 *   0c 00                       a segment of 6 bytes; the cursor stays at 0
 *   10 0a 18                    copy 2, replace 1, copy 3
 *   58                          the literals: X
 */

export const COPY = 0;
export const CORRECT = 1;
export const REPLACE = 2;
export const INSERT = 3;
export const MOVE = 4;
export type StepKind = typeof COPY | typeof CORRECT | typeof REPLACE | typeof INSERT | typeof MOVE;

/** Number by which a count is multiplied before its kind is added. */
export const STEP_KINDS = 8;
/** Length of s and c, in bytes. */
export const DELTA_HEAD_BYTES = 8;
/** Maximum length of a varint in bytes: 42 bits, for 8 · a signed number of 33 bits. */
export const MAX_VARINT_BYTES = 6;
/**
 * Maximum length of a delta in bytes before compression: 4 MiB, which each connection of a pull has in memory. Where a
 * hundredth of the world's rows changed, the longest has 3.6 MB.
 */
export const MAX_DELTA_BYTES = 4 << 20;

/** The three lists of a delta. */
export interface DeltaLists {
  readonly steps: Uint8Array;
  readonly corrections: Uint8Array;
  readonly literals: Uint8Array;
}

export function joinDelta({ steps, corrections, literals }: DeltaLists): Buffer {
  const head = Buffer.alloc(DELTA_HEAD_BYTES);
  head.writeUInt32LE(steps.length, 0);
  head.writeUInt32LE(corrections.length, 4);
  return Buffer.concat([head, steps, corrections, literals]);
}

/** Undefined where the lists are longer than the delta. */
export function splitDelta(delta: Buffer): DeltaLists | undefined {
  if (delta.length < DELTA_HEAD_BYTES) return undefined;
  const corrections = DELTA_HEAD_BYTES + delta.readUInt32LE(0);
  const literals = corrections + delta.readUInt32LE(4);
  if (literals > delta.length) return undefined;
  return {
    steps: delta.subarray(DELTA_HEAD_BYTES, corrections),
    corrections: delta.subarray(corrections, literals),
    literals: delta.subarray(literals),
  };
}

/** A signed number as one that is not negative. */
export function encodeSigned(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

export function decodeSigned(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

/** Collects bytes and varints. */
export class ListWriter {
  #bytes = Buffer.allocUnsafe(1 << 12);
  #length = 0;

  writeVarint(value: number): void {
    this.#makeRoom(MAX_VARINT_BYTES);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = (rest % 128) + 128;
    this.#bytes[this.#length++] = rest;
  }

  writeBytes(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #makeRoom(length: number): void {
    if (this.#length + length <= this.#bytes.length) return;
    const longer = Buffer.allocUnsafe(2 * this.#bytes.length + length);
    longer.set(this.bytes);
    this.#bytes = longer;
  }
}

/** Reads what ListWriter collected. */
export class ListReader {
  #position = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.#position === this.bytes.length;
  }

  /** Undefined where the list ends, or the number is longer than MAX_VARINT_BYTES. */
  readVarint(): number | undefined {
    let value = 0;
    for (let index = 0, unit = 1; index < MAX_VARINT_BYTES; index++, unit *= 128) {
      const byte = this.bytes[this.#position++];
      if (byte === undefined) return undefined;
      if (byte < 128) return value + byte * unit;
      value += (byte - 128) * unit;
    }
    return undefined;
  }

  /** At most `length` bytes, fewer where the list ends. */
  readBytes(length: number): Uint8Array {
    const bytes = this.bytes.subarray(this.#position, this.#position + length);
    this.#position += bytes.length;
    return bytes;
  }
}
