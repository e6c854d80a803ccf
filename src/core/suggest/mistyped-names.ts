/**
 * Typo tolerance over the name index (src/core/snapshot/name-index.ts): the starts of entries that are one edit away from a
 * query, and the entries that are two edits away. An edit is a character inserted, deleted or replaced, or two
 * neighbours swapped. Digits are never edited: another number is another place. The first letters must be right, which
 * bounds the work.
 */

import type { Range } from '../snapshot/array-bundle.js';
import { hasPrefixOf, lowerBoundByPrefix } from '../snapshot/binary-search.js';
import {
  CITY_SAMPLE_STEP,
  compareName,
  endOfByte,
  endOfStart,
  entryByte,
  everyEntry,
  findEntries,
  findEntriesWithin,
  LEADING_LETTERS,
  type NameIndex,
} from '../snapshot/name-index.js';
import { WORK, type WorkBudget } from '../snapshot/work-budget.js';

/*
 * The edit distance between a query and many sorted texts: the optimal string alignment distance (insertions,
 * deletions, replacements and swaps of neighbours cost 1), limited to MAX_EDITS. Edits of digits are not allowed.
 */

const [ZERO, NINE] = [0x30, 0x39];

/** Maximum edit distance of findSimilar: more edits would turn most names into other names. */
export const MAX_EDITS = 2;
/** Stands for every distance greater than MAX_EDITS. */
const FAR = MAX_EDITS + 1;

/**
 * The matrix of edit distances. Row n holds the distances between the first n bytes of a text and each start of the
 * query, in the columns n - MAX_EDITS to n + MAX_EDITS; all other distances are greater than MAX_EDITS.
 */
export class DistanceRows {
  /** The least distance between the query and any start of the last compared text. */
  nearest = FAR;
  /** The distance between the query and the whole last compared text. */
  whole = FAR;
  /** Whether the bytes of the last compared text that were not read cannot reduce its distance. */
  isOver = false;
  readonly #typed: Uint8Array;
  readonly #width: number;
  /** Maximum length in bytes of a start that can be near. */
  readonly #depth: number;
  readonly #rows: Uint8Array;
  /** For each row the least distance between the whole query and a start of the text up to that row. */
  readonly #nearest: Uint8Array;
  /** For each row the least distance in it. */
  readonly #least: Uint8Array;
  readonly #last: Uint8Array;
  /** The number of rows that hold the distances of the last compared text. */
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

