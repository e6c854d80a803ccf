/**
 * Which places to suggest for a query, and in which order. A place is suggested for the first of the following reasons
 * that fits it. Places with the same reason are ordered by importance (compareRankKeys in build-index): cities by
 * population, then all other places by their number of postal codes. A city is a place of the builder's gazetteer, a
 * big city has 100,000 people or more (cityEnds in src/format/name-index.ts). Of places with the same name in one unit,
 * or one inside the other, one place represents the rest. The rest only fill slots that stay empty, until MAX_SAME_NAME
 * places with the same name in one unit of the first level are shown. The context of a place is the units and the
 * country around it.
 *
 *   bigName      a big city; its name equals the query                            "york"
 *   bigStart     a big city; its name starts with the query: at most
 *                MAX_BEFORE_NAMES                                                 "par", "barcel"
 *   regionName   if bigOther fits a city: a unit of the first level; its name
 *                equals the query                                                 "pernambuco"
 *   bigOther     a big city that is more important than every place whose name
 *                equals the query; an alternative name equals the query           "monaco di baviera"
 *   name         its name equals the query                                        "york"
 *   other        an alternative name equals the query
 *   nameWithin   its name, or an alternative name of a big city, before or after
 *                whole names or codes of its context                              "york us", "england york"
 *   otherWithin  the same, or as nameNear, with an alternative name of any other city
 *   reordered    its name is the two or three words of the query in another
 *                order, alone or before a context as in nameWithin                "york new", "york new us"
 *   start        its name starts with the query                                   "yor"
 *   nameNear     its name, followed by starts of words of its context             "york engl"
 *   wordStart    the query starts at a later word of its name, or at any word of
 *                an alternative name                                              "yor" for New York
 *   startWithin  only if no reason above fits any place: as start or wordStart,
 *                with a context as in nameWithin and nameNear                     "spr illinois", "frankfurt brand"
 *   anyOrder     each word of the query starts a different word of its name       "stoke tren" for Stoke-on-Trent
 *
 * A query with letters that are also written as two letters (foldQuery in fold-text.ts: "århus") is searched by these
 * reasons first with two letters ("aarhus"), and then in its folded form ("arhus") to fill the remaining slots.
 *
 * Only if all this finds nothing, the folded query is searched with one edit after the third letter
 * (name-corrections.ts):
 *
 *   oneEdit      bigName, bigOther, name, other, nameWithin or nameNear with the context after the name,
 *                start, wordStart, in this order                                  "pariz", "pariz texas"
 *
 * If no big city was found so far, the query may be the name of a big city with an edit among the first three letters.
 * Such cities come after the places whose name equals the query, and before all other places. A query of less than
 * MIN_LETTERS_BESIDE_OTHERS letters is only searched this way if no city and no place with its name was found.
 *
 *   cityEdit     a big city; one of its names is one such edit away: at most
 *                MAX_MISTYPED_CITIES                                              "mnchen", "lndon"
 *
 * If there is still nothing,
 *
 *   wordTooMany  a city; its name, alone or as in nameWithin, equals the query
 *                without one of up to five words, or without two                  "city of manchester"
 *
 * and then, with two edits after the fourth of 8 to 64 letters: name, start, wordStart ("straasborg").
 *
 * If the query contains a postal code, alone or with a name or context (suggest-postcodes.ts: "10115 berlin"), the
 * places of the code are searched first. They come after the places whose name equals the query or contains all of it;
 * no other reason applies then. The places of a code alone ("75001") come right after the places whose name equals the
 * query.
 *
 * A query ends when its work budget (work-budget.ts) is spent, over all its foldings, splits and reasons together. Its
 * result is then what it has found so far: the best of the more valuable reasons, in the order above. Name, start,
 * wordStart and reordered cost little and come first. The budget is for malicious queries: it ends no query that
 * contains a name as it is, and few queries with many mistakes.
 *
 * Two more rules are for quality, not for speed. A query of more than MAX_WORDS words is not split. If more than
 * MAX_SCANNED entries match, startWithin only reads the best of them, and anyOrder reads none; the query then doesn't
 * count as mistyped.
 */
