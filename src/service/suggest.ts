/**
 * Which places to suggest for what somebody typed, and in which order: the one place where that rule stands. A place is
 * suggested for the first of these reasons that fits it; those of one reason come by importance (compareRankKeys in
 * build-index): cities by their people, then all other places by their postal codes. A city is what the gazetteer of the
 * build knows, a big city one of 100,000 people and more (cityEnds in src/format/name-index.ts). Of places of one name
 * that lie in each other, or beside each other, one stands for all; the others fill slots that stay empty, until
 * MAX_ALIKE of one name in one unit of the first level are shown.
 *
 *   bigName      a big city; its name is what was typed                           "york"
 *   bigStart     a big city; its name starts so: at most MAX_BEFORE_NAMES         "par", "barcel"
 *   regionName   where bigOther fits a city, a unit of the first level; its name
 *                is what was typed                                                "pernambuco"
 *   bigOther     a big city that is more important than all that are called so;
 *                another of its names is what was typed                           "monaco di baviera"
 *   name         its name is what was typed                                       "york"
 *   other        another of its names is what was typed
 *   nameWithin   its name, or another name of a big city, and, before or behind
 *                it, whole names or codes of what it lies in                      "york us", "england york"
 *   otherWithin  likewise, or as nameNear, another name of any other city
 *   reordered    its name is the two or three words typed, in another order,
 *                alone or before what it lies in as in nameWithin                 "york new", "york new us"
 *   start        its name starts so                                               "yor"
 *   nameNear     its name, and behind it starts of words of what it lies in       "york engl"
 *   wordStart    its name starts so from one of its later words on, or another
 *                of its names from any word on                                    "yor" for New York
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
 *   oneEdit      bigName, bigOther, name, other, nameWithin or nameNear with what it lies in behind it,
 *                start, wordStart, in that order                                  "pariz", "pariz texas"
 *
 * Where no big city was found so far, big cities may be meant with an edit among the first three letters. They come behind
 * the places whose name was typed, and before all others. Of less than SHORTEST_BESIDE_OTHERS letters this is believed
 * only where there is no city at all, and no place that is called so.
 *
 *   cityEdit     a big city; one of its names is one such edit away: at most
 *                MAX_MISTYPED_CITIES                                              "mnchen", "lndon"
 *
 * Where there is still nothing,
 *
 *   wordTooMany  a city; its name, alone or as in nameWithin, is what is left
 *                without one of up to five words, or without two                  "city of manchester"
 *
 * and then, with two edits behind the fourth of eight to 64 letters: name, start, wordStart ("straasborg").
 *
 * Places of a postal code that was typed with what they are called or lie in (suggest-postcodes.ts: "10115 berlin") are
 * looked for first, and come, as far as there is room, behind the places that are called so, or whose names have all that
 * was typed: for no other reason is anything suggested then. Where a code alone was typed, "75001", they come right behind
 * the places that are called so.
 *
 * A query may look at no more than its budget (work-budget.ts), over all its foldings, splits and reasons together: what
 * it has found when the budget ends is its answer, the best of the more valuable reasons, in the order above. Name, start,
 * wordStart and reordered cost next to nothing and are looked for first. The budget is for queries that are made to take
 * long: it ends none that has a name as it is, and few of what is mistyped in many ways at once.
 *
 * Two more rules keep answers good rather than fast. More than MAX_WORDS words are looked for as they stand and not taken
 * apart. Where more than MAX_SCANNED entries start so, startWithin looks at the best of them, and anyOrder at none: what
 * was typed is not taken for mistyped then.
 */
import { insertRank, type NameIndex, TOP_COUNT } from '../format/name-index.js';
import { bytesOf } from '../store/byte-string.js';
import type { Range } from '../store/mapped-numbers.js';
import { hasWords, nameOf, ranksOfName, splitRanksOfName } from '../store/name-index.js';
import type { Country, Snapshot } from '../store/snapshot.js';
import { WORK, WorkBudget } from '../store/work-budget.js';
import { findMistypedCities, findWithOneEdit, findWithTwoEdits, insertFirst, type MistypedCities } from './mistyped.js';
import { lengthOf, NameLookup, type Suggestion } from './name-lookup.js';
import { type NameSplit, TypedText } from './name-splits.js';
import { findByPostcode } from './suggest-postcodes.js';

