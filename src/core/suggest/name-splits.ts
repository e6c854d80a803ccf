/**
 * The ways to split a query into a name and a context, the units and the country around the place: "springfield il".
 */

import { bytesOf } from '../snapshot/byte-string.js';
import { type ContextMatch, ContextMatcher, MAX_CONTEXT_WORDS } from '../snapshot/place-contexts.js';
import type { CountryStructures } from '../snapshot/snapshot.js';
import type { WorkBudget } from '../snapshot/work-budget.js';

/**
 * Maximum number of words of a query that is split, which bounds the number of splits; a longer query is looked up
 * whole.
 */
export const MAX_WORDS = 8;

/** Maximum number of words of a query from which words are left out, so that most of the query still counts. */
const MAX_WORDS_WITHOUT = 5;

/** Minimum length of a run of words that is a name by itself: shorter ones are articles and codes. */
export const MIN_RUN_LETTERS = 4;

/** By the number of words, every order of them but the typed order. */
const ORDERS: Readonly<Record<number, readonly (readonly number[])[]>> = {
  2: [[1, 0]],
  3: [
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ],
};

/** The folded text of a query. */
export class TypedText {
  readonly bytes: Uint8Array;
  readonly words: readonly string[];
  /** Empty if the text is not split. */
  readonly splits: readonly NameSplit[];

  constructor(folded: string) {
    this.bytes = bytesOf(folded);
    this.words = folded.split(' ');
    this.splits = this.isDivisible() ? splitName(this.bytes, this.words) : [];
  }

  isDivisible(): boolean {
    return this.words.length > 1 && this.words.length <= MAX_WORDS;
  }

  /**
   * The text without `count` consecutive words, for each such run that has no digit: another number is another place.
   */
  listWithout(count: number): TypedText[] {
    if (!this.isDivisible() || this.words.length > MAX_WORDS_WITHOUT) return [];
    const texts: TypedText[] = [];
    for (let at = 0; at + count <= this.words.length && count < this.words.length; at++) {
      const isNumbered = this.words.slice(at, at + count).some((word) => /\d/.test(word));
      if (!isNumbered) texts.push(new TypedText(this.words.toSpliced(at, count).join(' ')));
    }
    return texts;
  }

  /** The text without its last word, if that is so short that it may be the start of anything. */
  withoutShortEnd(): TypedText[] {
    const isShort = this.isDivisible() && (this.words.at(-1) as string).length < MIN_RUN_LETTERS;
    return isShort ? [new TypedText(this.words.slice(0, -1).join(' '))] : [];
  }

  /** The runs of words that may be a name, by number of words, the most first. */
  listRuns(): TypedText[][] {
    const { words } = this;
    if (words.length < 2 || words.length > MAX_WORDS) return [];
    return words.slice(1).map((_, dropped) => {
      const length = words.length - 1 - dropped;
      return Array.from({ length: dropped + 2 }, (_, start) => words.slice(start, start + length).join(' '))
        .filter((text) => text.length >= MIN_RUN_LETTERS && !/^[\d ]+$/.test(text))
        .map((text) => new TypedText(text));
    });
  }

  /** Names of two or three words in every other order: the whole text, or the words before a context. */
  listReordered(): Reordered[] {
    const splits = this.splits.filter(({ isAfter }) => isAfter);
    return [undefined, ...splits].flatMap((split) => {
      const words = this.words.slice(0, this.words.length - (split?.contextWordCount ?? 0));
      const orders = ORDERS[words.length] ?? [];
      return orders.map((order) => ({ name: bytesOf(order.map((at) => words[at]).join(' ')), split }));
    });
  }
}

interface Reordered {
  readonly name: Uint8Array;
  /** The split with the context after the reordered words; undefined without a context. */
  readonly split: NameSplit | undefined;
}

export class NameSplit {
  /** The number of the name in the index of the query; null before it was looked up. */
  nameNumber: number | undefined | null = null;
  #matcher: ContextMatcher | undefined;

  constructor(
    /** Folded. */
    readonly name: Uint8Array,
    private readonly contextWords: readonly string[],
    /** Whether the context comes after the name. Only then it may end in the start of a word. */
    readonly isAfter: boolean,
  ) {}

  get contextWordCount(): number {
    return this.contextWords.length;
  }

  /** The last word of the context. */
  get lastWord(): string {
    return this.contextWords.at(-1) as string;
  }

  /** The split without the last word of a context of several words; undefined if that is all of the context. */
  withoutLastWord(): NameSplit | undefined {
    return this.contextWordCount === 1
      ? undefined
      : new NameSplit(this.name, this.contextWords.slice(0, -1), this.isAfter);
  }

  /** Matches the context with the context of a place. */
  match(country: number, structures: CountryStructures, place: number, work: WorkBudget): ContextMatch {
    this.#matcher ??= new ContextMatcher(this.contextWords);
    const match = this.#matcher.match(country, structures, place, work);
    return match === 'prefix' && !this.isAfter ? 'none' : match;
  }
}

/** Every split with a context of 1 to MAX_CONTEXT_WORDS words, fewer words first; `words` are the words of `typed`. */
function splitName(typed: Uint8Array, words: readonly string[]): NameSplit[] {
  const splits: NameSplit[] = [];
  let [headLength, tailLength] = [0, 0];
  for (let count = 1; count <= MAX_CONTEXT_WORDS && count < words.length; count++) {
    headLength += (words[count - 1] as string).length + 1;
    tailLength += (words[words.length - count] as string).length + 1;
    splits.push(new NameSplit(typed.subarray(0, typed.length - tailLength), words.slice(-count), true));
    splits.push(new NameSplit(typed.subarray(headLength), words.slice(0, count), false));
  }
  return splits;
}
