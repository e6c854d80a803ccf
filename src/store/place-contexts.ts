/**
 * Whether a place lies in what somebody added to its name (src/format/place-contexts.ts). A matcher is made for the words
 * of one query and remembers what it found of each unit, so a place costs little more than looking up its parent.
 */

import { lowerBound } from '../format/binary-search.js';
import { CODE_MARK, LINE_END, type PlaceContexts } from '../format/place-contexts.js';
import { LEVEL_COUNT } from '../format/place-levels.js';
import { NO_PARENT } from '../format/place-tree.js';
import { bytesOf } from './byte-string.js';
import type { CountryStructures } from './snapshot.js';
import { WORK, type WorkBudget } from './work-budget.js';

/** More words are not understood as a context. */
export const MAX_CONTEXT_WORDS = 4;

/** `whole`: the words are nothing but whole names and codes. `cut`: each word starts a word of a name, or is a code. */
export type ContextMatch = 'whole' | 'cut' | 'none';

/** Above the bits of 4 words and 10 segments: that they are the whole, and that every word is matched. */
const WHOLE = 1 << 30;
const CUT = 1 << 29;
const SPACE = 0x20;

type ContextStructures = Pick<CountryStructures, 'contexts' | 'tree'>;

/** Some of the words, one behind the other, as one text. */
interface Segment {
  readonly first: number;
  /** Behind the last word. */
  readonly end: number;
  readonly text: Uint8Array;
}

export class ContextMatcher {
  readonly #words: readonly Uint8Array[];
  readonly #firstBytes: Uint8Array;
  readonly #segments: readonly Segment[];
  /**
   * By country, what it and each of its units match, ancestors included: bits of words, above them of segments, and
   * above all what they come to.
   */
  readonly #known: (Map<number, number> | undefined)[] = [];

  /** `words` are folded, 1 to MAX_CONTEXT_WORDS. */
  constructor(words: readonly string[]) {
    this.#words = words.map(bytesOf);
    this.#firstBytes = Uint8Array.from(this.#words, (word) => word[0] as number);
    this.#segments = words.flatMap((_, first) =>
      words.slice(first).map((_, length) => {
        const end = first + length + 1;
        return { first, end, text: bytesOf(words.slice(first, end).join(' ')) };
      }),
    );
  }

  /** How the words fit to what the place lies in; not to the place itself. */
  match(country: number, structures: ContextStructures, place: number, work: WorkBudget): ContextMatch {
    let known = this.#known[country];
    if (known === undefined) {
      known = new Map();
      this.#known[country] = known;
    }
    const unit = structures.tree.parents[place] ?? NO_PARENT;
    const bits = known.get(unit) ?? this.#bitsOf(known, structures, unit, LEVEL_COUNT, work);
    return (bits & WHOLE) !== 0 ? 'whole' : (bits & CUT) !== 0 ? 'cut' : 'none';
  }

  /** `depth` is how many units can lie in each other: in a damaged file a unit could lie in itself. */
  #bitsOf(
    known: Map<number, number>,
    structures: ContextStructures,
    unit: number,
    depth: number,
    work: WorkBudget,
  ): number {
    const { contexts, tree } = structures;
    const noted = known.get(unit);
    if (noted !== undefined) return noted;
    const parent = depth === 0 ? NO_PARENT : (tree.parents[unit] ?? NO_PARENT);
    const outer = unit === NO_PARENT ? 0 : this.#bitsOf(known, structures, parent, depth - 1, work);
    const number = unit === NO_PARENT ? 0 : numberOfUnit(contexts, unit) + 1;
    const start = contexts.textStarts[number] as number;
    // A damaged file could have the text end behind all texts.
    const end = Math.min(contexts.textStarts[number + 1] as number, contexts.text.length);
    if (!work.spend(WORK.text + ((end - start) >> 4))) return 0;
    const bits = this.#judge(outer | this.#readText(contexts.text, start, end));
    known.set(unit, bits);
    return bits;
  }

  #readText(text: Uint8Array, start: number, end: number): number {
    let bits = 0;
    let isFirst = true;
    let isCode = false;
    for (let at = start; at < end; at++) {
      if (isFirst) {
        isCode = text[at] === CODE_MARK;
        if (isCode) at++;
      }
      if (isFirst || !isCode) bits |= this.#matchWords(text, at, end, isFirst, isCode);
      while (at < end && text[at] !== SPACE && text[at] !== LINE_END) at++;
      isFirst = text[at] === LINE_END;
    }
    return bits;
  }

  /** What matches from the start of a word of the text on; `isFirst` if that word is the first of its line. */
  #matchWords(text: Uint8Array, at: number, end: number, isFirst: boolean, isCode: boolean): number {
    const wordCount = this.#words.length;
    let bits = 0;
    for (let word = 0; word < wordCount; word++) {
      if (text[at] !== this.#firstBytes[word] || !startsWith(text, at, end, this.#words[word] as Uint8Array)) continue;
      if (!isCode) bits |= 1 << word;
      if (isFirst) bits |= this.#matchLine(text, at, end, word, isCode);
    }
    return bits;
  }

  /** The segments from a word on that are a whole line. */
  #matchLine(text: Uint8Array, at: number, end: number, word: number, isCode: boolean): number {
    let bits = 0;
    this.#segments.forEach(({ first, end: behind, text: segment }, index) => {
      const lineEnd = at + segment.length;
      if (first !== word || !startsWith(text, at, end, segment)) return;
      if (lineEnd < end && text[lineEnd] !== LINE_END) return;
      bits |= 1 << (this.#words.length + index);
      if (isCode && behind === first + 1) bits |= 1 << first;
    });
    return bits;
  }

  /** Adds to the bits what they come to. */
  #judge(bits: number): number {
    const wordCount = this.#words.length;
    const allWords = (1 << wordCount) - 1;
    // Bit n: the first n words are covered. Segments come by their first word, so each one finds what is before it.
    let covered = 1;
    this.#segments.forEach(({ first, end }, index) => {
      const isMatch = (bits >> (wordCount + index)) & 1;
      if (isMatch && (covered >> first) & 1) covered |= 1 << end;
    });
    const isWhole = ((covered >> wordCount) & 1) === 1;
    return bits | (isWhole ? WHOLE : 0) | ((bits & allWords) === allWords ? CUT : 0);
  }
}

/** The number of a unit among the country's, by binary search; -1, the country itself, where it is none. */
function numberOfUnit({ units }: PlaceContexts, place: number): number {
  const number = lowerBound(0, units.length, (at) => (units[at] as number) < place);
  return units[number] === place ? number : -1;
}

function startsWith(text: Uint8Array, start: number, end: number, prefix: Uint8Array): boolean {
  if (end - start < prefix.length) return false;
  for (let at = 0; at < prefix.length; at++) if (text[start + at] !== prefix[at]) return false;
  return true;
}
