/**
 * Whether a place lies in what somebody added to its name (src/format/place-contexts.ts). A matcher is made for the words
 * of one query and remembers what it found of each unit, so a place costs little more than looking up its parent.
 */

import { CODE_MARK, LINE_END, type PlaceContexts } from '../format/place-contexts.js';
import { LEVEL_COUNT } from '../format/place-levels.js';
import { NO_PARENT } from '../format/place-tree.js';
import type { Country, CountryStructures } from './snapshot.js';

/** More words are not understood as a context. */
export const MAX_CONTEXT_WORDS = 4;

/** `whole`: the words are nothing but whole names and codes. `cut`: each word starts a word of a name, or is a code. */
export type ContextMatch = 'whole' | 'cut' | 'none';

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
  readonly #segments: readonly Segment[];
  /** By country, what it and each of its units match, ancestors included: bits of words, and above them of segments. */
  readonly #known = new Map<number, Map<number, number>>();

  /** `words` are folded, 1 to MAX_CONTEXT_WORDS. */
  constructor(words: readonly string[]) {
    this.#words = words.map((word) => Buffer.from(word, 'latin1'));
    this.#segments = words.flatMap((_, first) =>
      words.slice(first).map((_, length) => {
        const end = first + length + 1;
        return { first, end, text: Buffer.from(words.slice(first, end).join(' '), 'latin1') };
      }),
    );
  }

  /** How the words fit to what the place lies in; not to the place itself. */
  match(country: Country, structures: ContextStructures, place: number): ContextMatch {
    let known = this.#known.get(country.number);
    if (known === undefined) {
      known = new Map();
      this.#known.set(country.number, known);
    }
    const bits = this.#bitsOf(known, structures, structures.tree.parents[place] ?? NO_PARENT, LEVEL_COUNT);
    if (this.#isWhole(bits)) return 'whole';
    const allWords = (1 << this.#words.length) - 1;
    return (bits & allWords) === allWords ? 'cut' : 'none';
  }

  /** `depth` is how many units can lie in each other: in a damaged file a unit could lie in itself. */
  #bitsOf(known: Map<number, number>, structures: ContextStructures, unit: number, depth: number): number {
    const { contexts, tree } = structures;
    const noted = known.get(unit);
    if (noted !== undefined) return noted;
    const parent = depth === 0 ? NO_PARENT : (tree.parents[unit] ?? NO_PARENT);
    const outer = unit === NO_PARENT ? 0 : this.#bitsOf(known, structures, parent, depth - 1);
    const number = unit === NO_PARENT ? 0 : numberOfUnit(contexts, unit) + 1;
    const bits = outer | this.#readText(contexts, number);
    known.set(unit, bits);
    return bits;
  }

  /** `number` is 0 for the country, and from 1 for the units. */
  #readText({ text, textStarts }: PlaceContexts, number: number): number {
    // A damaged file could have the text end behind all texts.
    const end = Math.min(textStarts[number + 1] as number, text.length);
    let bits = 0;
    for (let start = textStarts[number] as number; start < end; ) {
      let lineEnd = start;
      while (lineEnd < end && text[lineEnd] !== LINE_END) lineEnd++;
      bits |= this.#readLine(text, start, lineEnd);
      start = lineEnd + 1;
    }
    return bits;
  }

  #readLine(text: Uint8Array, start: number, end: number): number {
    const wordCount = this.#words.length;
    const isCode = text[start] === CODE_MARK;
    const from = isCode ? start + 1 : start;
    let bits = 0;
    for (let index = 0; index < this.#segments.length; index++) {
      const { first, end: behind, text: segment } = this.#segments[index] as Segment;
      if (segment.length !== end - from || !startsWith(text, from, end, segment)) continue;
      bits |= 1 << (wordCount + index);
      if (isCode && behind === first + 1) bits |= 1 << first;
    }
    if (isCode) return bits;
    for (let at = from; at < end; ) {
      for (let word = 0; word < wordCount; word++) {
        if (startsWith(text, at, end, this.#words[word] as Uint8Array)) bits |= 1 << word;
      }
      while (at < end && text[at] !== 0x20) at++;
      at++;
    }
    return bits;
  }

  /** Whether segments that match stand in for all the words, each once. */
  #isWhole(bits: number): boolean {
    const wordCount = this.#words.length;
    // Bit n: the first n words are covered. Segments come by their first word, so each one finds what is before it.
    let covered = 1;
    this.#segments.forEach(({ first, end }, index) => {
      const isMatch = (bits >> (wordCount + index)) & 1;
      if (isMatch && (covered >> first) & 1) covered |= 1 << end;
    });
    return ((covered >> wordCount) & 1) === 1;
  }
}

/** The number of a unit among the country's, by binary search; -1, the country itself, where it is none. */
function numberOfUnit({ units }: PlaceContexts, place: number): number {
  let low = 0;
  let high = units.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((units[middle] as number) < place) low = middle + 1;
    else high = middle;
  }
  return units[low] === place ? low : -1;
}

function startsWith(text: Uint8Array, start: number, end: number, prefix: Uint8Array): boolean {
  if (end - start < prefix.length) return false;
  for (let at = 0; at < prefix.length; at++) if (text[start + at] !== prefix[at]) return false;
  return true;
}