import { insertRank, type NameIndex, TOP_COUNT } from '../format/name-index.js';
import { bytesOf } from '../store/byte-string.js';
import type { Range } from '../store/mapped-numbers.js';
import { hasWords, nameOf, ranksOfName, splitRanksOfName } from '../store/name-index.js';
import type { Country, Snapshot } from '../store/snapshot.js';
import { WORK, WorkBudget } from '../store/work-budget.js';
import { findMistypedCities, findWithOneEdit, findWithTwoEdits, insertFirst, type MistypedCities } from './mistyped.js';
import { entryCount, NameLookup, type Suggestion } from './name-lookup.js';
import { type NameSplit, TypedText } from './name-splits.js';
import { findByPostcode } from './suggest-postcodes.js';

/**
 * Maximum number of entries that startWithin and anyOrder read: a start with more entries says too little, see above.
 */
export const MAX_SCANNED = 1024;
/** Maximum number of big cities by bigStart, so that a place whose name equals the query is among the first five. */
const MAX_BEFORE_NAMES = 4;
/**
 * Minimum length in letters of a query for which cityEdit adds to other suggestions; shorter queries match by accident.
 */
const MIN_LETTERS_BESIDE_OTHERS = 6;
/** Maximum number of suggestions by cityEdit next to other suggestions, which leaves most slots to these. */
const MAX_MISTYPED_CITIES = 3;
/** Maximum number of suggestions with the same name in one unit of the first level, which users cannot distinguish. */
export const MAX_SAME_NAME = 2;
const NO_CITIES: MistypedCities = { own: [], other: [] };
const NOTHING = { own: new Uint32Array(0), other: new Uint32Array(0) };

