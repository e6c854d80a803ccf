/**
 * Which places to suggest for what somebody typed, and in which order: the one place where that rule stands. A place is
 * suggested for the first of these reasons that fits it; those of one reason come by importance (compareRankKeys in
 * build-index). Of places of one name that lie in each other, or beside each other, one stands for all; the others fill
 * slots that stay empty.
 *
 *   name         its name is what was typed                                       "york"
 *   nameWithin   its name and, before or behind it, whole names or codes of
 *                what it lies in                                                  "york us", "england york"
 *   reordered    its name is the two or three words typed, in another order       "york new"
 *   start        its name starts so                                               "yor"
 *   nameNear     its name, and behind it starts of words of what it lies in       "york engl"
 *   wordStart    its name starts so from one of its later words on                "yor" for New York
 *   startWithin  only where none of these fits any place: as start or wordStart,
 *                with what it lies in as in nameWithin and nameNear               "spr illinois", "frankfurt brand"
 *   anyOrder     each word typed starts another word of its name                  "stoke tren" for Stoke-on-Trent
 *
 * What has letters that are also written as two (foldQuery in fold-text.ts: "århus") is looked for by these reasons with
 * the two first ("aarhus"), and then as it is folded ("arhus"), to fill what slots are left.
 *
 * Only where all this finds nothing, what is folded is looked for by these, with one edit behind the third letter (see
 * name-corrections.ts),
 *
 *   oneEdit      name, nameWithin or nameNear with what it lies in behind it,
 *                start, wordStart, in that order                                  "pariz", "pariz texas"
 *
 * and then with two behind the fourth of eight to 64 letters: name, start, wordStart ("straasborg").
 *
 * Work is bounded: more than MAX_WORDS words are looked for as they stand and not taken apart. Where more than
 * MAX_SCANNED entries would have to be looked through, startWithin looks at the best of them, and anyOrder at none: what
 * was typed is not taken for mistyped then. No query looks at what more than MAX_CONTEXTS places lie in.
 */
import { insertRank, type NameIndex, TOP_COUNT } from '../format/name-index.js';
import { correctOnce, findSimilar } from '../store/name-corrections.js';
import { bestRanks, findEntries, findName, hasWords, nameOf, ranksOfName } from '../store/name-index.js';
import type { ContextMatch } from '../store/place-contexts.js';
import type { Range } from '../store/place-tree.js';
import type { Country, Snapshot } from '../store/snapshot.js';
import { structuresOf } from './find-country.js';
import { type NameSplit, TypedText, toBytes } from './name-splits.js';

export const MAX_SCANNED = 1024;
/** Far more than any query of a sound snapshot has. */
const MAX_CONTEXTS = 32_768;
/** Words behind a mistyped name. */
export const MAX_CONTEXT_WORDS_OF_EDITS = 2;

export interface Suggestion {
  readonly country: Country;
  readonly place: number;
}

/**
 * The best places for a query by its foldings (foldQuery), at most `limit`; of one country, or of all where `only` is
 * undefined.
 */
export function suggest(
  snapshot: Snapshot,
  foldings: readonly string[],
  only: Country | undefined,
  limit: number,
): readonly Suggestion[] {
  return new Search(snapshot, only, limit).run(foldings);
}

