/**
 * The context of the places of one country, as people add it to a name: "springfield il", "paris texas", "cambridge
 * england". The country and each admin unit have a text of lines: folded names (see fold-text.ts), and codes after "=".
 *
 *   units       u32[u]    the places that are admin units, ascending
 *   textStarts  u32[u+2]  start of each text: first the country's, then each unit's
 *   text        u8[]      the texts; each line ends in a line feed
 *
 * Worked example, Illinois in the United States: "united states\n=us\n=usa\n" and "illinois\n=il\n".
 */

import { type Bundle, bufferOfArray, checkBundledLength, checkBundledOffsets, decodeBundle } from './array-bundle.js';
import { lowerBound } from './binary-search.js';
import { bytesOf } from './byte-string.js';
import { LEVEL_COUNT, listAncestors, NO_PARENT, type PlaceTree } from './place-tree.js';
import { WORK, type WorkBudget } from './work-budget.js';

export const PLACE_CONTEXTS_SCHEMA = { units: 'u32', textStarts: 'u32', text: 'u8' } as const;

export const LINE_END = 0x0a;
export const CODE_MARK = 0x3d;

export type PlaceContexts = Bundle<typeof PLACE_CONTEXTS_SCHEMA>;

export function decodePlaceContexts(bytes: Uint8Array, where: string): PlaceContexts {
  const contexts = decodeBundle(PLACE_CONTEXTS_SCHEMA, bytes, where);
  checkBundledLength(`${where}.textStarts`, contexts.textStarts, contexts.units.length + 2);
  checkBundledOffsets(`${where}.textStarts`, contexts.textStarts, contexts.text.length);
  return contexts;
}

/** The text of a context; `names` are folded, `codes` are not. */
export function contextText(names: Iterable<string>, codes: Iterable<string>): string {
  let text = '';
  for (const name of new Set(names)) text += `${name}\n`;
  for (const code of new Set(codes)) text += `=${code.toLowerCase()}\n`;
  return text;
}

/** Maximum number of words of a context. Four cover a region and a country of two words each. */
export const MAX_CONTEXT_WORDS = 4;

/** Maximum number of words of which matchWords tells each alone: the bits below the result bits. */
export const MAX_SINGLE_WORDS = 12;

/** `whole`: the words are whole names and codes. `prefix`: each word is a code or the start of a word of a name. */
export type ContextMatch = 'whole' | 'prefix' | 'none';

/**
 * The result bits, above the bits of 4 words and 10 segments: all words are whole names and codes; every word matches.
 */
const WHOLE = 1 << 30;
const PREFIX = 1 << 29;
const SPACE = 0x20;
const CODE_SIGN = String.fromCharCode(CODE_MARK);

/** Whether a code of the units around a place, or of its country, starts with a folded text: "ns" of "nsw". */
export function hasContextCodeFrom({ contexts, tree }: ContextStructures, place: number, start: string): boolean {
  const text = bufferOfArray(contexts.text);
  const line = CODE_SIGN + start;
  return [NO_PARENT, ...listAncestors(tree, place)].some((unit) => {
    const number = unit === NO_PARENT ? 0 : numberOfUnit(contexts, unit) + 1;
    return text.subarray(contexts.textStarts[number], contexts.textStarts[number + 1]).includes(line, 0, 'latin1');
  });
}

/** The structures of a country that matching reads. */
interface ContextStructures {
  readonly contexts: PlaceContexts;
  readonly tree: PlaceTree;
}

/** Which words match: a bit for each word, the first word lowest. */
interface WordMatches {
  /** Each is a code, or the start of a word of a name, of the units or the country. */
  readonly inContext: number;
  /** Each is a code, or the start of a word of a name, of the country. */
  readonly inCountry: number;
}

/** Consecutive words of the query as one text. */
interface Segment {
  readonly first: number;
  /** The number after the last word. */
  readonly end: number;
  readonly text: Uint8Array;
}

/**
 * Matches the words that a user added to a place's name with the place's context. A matcher belongs to the words of one
 * query and caches the result of each unit, so matching a place costs little more than a lookup of its parent.
 */