  /** Compares the bytes from `start` up to but not including `end`. Returns the number of bytes that it read. */
  compare(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    const depth = Math.min(length, this.#depth);
    let row = 0;
    while (row < this.#known && row < depth && this.#last[row] === bytes[start + row]) row++;
    // After two rows of far distances no later row is near: a swap reads two rows back at most.
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

/** The cost of an edit of a character. */
function costOf(byte: number): number {
  return isDigit(byte) ? FAR : 1;
}

/** Whether a byte of folded text is a digit. */
export function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

/** The number of characters at the start that one edit leaves unchanged; findMistypedCityNames edits these. */
export const FIXED_BEFORE_ONE = 3;
/** The number of letters at the start, not counting spaces, that two edits leave unchanged. */
export const FIXED_BEFORE_TWO = 4;
/** Minimum length in bytes of a query for two edits. Two edits turn a shorter text into an unrelated word. */
export const SHORTEST_FOR_TWO = 8;
/** Maximum length in bytes of a query for two edits: longer than what people type. */
export const LONGEST_FOR_TWO = 64;
/**
 * Maximum number of entries with the same first letters that are compared with a query; more would exceed its budget.
 */
export const MAX_COMPARED = 4096;

const SPACE = 0x20;
const NOTHING = new Uint8Array();
const NO_ENTRIES: Range = { start: 0, end: 0 };

/** A text one edit away from the query, and the entries that start with it: at least one. */
interface Correction {
  readonly text: Uint8Array;
  readonly entries: Range;
}

/**
 * For each of `lengths` (in ascending order) the corrections of that many bytes of the query: the texts one edit away,
 * after the first letters, that entries start with. The entries of a longer text are among the entries of the shorter.
 */
export function correctOnce(
  index: NameIndex,
  typed: Uint8Array,
  lengths: readonly number[],
  work: WorkBudget,
): readonly (readonly Correction[])[] {
  const found = lengths.map(() => new Map<string, Correction>());
  /** The query from `next` on, up to each of the lengths; undefined for a length that ends before an edit at `at`. */
  const tailsBehind = (at: number, next: number): (Uint8Array | undefined)[] =>
    lengths.map((length) => (at < length && next <= length ? typed.subarray(next, length) : undefined));
  /** Adds the corrections `head + put + tail`. `within` are the entries that start with `head + put`. */
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

/** The entries of `within` by their byte at position `depth`, given that they share the bytes before. */
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

/** An entry with a start that is at most two edits away from the query. */
interface SimilarEntry {
  readonly entry: number;
  /** Whether the entry's whole text is at most two edits away, and not only its start. */
  readonly isWhole: boolean;
}

/**
 * The entries with a start at most two edits away, after the first letters; none if more than MAX_COMPARED entries
 * share the first letters. Computes rows of the optimal string alignment distance along the sorted entries: for each
 * entry only the rows in which it differs from the preceding entry. Entries whose start is already too far away are
 * skipped.
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

/** The length in bytes of the start of a query that contains FIXED_BEFORE_TWO letters. */
function lengthOfHead(typed: Uint8Array): number {
  let length = 0;
  for (let letters = 0; letters < FIXED_BEFORE_TWO; length++) if (typed[length] !== SPACE) letters++;
  return length;
}

/*
 * Corrects one mistake among the first three letters of the names of big cities (cityNames in
 * src/core/snapshot/name-index.ts): a character missing, added or replaced, or two neighbours swapped. The text after these
 * letters is taken as correct, and a binary search finds the names with that text. Digits are never corrected: another
 * number is another place.
 */

/** Minimum length of a text in bytes. One mistake turns a shorter text into an unrelated word. */
const MIN_LENGTH = LEADING_LETTERS + 2;
/** Maximum length of a text in bytes: longer than the name of any city. */
const MAX_LENGTH = 64;

/** A kind of mistake: the text after a name's first three letters, and a test of these three letters. */
interface MistakeKind {
  readonly tail: Uint8Array;
  fits(one: number, two: number, three: number): boolean;
}

/** The numbers of the names that differ from a folded text by at most one mistake. */
export function findMistypedCityNames(index: NameIndex, typed: Uint8Array, work: WorkBudget): number[] {
  const found: number[] = [];
  const hasRightLength = typed.length >= MIN_LENGTH && typed.length <= MAX_LENGTH;
  if (!hasRightLength || typed.subarray(0, MIN_LENGTH).some(isDigit)) return found;
  const { cityNames, nameOffsets, nameText } = index;
  const count = cityNames.length;
  const sampled = { prefixes: index.cityPrefixes, step: CITY_SAMPLE_STEP, count };
  for (const { tail, fits } of listMistakeKinds(typed)) {
    if (!work.spendSearch({ start: 0, end: count })) break;
    const compareTail = (at: number): number => compareName(index, cityNames[at] as number, tail, LEADING_LETTERS);
    const start = lowerBoundByPrefix(sampled, tail, (at) => compareTail(at) < 0);
    const isTail = (at: number): boolean => hasPrefixOf(sampled, at, tail) && compareTail(at) === 0;
    // Usually no name matches. A binary search for the end would double the cost.
    for (let at = start; at < count && isTail(at) && work.spend(WORK.word); at++) {
      const name = cityNames[at] as number;
      const offset = nameOffsets[name] as number;
      const isMatch = fits(nameText[offset] as number, nameText[offset + 1] as number, nameText[offset + 2] as number);
      if (isMatch) found.push(name);
    }
  }
  return found;
}

function listMistakeKinds(typed: Uint8Array): MistakeKind[] {
  const [a, b, c, d] = typed as unknown as readonly [number, number, number, number];
  return [
    // One of the first three letters is wrong, or two of them are swapped.
    {
      tail: typed.subarray(3),
      fits: (x, y, z) =>
        Number(x !== a) + Number(y !== b) + Number(z !== c) <= 1 ||
        (x === b && y === a && z === c) ||
        (x === a && y === c && z === b),
    },
    // The third and the fourth letter are swapped.
    { tail: Uint8Array.of(c, ...typed.subarray(4)), fits: (x, y, z) => x === a && y === b && z === d },
    // A letter is missing.
    {
      tail: typed.subarray(2),
      fits: (x, y, z) => (x === a && y === b) || (x === a && z === b) || (y === a && z === b),
    },
    // There is a letter too many.
    {
      tail: typed.subarray(4),
      fits: (x, y, z) =>
        (x === b && y === c && z === d) || (x === a && ((y === c && z === d) || (y === b && (z === d || z === c)))),
    },
  ];
}
