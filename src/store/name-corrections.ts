/**
 * What somebody may have meant who mistyped (src/format/name-index.ts): texts that entries start with and that are one
 * edit away, and entries that are two away. An edit is a letter or space left out, put in or replaced by another, or two
 * neighbours in the wrong order. Digits are never edited: another number is another place. The first letters must be
 * right, which bounds the work.
 */
import type { NameIndex } from '../format/name-index.js';
import { endOfByte, entryByte, everyEntry, findEntries } from './name-index.js';
import type { Range } from './place-tree.js';

/** How many characters must be right before one edit; and before two how many letters, spaces between them not counted. */
export const FIXED_BEFORE_ONE = 3;
export const FIXED_BEFORE_TWO = 4;
/** Shorter texts are another word after two edits, and nobody types longer ones. */
export const SHORTEST_FOR_TWO = 8;
export const LONGEST_FOR_TWO = 64;
/** More entries with the same first letters are not looked through. */
export const MAX_COMPARED = 4096;

const [ZERO, NINE, SPACE] = [0x30, 0x39, 0x20];

/** A text one edit away from what was typed, and the entries that start with it: at least one. */
interface Correction {
  readonly text: Uint8Array;
  readonly entries: Range;
}

/** Every text that is one edit away, behind the first letters, and that entries start with. */
export function correctOnce(index: NameIndex, typed: Uint8Array): Correction[] {
  const found = new Map<string, Correction>();
  let before = everyEntry(index);
  const tryText = (text: Uint8Array): void => {
    const key = Buffer.from(text).toString('latin1');
    if (found.has(key)) return;
    const entries = findEntries(index, text, before);
    if (entries.end > entries.start) found.set(key, { text, entries });
  };
  for (let at = FIXED_BEFORE_ONE; at <= typed.length; at++) {
    const head = typed.subarray(0, at);
    before = findEntries(index, head, before);
    if (before.end === before.start) break;
    if (at === typed.length) break;
    const [one, other] = [typed[at] as number, typed[at + 1]];
    if (!isDigit(one)) {
      tryText(join(head, typed.subarray(at + 1)));
      const isSwappable = other !== undefined && other !== one && !isDigit(other);
      if (isSwappable) tryText(join(head, Uint8Array.of(other, one), typed.subarray(at + 2)));
    }
    for (const byte of nextBytes(index, before, at)) {
      if (isDigit(byte)) continue;
      tryText(join(head, Uint8Array.of(byte), typed.subarray(at)));
      if (byte !== one && !isDigit(one)) tryText(join(head, Uint8Array.of(byte), typed.subarray(at + 1)));
    }
  }
  return [...found.values()];
}

