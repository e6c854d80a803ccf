/**
 * Typo tolerance over the name index (src/format/name-index.ts): the starts of entries that are one edit away from a
 * query, and the entries that are two edits away. An edit is a character inserted, deleted or replaced, or two
 * neighbours swapped. Digits are never edited: another number is another place. The first letters must be right, which
 * bounds the work.
 */
import type { NameIndex } from '../format/name-index.js';
import { DistanceRows, isDigit, MAX_EDITS } from './edit-distance.js';
import type { Range } from './mapped-numbers.js';
import { endOfByte, endOfStart, entryByte, everyEntry, findEntries, findEntriesWithin } from './name-index.js';
import { WORK, type WorkBudget } from './work-budget.js';

/**
 * The number of characters at the start that one edit leaves unchanged. mistyped-cities.ts edits these in big cities'
 * names.
 */
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