export const MAX_SCANNED = 1024;
/** So many big cities whose names start so come before places that are called so, which are among five then. */
const MAX_BEFORE_NAMES = 4;
/** Big cities that may have been meant come among other suggestions where so many letters were typed, and so many of them. */
const SHORTEST_BESIDE_OTHERS = 6;
const MAX_MISTYPED_CITIES = 3;
/** Of one name in one unit of the first level no more rows are shown, for the sake of what one of them stands for. */
export const MAX_ALIKE = 2;
const NO_CITIES: MistypedCities = { own: [], other: [] };
const NOTHING = { own: new Uint32Array(0), other: new Uint32Array(0) };

/**
 * The best places for a query by its foldings (foldQuery), at most `limit`; of one country, or of all where `only` is
 * undefined. `work` is what the query may spend.
 */
export function suggest(
  snapshot: Snapshot,
  foldings: readonly string[],
  only: Country | undefined,
  limit: number,
  work: WorkBudget = new WorkBudget(),
): readonly Suggestion[] {
  const names = new NameLookup(snapshot, only, work);
  const folded = foldings.at(-1) as string;
  const { places, isCodeAlone } = findByPostcode(snapshot, only, names, folded);
  const search = new Search(names, limit, places.length > 0);
  const found = search.run(foldings);
  if (places.length === 0) return found;
  const nameCount = isCodeAlone ? search.nameCount : found.length;
  const together = new Map<string, Suggestion>();
  for (const one of [...found.slice(0, nameCount), ...places, ...found.slice(nameCount)]) {
    const key = `${one.country.number} ${one.place}`;
    if (!together.has(key)) together.set(key, one);
  }
  return [...together.values()].slice(0, limit);
}

class Search {
  readonly #index: NameIndex;
  /** The ranks found, best first, and those of namesakes. */
  readonly #found: number[] = [];
  readonly #namesakes: number[] = [];
  /** How many of the suggestions come before mere starts: big cities, and places that are called what was typed. */
  nameCount = 0;
  /** The ranks found by the reasons cityEdit and wordTooMany. */
  #mistypedCities: MistypedCities = NO_CITIES;
  #withoutWords: readonly number[] = [];
  /** Whether something may fit that was not looked at, because there was too much. */
  #isUnsure = false;

  constructor(
    private readonly names: NameLookup,
    private readonly limit: number,
    /** Whether the text is that of a postal code and of places that have it. */
    private readonly isPostcode: boolean,
  ) {
    this.#index = names.index;
  }