/**
 * The best places for a query, given its foldings (foldQuery): at most `limit`, of the country `only`, or of all
 * countries if that is undefined. `work` is the query's budget.
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
  const distinct = new Map<string, Suggestion>();
  for (const suggestion of [...found.slice(0, nameCount), ...places, ...found.slice(nameCount)]) {
    const key = `${suggestion.country.number} ${suggestion.place}`;
    if (!distinct.has(key)) distinct.set(key, suggestion);
  }
  return [...distinct.values()].slice(0, limit);
}

class Search {
  readonly #index: NameIndex;
  /** The ranks found, best first. */
  readonly #found: number[] = [];
  /** The ranks found of same-name places (see name-index.ts), best first. */
  readonly #sameName: number[] = [];
  /** The number of ranks found by the reasons bigName to other, which come before matches of a start. */
  nameCount = 0;
  /** The ranks found by the reasons cityEdit and wordTooMany. */
  #mistypedCities: MistypedCities = NO_CITIES;
  #withoutWords: readonly number[] = [];
  /** Whether a match may be among entries that were not read, because there are more than MAX_SCANNED. */
  #isUnsure = false;

  constructor(
    private readonly names: NameLookup,
    private readonly limit: number,
    /** Whether the query contains a postal code, and places of that code were found. */
    private readonly isPostcode: boolean,
  ) {
    this.#index = names.index;
  }

  run(foldings: readonly string[]): Suggestion[] {
    const texts = foldings.map((folded) => new TypedText(folded));
    for (const typed of texts) if (!this.#isFull()) this.#findAsTyped(typed);
    if (!this.isPostcode) this.#guess(texts.at(-1) as TypedText);
    const found = this.#found.slice(0, this.limit).flatMap((rank) => this.names.suggestionOf(rank) ?? []);
    for (const rank of this.#sameName) {
      if (found.length >= this.limit) break;
      const candidate = this.names.suggestionOf(rank);
      if (candidate !== undefined && this.names.countSameName(found, candidate) < MAX_SAME_NAME) found.push(candidate);
    }
    return found;
  }

  /** The reasons that correct the query. */
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
    // Precomputed results come before lookups that may spend the whole budget.
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
    // This costs little, and the lookups below may spend the whole budget.
    if (this.#mayMeanCity(typed.bytes.length, [...starting, ...inner])) {
      this.#mistypedCities = findMistypedCities(this.names, typed);
    }
    if (this.#isFull()) return;
    const reordered = this.#findReordered(typed);
    const { within, near, other: otherWithin } = this.#findNamesInContext(typed.splits);
    for (const ranks of [within, otherWithin, reordered, starting, near, inner]) this.#take(ranks);
    // wordTooMany is the least valuable reason, but comes before the lookups that may spend the rest of the budget.
    if (this.#isEmpty() && this.#withoutWords.length === 0) this.#withoutWords = this.#findCitiesWithout(typed);
    if (this.#isEmpty()) this.#take(this.#findStartWithin(typed.splits));
    if (!this.#isFull()) this.#take(this.#findAnyOrder(typed));
  }

  /** The reasons nameWithin and nameNear, and otherWithin for alternative names of cities that are not big. */
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
   * The reason wordTooMany: cities that match the query without one or two of its words, by name or else by nameWithin.
   * Lookups by name cost less and come first.
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

  /**
   * The ranks of all names in a range of entries, ascending; only the best ranks if there are more than MAX_SCANNED
   * entries.
   */
  #ranksToScan(entries: Range): Iterable<number> {
    if (entryCount(entries) <= MAX_SCANNED) return this.names.listRanks(entries);
    const { starting, inner } = this.names.bestRanks(entries);
    return [...starting, ...inner].sort((a, b) => a - b);
  }

  #findAnyOrder(typed: TypedText): number[] {
    const found: number[] = [];
    if (!typed.isDivisible()) return found;
    const words = typed.words.map(bytesOf).sort((a, b) => b.length - a.length);
    const ranges = words.map((word) => this.names.findEntries(word));
    const fewest = ranges.reduce((best, range) => (entryCount(range) < entryCount(best) ? range : best));
    if (entryCount(fewest) > MAX_SCANNED) {
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

  /** Adds ranks to the result, best first, without duplicates, until it is full. */
  #take(ranks: Iterable<number>): void {
    for (const rank of ranks) {
      if (this.#isFull()) return;
      this.#takeOne(rank);
    }
  }

  #takeOne(rank: number): void {
    const list = rank < (this.#index.firstSameName[0] as number) ? this.#found : this.#sameName;
    if (list.length < this.limit && !list.includes(rank)) list.push(rank);
  }

  /** Adds those of some ascending ranks that are lower than `end`. */
  #takeBelow(ranks: ArrayLike<number>, end: number): void {
    for (let at = 0; at < ranks.length && (ranks[at] as number) < end; at++) this.#takeOne(ranks[at] as number);
  }

  /** The reasons cityEdit, whose ranks follow the first `nameCount` ranks, and oneEdit. */
  #addMistyped(typed: TypedText): void {
    const cities = this.#mayMeanCity(typed.bytes.length, []) ? this.#mistypedCities : NO_CITIES;
    if (this.#mayBeMistyped()) {
      for (const ranks of findWithOneEdit(this.names, typed, cities)) this.#take(ranks);
      return;
    }
    const added = new Set([...cities.own, ...cities.other].filter((rank) => !this.#found.includes(rank)));
    this.#found.splice(this.nameCount, 0, ...[...added].slice(0, MAX_MISTYPED_CITIES));
  }

  /** Whether the reason cityEdit applies, given the ranks found and the ranks `more`, which are added later. */
  #mayMeanCity(length: number, more: readonly number[]): boolean {
    const [bigEnd = 0, cityEnd = 0] = this.#index.cityEnds;
    const isLong = length >= MIN_LETTERS_BESIDE_OTHERS;
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
    return this.#found.length + this.#sameName.length === 0;
  }
}