class Search {
  readonly #index: NameIndex;
  /** The ranks found, best first, and those of namesakes. */
  readonly #found: number[] = [];
  readonly #namesakes: number[] = [];
  /** Whether something may fit that was not looked at, because there was too much. */
  #isUnsure = false;
  #contextsLeft = MAX_CONTEXTS;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly only: Country | undefined,
    private readonly limit: number,
  ) {
    this.#index = only === undefined ? snapshot.worldNames : structuresOf(only).names;
  }

  run(foldings: readonly string[]): Suggestion[] {
    const texts = foldings.map((folded) => new TypedText(folded));
    for (const typed of texts) if (!this.#isFull()) this.#findAsTyped(typed);
    const folded = texts.at(-1) as TypedText;
    if (this.#isEmpty() && !this.#isUnsure) this.#findWithOneEdit(folded);
    if (this.#isEmpty() && !this.#isUnsure) this.#findWithTwoEdits(folded);
    const ranks = [...this.#found, ...this.#namesakes].slice(0, this.limit);
    return ranks.flatMap((rank) => this.#suggestionOf(rank) ?? []);
  }

  #findAsTyped(typed: TypedText): void {
    const index = this.#index;
    const entries = findEntries(index, typed.bytes);
    const name = nameOf(index, entries, typed.bytes);
    if (name !== undefined) this.#take(ranksOfName(index, name));
    const near = this.#isFull() ? undefined : this.#findNamesInContext(typed.splits);
    this.#take(near?.within);
    if (!this.#isFull()) this.#take(this.#findReordered(typed));
    if (this.#isFull()) return;
    const { starting, inner } = bestRanks(index, entries);
    this.#take(starting);
    this.#take(near?.near);
    this.#take(inner);
    if (this.#isEmpty()) this.#take(this.#findStartWithin(typed.splits));
    if (!this.#isFull()) this.#take(this.#findAnyOrder(typed));
  }

  /** The reasons nameWithin and nameNear. */
  #findNamesInContext(splits: readonly NameSplit[]): { within: number[]; near: number[] } | undefined {
    if (splits.length === 0) return undefined;
    const [within, near]: [number[], number[]] = [[], []];
    for (const split of splits) {
      const name = findName(this.#index, split.name);
      if (name === undefined) continue;
      for (const rank of ranksOfName(this.#index, name)) {
        const match = this.#matchContext(split, rank);
        if (match === 'whole') insertRank(within, rank);
        else if (match === 'cut') insertRank(near, rank);
      }
    }
    return { within, near };
  }

  #findReordered(typed: TypedText): number[] {
    const found: number[] = [];
    for (const text of typed.listReordered()) {
      const name = findName(this.#index, text);
      if (name !== undefined) insertFirst(found, ranksOfName(this.#index, name));
    }
    return found;
  }

  #findAnyOrder(typed: TypedText): number[] {
    const found: number[] = [];
    if (!typed.isDivisible()) return found;
    const words = typed.words.map(toBytes).sort((a, b) => b.length - a.length);
    const ranges = words.map((word) => findEntries(this.#index, word));
    const fewest = ranges.reduce((best, range) => (lengthOf(range) < lengthOf(best) ? range : best));
    if (lengthOf(fewest) > MAX_SCANNED) {
      this.#isUnsure = true;
      return found;
    }
    for (let entry = fewest.start; entry < fewest.end; entry++) {
      const name = this.#index.entryNames[entry] as number;
      if (hasWords(this.#index, name, words)) insertFirst(found, ranksOfName(this.#index, name));
    }
    return found;
  }

  #findStartWithin(splits: readonly NameSplit[]): number[] {
    const found: number[] = [];
    for (const split of splits) {
      for (const rank of this.#ranksToScan(findEntries(this.#index, split.name))) {
        if (this.#matchContext(split, rank) !== 'none') insertRank(found, rank);
      }
    }
    return found;
  }

  /** The ranks of all names in a range of entries; where there are too many, of the best. */
  #ranksToScan(entries: Range): number[] {
    if (lengthOf(entries) > MAX_SCANNED) {
      const { starting, inner } = bestRanks(this.#index, entries);
      return [...starting, ...inner];
    }
    const ranks: number[] = [];
    for (let entry = entries.start; entry < entries.end; entry++) {
      for (const rank of ranksOfName(this.#index, this.#index.entryNames[entry] as number)) {
        if (ranks.length >= MAX_CONTEXTS) return ranks;
        ranks.push(rank);
      }
    }
    return ranks;
  }

  #findWithOneEdit(typed: TypedText): void {
    const index = this.#index;
    const found = { name: [] as number[], within: [] as number[], start: [] as number[], inner: [] as number[] };
    for (const { text, entries } of correctOnce(index, typed.bytes)) {
      const name = nameOf(index, entries, text);
      if (name !== undefined) insertFirst(found.name, ranksOfName(index, name));
      const { starting, inner } = bestRanks(index, entries);
      insertFirst(found.start, starting);
      insertFirst(found.inner, inner);
    }
    for (const split of typed.splits) {
      if (!split.isBehind || split.contextWordCount > MAX_CONTEXT_WORDS_OF_EDITS) continue;
      for (const { text, entries } of correctOnce(index, split.name)) {
        const name = nameOf(index, entries, text);
        if (name === undefined) continue;
        for (const rank of ranksOfName(index, name)) {
          if (this.#matchContext(split, rank) !== 'none') insertRank(found.within, rank);
        }
      }
    }
    for (const ranks of [found.name, found.within, found.start, found.inner]) this.#take(ranks);
  }

  #findWithTwoEdits(typed: TypedText): void {
    const index = this.#index;
    const found = { name: [] as number[], start: [] as number[], inner: [] as number[] };
    for (const { entry, isWhole } of findSimilar(index, typed.bytes)) {
      const ranks = ranksOfName(index, index.entryNames[entry] as number);
      if (index.entryOffsets[entry] !== 0) insertFirst(found.inner, ranks);
      else insertFirst(isWhole ? found.name : found.start, ranks);
    }
    for (const ranks of [found.name, found.start, found.inner]) this.#take(ranks);
  }

  /** How what was typed behind, or before, a name fits to what the place of a rank lies in. */
  #matchContext(split: NameSplit, rank: number): ContextMatch {
    const suggestion = this.#suggestionOf(rank);
    if (suggestion === undefined || this.#contextsLeft-- <= 0) return 'none';
    return split.match(suggestion.country, suggestion.place);
  }

  /** Undefined where a damaged file has no such place. */
  #suggestionOf(rank: number): Suggestion | undefined {
    const place = this.#index.places[rank];
    const country = this.only ?? this.snapshot.countries[this.#index.countries[rank] ?? -1];
    const isThere = place !== undefined && place < (country?.structures?.tree.placeCount ?? 0);
    return country !== undefined && isThere ? { country, place } : undefined;
  }

  /** Moves ranks over, best first, without repeats, as far as there is room. */
  #take(ranks: Iterable<number> = []): void {
    const firstNamesake = this.#index.firstNamesake[0] as number;
    for (const rank of ranks) {
      if (this.#isFull()) return;
      const list = rank < firstNamesake ? this.#found : this.#namesakes;
      if (list.length < this.limit && !list.includes(rank)) list.push(rank);
    }
  }

  #isFull(): boolean {
    return this.#found.length >= this.limit;
  }

  #isEmpty(): boolean {
    return this.#found.length + this.#namesakes.length === 0;
  }
}

/** Inserts the lowest of some ascending ranks: no more than those can be among the lowest of all. */
function insertFirst(list: number[], ranks: ArrayLike<number>): void {
  for (let at = 0; at < ranks.length && at < TOP_COUNT; at++) insertRank(list, ranks[at] as number);
}

function lengthOf({ start, end }: Range): number {
  return end - start;
}
