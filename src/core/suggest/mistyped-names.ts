/**
 * Typo tolerance over the name index: the starts of entries that are one edit away from a query, the entries that are two
 * edits away, and for each reason with edits (name-search.ts) the ranks of places, best first. Digits are never edited:
 * another number is another place. The first letters must be right, which bounds the work.
 */

import type { Range } from '../snapshot/array-bundle.js';
import {
  CITY_SAMPLE_STEP,
  compareName,
  endOfByte,
  endOfNameStart,
  entryByte,
  everyNameEntry,
  findNameEntries,
  findNameEntriesWithin,
  insertFirstNameRanks,
  insertNameRank,
  LEADING_LETTERS,
  type NameIndex,
  nameOf,
} from '../snapshot/name-index.js';
import { hasSampledPrefixOf, lowerBoundBySample } from '../snapshot/sampled-prefixes.js';
import { WORK, type WorkBudget } from '../snapshot/work-budget.js';
import { DistanceRows, isDigitByte, MAX_EDITS } from './edit-distance.js';
import type { NameQuery } from './name-query.js';
import type { TypedText } from './name-splits.js';

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
function correctOnce(
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
      entries = findNameEntriesWithin(index, tail, entries, head.length + put.length);
      if (isEmpty(entries)) return;
      const text = Buffer.concat([head, put, tail]);
      found[which]?.set(text.toString('latin1'), { text, entries });
    }
  };
  let before = NO_ENTRIES;
  if (work.spendSearch(everyNameEntry(index))) before = findNameEntries(index, typed.subarray(0, FIXED_BEFORE_ONE));
  for (let at = FIXED_BEFORE_ONE; at < typed.length && !isEmpty(before); at++) {
    const [one, other] = [typed[at] as number, typed[at + 1]];
    const head = typed.subarray(0, at);
    const [same, next] = [tailsBehind(at, at), tailsBehind(at, at + 1)];
    if (!isDigitByte(one)) {
      tryTails(head, NOTHING, next, before);
      if (other !== undefined && other !== one && !isDigitByte(other)) {
        const swapped = Uint8Array.of(other, one);
        if (!work.spendSearch(before)) break;
        tryTails(head, swapped, tailsBehind(at, at + 2), findNameEntriesWithin(index, swapped, before, at));
      }
    }
    let following = NO_ENTRIES;
    for (const { byte, entries } of listBranches(index, before, at, work)) {
      if (byte === one) following = entries;
      if (isDigitByte(byte)) continue;
      const put = Uint8Array.of(byte);
      tryTails(head, put, same, entries);
      if (byte !== one && !isDigitByte(one)) tryTails(head, put, next, entries);
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
export function findMistypedEntries(index: NameIndex, typed: Uint8Array, work: WorkBudget): SimilarEntry[] {
  if (typed.length < SHORTEST_FOR_TWO || typed.length > LONGEST_FOR_TWO) return [];
  if (!work.spendSearch(everyNameEntry(index))) return [];
  const range = findNameEntries(index, typed.subarray(0, lengthOfHead(typed)));
  if (range.end - range.start > MAX_COMPARED) return [];
  const rows = new DistanceRows(typed);
  const similar: SimilarEntry[] = [];
  for (let entry = range.start; entry < range.end && work.spend(WORK.comparison); ) {
    const name = index.entryNames[entry] as number;
    const start = (index.nameOffsets[name] as number) + (index.entryOffsets[entry] as number);
    const depth = rows.compare(index.nameText, start, index.nameOffsets[name + 1] as number);
    const rest = { start: entry, end: range.end };
    const end = rows.isOver ? endOfNameStart(index, index.nameText.subarray(start, start + depth), rest) : entry + 1;
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
function findMistypedCityNames(index: NameIndex, typed: Uint8Array, work: WorkBudget): number[] {
  const found: number[] = [];
  const hasRightLength = typed.length >= MIN_LENGTH && typed.length <= MAX_LENGTH;
  if (!hasRightLength || typed.subarray(0, MIN_LENGTH).some(isDigitByte)) return found;
  const { cityNames, nameOffsets, nameText } = index;
  const count = cityNames.length;
  const sampled = { prefixes: index.cityPrefixes, step: CITY_SAMPLE_STEP, count };
  for (const { tail, fits } of listMistakeKinds(typed)) {
    if (!work.spendSearch({ start: 0, end: count })) break;
    const compareTail = (at: number): number => compareName(index, cityNames[at] as number, tail, LEADING_LETTERS);
    const start = lowerBoundBySample(sampled, tail, (at) => compareTail(at) < 0);
    const isTail = (at: number): boolean => hasSampledPrefixOf(sampled, at, tail) && compareTail(at) === 0;
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

/* Typo tolerance of suggestions: for each reason with edits (see name-search.ts) the ranks of places, best first. */

/**
 * Maximum number of words of context after a mistyped name. Each word costs a search for corrections of a shorter name.
 */
export const MAX_CONTEXT_WORDS_OF_EDITS = 2;

/** The ranks of big cities by their own names and by alternative names, best first. */
export interface MistypedCities {
  readonly own: readonly number[];
  readonly other: readonly number[];
}

/**
 * The ranks for one edit by the reasons bigName, bigOther (both with `cities`, the ranks by the reason cityEdit), name,
 * other, nameWithin or nameNear, start and wordStart, in this order.
 */
export function findMistypedByOneEdit(names: NameQuery, typed: TypedText, cities: MistypedCities): readonly number[][] {
  const { index, work } = names;
  const found = {
    name: [] as number[],
    other: [] as number[],
    within: [] as number[],
    start: [] as number[],
    inner: [] as number[],
  };
  const bigEnd = index.cityEnds[0] as number;
  // Splits with fewer words of context come first. Reversed, the lengths of their names ascend.
  const splits = typed.splits
    .filter(({ isAfter, contextWordCount }) => isAfter && contextWordCount <= MAX_CONTEXT_WORDS_OF_EDITS)
    .reverse();
  const lengths = [...splits.map(({ name }) => name.length), typed.bytes.length];
  const corrections = correctOnce(index, typed.bytes, lengths, work);
  const ofAll = corrections.at(-1) ?? [];
  for (const { text, entries } of ofAll) {
    const name = nameOf(index, entries, text);
    if (name === undefined) continue;
    const { own, other } = names.splitRanksOf(name);
    insertFirstNameRanks(found.name, own);
    insertFirstNameRanks(found.other, other);
  }
  splits.forEach((split, which) => {
    for (const { text, entries } of corrections[which] ?? []) {
      const name = nameOf(index, entries, text);
      if (name !== undefined) names.visitWithin(split, name, (rank) => insertNameRank(found.within, rank));
    }
  });
  for (const { text, entries } of ofAll) {
    const { starting, inner } = names.bestRanks(text, entries);
    insertFirstNameRanks(found.start, starting);
    insertFirstNameRanks(found.inner, inner);
  }
  const ofBig = (ranks: number[]): number[] => ranks.filter((rank) => rank < bigEnd);
  const [bigNames, bigOthers] = [ofBig(found.name), ofBig(found.other)];
  insertFirstNameRanks(bigNames, cities.own);
  insertFirstNameRanks(bigOthers, cities.other);
  return [bigNames, bigOthers, found.name, found.other, found.within, found.start, found.inner];
}

/** The big cities with a name that is one edit among the first three letters away from the query. */
export function findMistypedCities(names: NameQuery, typed: TypedText): MistypedCities {
  const { index, work } = names;
  const found = { own: [] as number[], other: [] as number[] };
  const bigEnd = index.cityEnds[0] as number;
  for (const name of findMistypedCityNames(index, typed.bytes, work)) {
    const { own, other } = names.splitRanksOf(name);
    insertFirstNameRanks(
      found.own,
      own.filter((rank) => rank < bigEnd),
    );
    insertFirstNameRanks(
      found.other,
      other.filter((rank) => rank < bigEnd),
    );
  }
  return found;
}

/** The ranks for two edits by the reasons name, start and wordStart, in this order. */
export function findMistypedByTwoEdits(names: NameQuery, typed: TypedText): readonly number[][] {
  const { index, work } = names;
  const found = { name: [] as number[], start: [] as number[], inner: [] as number[] };
  for (const { entry, isWhole } of findMistypedEntries(index, typed.bytes, work)) {
    const ranks = names.ranksOf(index.entryNames[entry] as number);
    if (index.entryOffsets[entry] !== 0) insertFirstNameRanks(found.inner, ranks);
    else insertFirstNameRanks(isWhole ? found.name : found.start, ranks);
  }
  return [found.name, found.start, found.inner];
}
