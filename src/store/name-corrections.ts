/**
 * What somebody may have meant who mistyped (src/format/name-index.ts): texts that entries start with and that are one
 * edit away, and entries that are two away. An edit is a letter or space left out, put in or replaced by another, or two
 * neighbours in the wrong order. Digits are never edited: another number is another place. The first letters must be
 * right, which bounds the work.
 */
import type { NameIndex } from '../format/name-index.js';
import type { Range } from './mapped-numbers.js';
import { endOfByte, endOfStart, entryByte, everyEntry, findEntries, findEntriesWithin } from './name-index.js';
import { WORK, type WorkBudget } from './work-budget.js';

/** How many characters must be right before one edit; and before two how many letters, spaces between them not counted. */
export const FIXED_BEFORE_ONE = 3;
export const FIXED_BEFORE_TWO = 4;
/** Shorter texts are another word after two edits, and nobody types longer ones. */
export const SHORTEST_FOR_TWO = 8;
export const LONGEST_FOR_TWO = 64;
/** More entries with the same first letters are not looked through. */
export const MAX_COMPARED = 4096;

const [ZERO, NINE, SPACE] = [0x30, 0x39, 0x20];
const NOTHING = new Uint8Array();
const NO_ENTRIES: Range = { start: 0, end: 0 };

/** A text one edit away from what was typed, and the entries that start with it: at least one. */
interface Correction {
  readonly text: Uint8Array;
  readonly entries: Range;
}

/**
 * For each of `lengths`, which ascend, the texts one edit away, behind the first letters, from that many bytes of what
 * was typed, as far as entries start with them. The entries of a longer text are among those of the shorter.
 */
export function correctOnce(
  index: NameIndex,
  typed: Uint8Array,
  lengths: readonly number[],
  work: WorkBudget,
): readonly (readonly Correction[])[] {
  const found = lengths.map(() => new Map<string, Correction>());
  /** What was typed from `next` on, up to each length that an edit at `at` is within. */
  const tailsBehind = (at: number, next: number): (Uint8Array | undefined)[] =>
    lengths.map((length) => (at < length && next <= length ? typed.subarray(next, length) : undefined));
  /** `within` are the entries that start with `head` and then `put`. */
  const tryTails = (head: Uint8Array, put: Uint8Array, tails: (Uint8Array | undefined)[], within: Range): void => {
    let entries = within;
    for (let which = 0; which < tails.length && !isEmpty(entries); which++) {
      const tail = tails[which];
      if (tail === undefined) continue;
      if (!work.spendSearch(entries)) return;
      entries = findEntriesWithin(index, tail, entries, head.length + put.length);
      if (isEmpty(entries)) return;
      const text = Buffer.concat([head, put, tail]);
      found[which]?.set(text.toString('latin1'), { text, entries });
    }
  };
  let before = NO_ENTRIES;
  if (work.spendSearch(everyEntry(index))) before = findEntries(index, typed.subarray(0, FIXED_BEFORE_ONE));
  for (let at = FIXED_BEFORE_ONE; at < typed.length && !isEmpty(before); at++) {
    const [one, other] = [typed[at] as number, typed[at + 1]];
    const head = typed.subarray(0, at);
    const [same, next] = [tailsBehind(at, at), tailsBehind(at, at + 1)];
    if (!isDigit(one)) {
      tryTails(head, NOTHING, next, before);
      if (other !== undefined && other !== one && !isDigit(other)) {
        const swapped = Uint8Array.of(other, one);
        if (!work.spendSearch(before)) break;
        tryTails(head, swapped, tailsBehind(at, at + 2), findEntriesWithin(index, swapped, before, at));
      }
    }
    let following = NO_ENTRIES;
    for (const { byte, entries } of listBranches(index, before, at, work)) {
      if (byte === one) following = entries;
      if (isDigit(byte)) continue;
      const put = Uint8Array.of(byte);
      tryTails(head, put, same, entries);
      if (byte !== one && !isDigit(one)) tryTails(head, put, next, entries);
    }
    before = following;
  }
  return found.map((texts) => [...texts.values()]);
}

interface Branch {
  readonly byte: number;
  readonly entries: Range;
}

/** The entries of `within`, whose first `depth` bytes are the same, by the byte that comes next. */
function listBranches(index: NameIndex, within: Range, depth: number, work: WorkBudget): Branch[] {
  const branches: Branch[] = [];
  for (let start = within.start; start < within.end; ) {
    if (!work.spendSearch({ start, end: within.end })) break;
    const byte = entryByte(index, start, depth);
    const end = endOfByte(index, { start, end: within.end }, depth, byte);
    if (byte !== 0) branches.push({ byte, entries: { start, end } });
    start = end;
  }
  return branches;
}

function isEmpty({ start, end }: Range): boolean {
  return start === end;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
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
 * the one before, and entries are passed over that start as one did that is too far away already.
 */
export function findSimilar(index: NameIndex, typed: Uint8Array, work: WorkBudget): SimilarEntry[] {
  if (typed.length < SHORTEST_FOR_TWO || typed.length > LONGEST_FOR_TWO) return [];
  if (!work.spendSearch(everyEntry(index))) return [];
  const range = findEntries(index, typed.subarray(0, lengthOfHead(typed)));
  if (range.end - range.start > MAX_COMPARED) return [];
  const rows = new DistanceRows(typed);
  const similar: SimilarEntry[] = [];
  for (let entry = range.start; entry < range.end && work.spend(WORK.comparison); ) {
    const name = index.entryNames[entry] as number;
    const start = (index.nameOffsets[name] as number) + (index.entryOffsets[entry] as number);
    const depth = rows.compare(index.nameText, start, index.nameOffsets[name + 1] as number);
    const rest = { start: entry, end: range.end };
    const end = rows.isOver ? endOfStart(index, index.nameText.subarray(start, start + depth), rest) : entry + 1;
    const isWhole = rows.whole <= MAX_EDITS;
    if (rows.nearest > MAX_EDITS) entry = end;
    for (; entry < end && work.spend(WORK.listed); entry++) similar.push({ entry, isWhole });
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
  /** Whether that text comes no nearer with any more bytes than were looked at. */
  isOver = false;
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

  /** Compares the bytes from `start` to, without, `end`; gives how many of them were looked at. */
  compare(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    const depth = Math.min(length, this.#depth);
    let row = 0;
    while (row < this.#known && row < depth && this.#last[row] === bytes[start + row]) row++;
    // Nothing comes near again behind two rows that are far: a swap looks back no further.
    while (row < depth && !this.#isFar(row)) {
      this.#last[row] = bytes[start + row] as number;
      this.#fill(++row);
    }
    this.#known = row;
    this.isOver = this.#isFar(row);
    this.nearest = this.#nearest[row] as number;
    this.whole = row === length ? (this.#rows[(row + 1) * this.#width - 1] as number) : FAR;
    return row;
  }

  #isFar(row: number): boolean {
    return row > 0 && this.#least[row] === FAR && this.#least[row - 1] === FAR;
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