  run(foldings: readonly string[]): Suggestion[] {
    const texts = foldings.map((folded) => new TypedText(folded));
    for (const typed of texts) if (!this.#isFull()) this.#findAsTyped(typed);
    if (!this.isPostcode) this.#guess(texts.at(-1) as TypedText);
    const found = this.#found.slice(0, this.limit).flatMap((rank) => this.names.suggestionOf(rank) ?? []);
    for (const rank of this.#namesakes) {
      if (found.length >= this.limit) break;
      const one = this.names.suggestionOf(rank);
      if (one !== undefined && this.names.countAlike(found, one) < MAX_ALIKE) found.push(one);
    }
    return found;
  }

  /** The reasons that take what was typed for mistyped, or for too much. */
  #guess(typed: TypedText): void {
    this.#addMistyped(typed);
    if (this.#isEmpty()) this.#take(this.#withoutWords);
    if (this.#mayBeMistyped()) for (const ranks of findWithTwoEdits(this.names, typed)) this.#take(ranks);
  }

  #findAsTyped(typed: TypedText): void {
    const index = this.#index;
    const isFirst = this.#isEmpty();
    const entries = this.names.findEntries(typed.bytes);
    const name = nameOf(index, entries, typed.bytes);
    const { own, other } = name === undefined ? NOTHING : splitRanksOfName(index, name);
    // What is ready-made is looked up before what may take the whole budget.
    const { starting, inner } = this.names.bestRanks(entries);
    const bigEnd = index.cityEnds[0] as number;
    this.#takeBelow(own, bigEnd);
    this.#takeBelow(starting.slice(0, MAX_BEFORE_NAMES), bigEnd);
    const otherEnd = Math.min(bigEnd, own[0] ?? bigEnd);
    if ((other[0] ?? otherEnd) < otherEnd) {
      this.#take(own.subarray(0, TOP_COUNT).filter((rank) => this.names.isRegion(rank)));
      this.#takeBelow(other, otherEnd);
    }
    this.#take(own);
    this.#take(other);
    if (isFirst) this.nameCount = this.#found.length;
    if (this.isPostcode) {
      for (const ranks of [starting, inner]) this.#take(ranks);
      return;
    }
    // This costs next to nothing, and what comes behind may take the whole budget.
    if (this.#mayMeanCity(typed.bytes.length, [...starting, ...inner])) {
      this.#mistypedCities = findMistypedCities(this.names, typed);
    }
    if (this.#isFull()) return;
    const reordered = this.#findReordered(typed);
    const { within, near, other: otherWithin } = this.#findNamesInContext(typed.splits);
    for (const ranks of [within, otherWithin, reordered, starting, near, inner]) this.#take(ranks);
    // What is worth least is looked for before what may take all that is left of the budget.
    if (this.#isEmpty() && this.#withoutWords.length === 0) this.#withoutWords = this.#findCitiesWithout(typed);
    if (this.#isEmpty()) this.#take(this.#findStartWithin(typed.splits));
    if (!this.#isFull()) this.#take(this.#findAnyOrder(typed));
  }

  /** The reasons nameWithin and nameNear, and both of them for other names of cities that are not big. */
  #findNamesInContext(splits: readonly NameSplit[]): { within: number[]; near: number[]; other: number[] } {
    const found = { within: [] as number[], near: [] as number[], other: [] as number[] };
    const bigEnd = this.#index.cityEnds[0] as number;
    for (const split of splits) {
      const name = this.names.findName(split.name);
      if (name === undefined) continue;
      this.names.visitWithin(split, name, (rank, match, isOther) => {
        const list = match === 'whole' ? found.within : found.near;
        insertRank(isOther && rank >= bigEnd ? found.other : list, rank);
      });
    }
    return found;
  }

  /**
   * The reason wordTooMany: cities that fit, by name or else by nameWithin, what is left without one word, or without two.
   * Names cost least and are looked for first.
   */
  #findCitiesWithout(typed: TypedText): number[] {
    const cityEnd = this.#index.cityEnds[1] as number;
    const texts = [1, 2].map((count) => typed.listWithout(count));
    for (const ofCount of texts) {
      const found: number[] = [];
      for (const { bytes } of ofCount) {
        const name = this.names.findName(bytes);
        const ranks = name === undefined ? [] : ranksOfName(this.#index, name);
        for (const rank of ranks.slice(0, TOP_COUNT)) if (rank < cityEnd) insertRank(found, rank);
      }
      if (found.length > 0) return found;
    }
    for (const ofCount of texts) {
      const found: number[] = [];
      for (const { splits } of ofCount) {
        for (const rank of this.#findNamesInContext(splits).within) if (rank < cityEnd) insertRank(found, rank);
      }
      if (found.length > 0) return found;
    }
    return [];
  }

  #findReordered(typed: TypedText): number[] {
    const found: number[] = [];
    for (const { name: text, split } of typed.listReordered()) {
      const name = this.names.findName(text);
      if (name === undefined) continue;
      if (split === undefined) insertFirst(found, ranksOfName(this.#index, name));
      else this.names.visitWithin(split, name, (rank, match) => match === 'whole' && insertRank(found, rank));
    }
    return found;
  }

  #findStartWithin(splits: readonly NameSplit[]): number[] {
    const found: number[] = [];
    for (const split of splits) {
      const fitting = new Set<number>();
      for (const rank of this.#ranksToScan(this.names.findEntries(split.name))) {
        if (fitting.size === this.limit || this.names.work.isSpent) break;
        if (this.names.match(split, rank) !== 'none') fitting.add(rank);
      }
      for (const rank of fitting) insertRank(found, rank);
    }
    return found;
  }

  /** The ranks of all names in a range of entries, ascending; where there are too many entries, of the best. */
  #ranksToScan(entries: Range): Iterable<number> {
    if (lengthOf(entries) <= MAX_SCANNED) return this.names.listRanks(entries);
    const { starting, inner } = this.names.bestRanks(entries);
    return [...starting, ...inner].sort((a, b) => a - b);
  }

  #findAnyOrder(typed: TypedText): number[] {
    const found: number[] = [];
    if (!typed.isDivisible()) return found;
    const words = typed.words.map(bytesOf).sort((a, b) => b.length - a.length);
    const ranges = words.map((word) => this.names.findEntries(word));
    const fewest = ranges.reduce((best, range) => (lengthOf(range) < lengthOf(best) ? range : best));
    if (lengthOf(fewest) > MAX_SCANNED) {
      this.#isUnsure = true;
      return found;
    }
    const costs = words.length * WORK.word;
    for (let entry = fewest.start; entry < fewest.end && this.names.work.spend(costs); entry++) {
      const name = this.#index.entryNames[entry] as number;
      if (hasWords(this.#index, name, words)) insertFirst(found, ranksOfName(this.#index, name));
    }
    return found;
  }

  /** Moves ranks over, best first, without repeats, as far as there is room. */
  #take(ranks: Iterable<number>): void {
    for (const rank of ranks) {
      if (this.#isFull()) return;
      this.#takeOne(rank);
    }
  }

  #takeOne(rank: number): void {
    const list = rank < (this.#index.firstNamesake[0] as number) ? this.#found : this.#namesakes;
    if (list.length < this.limit && !list.includes(rank)) list.push(rank);
  }

  /** Likewise of ascending ranks those before `end`. */
  #takeBelow(ranks: ArrayLike<number>, end: number): void {
    for (let at = 0; at < ranks.length && (ranks[at] as number) < end; at++) this.#takeOne(ranks[at] as number);
  }

  /** The reasons cityEdit, behind the places that are called what was typed, and oneEdit. */
  #addMistyped(typed: TypedText): void {
    const cities = this.#mayMeanCity(typed.bytes.length, []) ? this.#mistypedCities : NO_CITIES;
    if (this.#mayBeMistyped()) {
      for (const ranks of findWithOneEdit(this.names, typed, cities)) this.#take(ranks);
      return;
    }
    const added = new Set([...cities.own, ...cities.other].filter((rank) => !this.#found.includes(rank)));
    this.#found.splice(this.nameCount, 0, ...[...added].slice(0, MAX_MISTYPED_CITIES));
  }

  /** Whether a city may be meant, where these ranks were found and `more` will be. */
  #mayMeanCity(length: number, more: readonly number[]): boolean {
    const [bigEnd = 0, cityEnd = 0] = this.#index.cityEnds;
    const isLong = length >= SHORTEST_BESIDE_OTHERS;
    const end = isLong ? bigEnd : cityEnd;
    return (isLong || this.nameCount === 0) && !this.#hasCity(end) && more.every((rank) => rank >= end);
  }

  #hasCity(end: number): boolean {
    return this.#found.some((rank) => rank < end);
  }

  #mayBeMistyped(): boolean {
    return this.#isEmpty() && !this.#isUnsure;
  }

  #isFull(): boolean {
    return this.#found.length >= this.limit;
  }

  #isEmpty(): boolean {
    return this.#found.length + this.#namesakes.length === 0;
  }
}