export class ContextMatcher {
  readonly #words: readonly Uint8Array[];
  readonly #firstBytes: Uint8Array;
  readonly #segments: readonly Segment[];
  /**
   * By country number and unit, the cached matches of the unit and its ancestors: a bit for each word, above these a
   * bit for each segment, above these the result bits.
   */
  readonly #known: (Map<number, number> | undefined)[] = [];

  /** `words` are folded: 1 to MAX_CONTEXT_WORDS for match, up to MAX_SINGLE_WORDS for matchWords alone. */
  constructor(words: readonly string[]) {
    this.#words = words.map(bytesOf);
    this.#firstBytes = Uint8Array.from(this.#words, (word) => word[0] as number);
    // Of more words only single ones are compared with whole lines: for codes such as "ca".
    const longest = words.length > MAX_CONTEXT_WORDS ? 1 : words.length;
    this.#segments = words.flatMap((_, first) =>
      words.slice(first, first + longest).map((_, length) => {
        const end = first + length + 1;
        return { first, end, text: bytesOf(words.slice(first, end).join(' ')) };
      }),
    );
  }

  /** Matches the words with the units and the country of the place, not with the place itself. */
  match(country: number, structures: ContextStructures, place: number, work: WorkBudget): ContextMatch {
    const bits = this.#match(country, structures, structures.tree.parents[place] ?? NO_PARENT, work);
    return (bits & WHOLE) !== 0 ? 'whole' : (bits & PREFIX) !== 0 ? 'prefix' : 'none';
  }

  /** Matches each word with the units and the country of the place, not with the place itself. */
  matchWords(country: number, structures: ContextStructures, place: number, work: WorkBudget): WordMatches {
    const words = (1 << this.#words.length) - 1;
    return {
      inContext: this.#match(country, structures, structures.tree.parents[place] ?? NO_PARENT, work) & words,
      inCountry: this.#match(country, structures, NO_PARENT, work) & words,
    };
  }

  #match(country: number, structures: ContextStructures, unit: number, work: WorkBudget): number {
    let known = this.#known[country];
    if (known === undefined) {
      known = new Map();
      this.#known[country] = known;
    }
    return known.get(unit) ?? this.#bitsOf(known, structures, unit, LEVEL_COUNT, work);
  }

  /** `depth` bounds the recursion over ancestors, because a unit in a damaged file could be its own ancestor. */
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
    // In a damaged file the text could end outside of the array.
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

  /** The bits that match at the start of a word of the text; `isFirst` if this word is the first of its line. */
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

  /** The bits of the segments that start with word number `word` and equal a whole line. */
  #matchLine(text: Uint8Array, at: number, end: number, word: number, isCode: boolean): number {
    let bits = 0;
    this.#segments.forEach(({ first, end: segmentEnd, text: segment }, index) => {
      const lineEnd = at + segment.length;
      if (first !== word || !startsWith(text, at, end, segment)) return;
      if (lineEnd < end && text[lineEnd] !== LINE_END) return;
      bits |= 1 << (this.#words.length + index);
      if (isCode && segmentEnd === first + 1) bits |= 1 << first;
    });
    return bits;
  }

  /** Adds the result bits. */
  #judge(bits: number): number {
    const wordCount = this.#words.length;
    const allWords = (1 << wordCount) - 1;
    // Bit n: the first n words are covered. Segments are in the order of their first word, so one pass is enough.
    let covered = 1;
    this.#segments.forEach(({ first, end }, index) => {
      const isMatch = (bits >> (wordCount + index)) & 1;
      if (isMatch && (covered >> first) & 1) covered |= 1 << end;
    });
    const isWhole = ((covered >> wordCount) & 1) === 1;
    return bits | (isWhole ? WHOLE : 0) | ((bits & allWords) === allWords ? PREFIX : 0);
  }
}

/**
 * The number of a unit among the country's units, by binary search; -1, which stands for the country, if it isn't a
 * unit.
 */
function numberOfUnit({ units }: PlaceContexts, place: number): number {
  const number = lowerBound(0, units.length, (at) => (units[at] as number) < place);
  return units[number] === place ? number : -1;
}

function startsWith(text: Uint8Array, start: number, end: number, prefix: Uint8Array): boolean {
  if (end - start < prefix.length) return false;
  for (let at = 0; at < prefix.length; at++) if (text[start + at] !== prefix[at]) return false;
  return true;
}