/** The bytes that come next in entries whose first `depth` bytes are the same. */
function nextBytes(index: NameIndex, within: Range, depth: number): number[] {
  const bytes: number[] = [];
  for (let start = within.start; start < within.end; ) {
    const byte = entryByte(index, start, depth);
    if (byte !== 0) bytes.push(byte);
    start = endOfByte(index, { start, end: within.end }, depth, byte);
  }
  return bytes;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

/** An entry that is two edits away from what was typed, or less. */
interface SimilarEntry {
  readonly entry: number;
  /** Whether the entry's whole text is, and not just its start. */
  readonly isWhole: boolean;
}

/**
 * The entries of which some start is within two edits, behind the first letters; none where too many share those. Rows
 * of the optimal string alignment distance are computed along the sorted entries, each only from where it differs from
 * the one before.
 */
export function findSimilar(index: NameIndex, typed: Uint8Array): SimilarEntry[] {
  if (typed.length < SHORTEST_FOR_TWO || typed.length > LONGEST_FOR_TWO) return [];
  const range = findEntries(index, typed.subarray(0, lengthOfHead(typed)));
  if (range.end - range.start > MAX_COMPARED) return [];
  const rows = new DistanceRows(typed);
  const similar: SimilarEntry[] = [];
  for (let entry = range.start; entry < range.end; entry++) {
    const name = index.entryNames[entry] as number;
    const start = (index.nameOffsets[name] as number) + (index.entryOffsets[entry] as number);
    rows.compare(index.nameText, start, index.nameOffsets[name + 1] as number);
    if (rows.nearest <= MAX_EDITS) similar.push({ entry, isWhole: rows.whole <= MAX_EDITS });
  }
  return similar;
}

/** How long a start of the text holds as many letters as must be right. */
function lengthOfHead(typed: Uint8Array): number {
  let length = 0;
  for (let letters = 0; letters < FIXED_BEFORE_TWO; length++) if (typed[length] !== SPACE) letters++;
  return length;
}

const MAX_EDITS = 2;
/** Stands for every distance that is more than MAX_EDITS. */
const FAR = MAX_EDITS + 1;

/**
 * Row n holds the distances of the first n bytes of a text from each start of what was typed, as far as they can be
 * MAX_EDITS or less: in the columns n - MAX_EDITS to n + MAX_EDITS. The others count as FAR.
 */
class DistanceRows {
  /** The least distance of a start of the text that was compared last. */
  nearest = FAR;
  /** The distance of all of it. */
  whole = FAR;
  readonly #typed: Uint8Array;
  readonly #width: number;
  /** No start of a text that is longer than this can be near. */
  readonly #depth: number;
  readonly #rows: Uint8Array;
  /** For each row the least distance, up to it, of a start of the text from all that was typed. */
  readonly #nearest: Uint8Array;
  /** For each row the least distance in it. */
  readonly #least: Uint8Array;
  readonly #last: Uint8Array;
  /** How many rows are those of the last text. */
  #known = 0;

  constructor(typed: Uint8Array) {
    this.#typed = typed;
    this.#width = typed.length + 1;
    this.#depth = typed.length + MAX_EDITS;
    this.#rows = new Uint8Array((this.#depth + 1) * this.#width).fill(FAR);
    this.#nearest = new Uint8Array(this.#depth + 1).fill(FAR);
    this.#least = new Uint8Array(this.#depth + 1);
    this.#last = new Uint8Array(this.#depth);
    this.#rows[0] = 0;
    for (let column = 1; column <= MAX_EDITS; column++) {
      this.#rows[column] = Math.min((this.#rows[column - 1] as number) + costOf(typed[column - 1] as number), FAR);
    }
  }

  /** Compares the bytes from `start` to, without, `end`. */
  compare(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    const depth = Math.min(length, this.#depth);
    let row = 0;
    while (row < this.#known && row < depth && this.#last[row] === bytes[start + row]) row++;
    // Nothing comes near again behind two rows that are far: a swap looks back no further.
    while (row < depth && !(row > 0 && this.#least[row] === FAR && this.#least[row - 1] === FAR)) {
      this.#last[row] = bytes[start + row] as number;
      this.#fill(++row);
    }
    this.#known = row;
    this.nearest = this.#nearest[row] as number;
    this.whole = row === length ? (this.#rows[(row + 1) * this.#width - 1] as number) : FAR;
  }

  #fill(row: number): void {
    const [rows, width, typed, last] = [this.#rows, this.#width, this.#typed, this.#last];
    const [above, here] = [(row - 1) * width, row * width];
    const byte = last[row - 1] as number;
    const cost = costOf(byte);
    let least = Math.min((rows[above] as number) + cost, FAR);
    rows[here] = least;
    const lastColumn = Math.min(width - 1, row + MAX_EDITS);
    for (let column = Math.max(1, row - MAX_EDITS); column <= lastColumn; column++) {
      const other = typed[column - 1] as number;
      const otherCost = costOf(other);
      let distance = Math.min(
        (rows[above + column] as number) + cost,
        (rows[here + column - 1] as number) + otherCost,
        (rows[above + column - 1] as number) + (byte === other ? 0 : Math.max(cost, otherCost)),
        FAR,
      );
      const isSwapped = row > 1 && column > 1 && byte === typed[column - 2] && last[row - 2] === other;
      if (isSwapped)
        distance = Math.min(distance, (rows[above - width + column - 2] as number) + Math.max(cost, otherCost));
      rows[here + column] = distance;
      least = Math.min(least, distance);
    }
    this.#least[row] = least;
    this.#nearest[row] = Math.min(this.#nearest[row - 1] as number, rows[here + width - 1] as number);
  }
}

/** What an edit of a character counts. */
function costOf(byte: number): number {
  return isDigit(byte) ? FAR : 1;
}
