/** The ways to take what was typed for a name and, before or behind it, what the place lies in: "springfield il". */
import { bytesOf } from '../store/byte-string.js';
import { type ContextMatch, ContextMatcher, MAX_CONTEXT_WORDS } from '../store/place-contexts.js';
import type { CountryStructures } from '../store/snapshot.js';
import type { WorkBudget } from '../store/work-budget.js';

/** What has more words is looked for as it stands, and not taken apart. */
export const MAX_WORDS = 8;

/** Of what has more words none is left out. */
const MAX_WORDS_WITHOUT = 5;

/** By the number of words, the orders in which they were not typed. */
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

/** A folded text that somebody typed. */
export class TypedText {
  readonly bytes: Uint8Array;
  readonly words: readonly string[];
  /** Empty where the text is not taken apart. */
  readonly splits: readonly NameSplit[];

  constructor(folded: string) {
    this.bytes = bytesOf(folded);
    this.words = folded.split(' ');
    this.splits = this.isDivisible() ? splitName(this.bytes, this.words) : [];
  }

  isDivisible(): boolean {
    return this.words.length > 1 && this.words.length <= MAX_WORDS;
  }

  /** What is left without each run of `count` words that have no digit: another number is another place. */
  listWithout(count: number): TypedText[] {
    if (!this.isDivisible() || this.words.length > MAX_WORDS_WITHOUT) return [];
    const texts: TypedText[] = [];
    for (let at = 0; at + count <= this.words.length && count < this.words.length; at++) {
      const isNumbered = this.words.slice(at, at + count).some((word) => /\d/.test(word));
      if (!isNumbered) texts.push(new TypedText(this.words.toSpliced(at, count).join(' ')));
    }
    return texts;
  }

  /** Two or three words in every other order: alone, or before what the place lies in. */
  listReordered(): Reordered[] {
    const splits = this.splits.filter(({ isBehind }) => isBehind);
    return [undefined, ...splits].flatMap((split) => {
      const words = this.words.slice(0, this.words.length - (split?.contextWordCount ?? 0));
      const orders = ORDERS[words.length] ?? [];
      return orders.map((order) => ({ name: bytesOf(order.map((at) => words[at]).join(' ')), split }));
    });
  }
}

export interface Reordered {
  readonly name: Uint8Array;
  /** What stands behind the words that were reordered; undefined for nothing. */
  readonly split: NameSplit | undefined;
}

export class NameSplit {
  #matcher: ContextMatcher | undefined;

  constructor(
    /** Folded. */
    readonly name: Uint8Array,
    private readonly contextWords: readonly string[],
    /** Whether the context is behind the name: only there it may be cut. */
    readonly isBehind: boolean,
  ) {}

  get contextWordCount(): number {
    return this.contextWords.length;
  }

  /** How the context fits to what a place lies in. */
  match(country: number, structures: CountryStructures, place: number, work: WorkBudget): ContextMatch {
    this.#matcher ??= new ContextMatcher(this.contextWords);
    const match = this.#matcher.match(country, structures, place, work);
    return match === 'cut' && !this.isBehind ? 'none' : match;
  }
}

/** Every split with a context of 1 to MAX_CONTEXT_WORDS words, fewer first; `words` are those of `typed`. */
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
