/**
 * Which places to suggest for a name, and in which order. A place is suggested for the first of the following reasons
 * that fits it. Places with the same reason are ordered by importance (compareSuggestionOrder in build-index): cities by
 * population, then all other places by their number of postal codes. A city is a place of the builder's gazetteer, a
 * big city has 100,000 people or more (cityEnds in name-index.ts). Of places with the same name in one unit, or one inside
 * the other, one place represents the rest. The rest only fill slots that stay empty, and only if no place with the same
 * name in the same unit of the first level is shown. The context of a place is the units and the country around it. If the
 * query is about one country, a city's own name comes first.
 *
 *   farBigger    a big city with FAR_BIGGER times the people of every city with
 *                the query as its name; its name starts with the query: at
 *                most MAX_BEFORE_NAMES                                            "par", "barcel"
 *   regionName   if farBiggerOther fits a city: a unit of the first level; its
 *                name equals the query                                            "pernambuco"
 *   farBiggerOther  as farBigger, also compared with cities whose name goes on
 *                after the query; an alternative name equals the query            "monaco di baviera"
 *   regionOther  a unit of the first level, if neither a big city nor a place in
 *                the unit has the name; an alternative name equals the query      "tuscany"
 *   cityName     a city; its name equals the query                                "york", "bend"
 *   bigStart     a big city; its name starts with the query                       "bendi"
 *   longer       if bigOther fits a city, and no big city has the name: a city;
 *                its name goes on after the query: at most MAX_BEFORE_NAMES        "neustadt"
 *   bigOther     a big city that is more important than every place whose name
 *                equals the query; an alternative name equals the query
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
 *                an alternative name; last the cities around the city found
 *                whose own name lacks the query; beside a big city of the name
 *                only at whole words of an alternative name                       "yor" for New York
 *   startWithin  only if no reason above fits any place: as start or wordStart,
 *                with a context as in nameWithin and nameNear                     "spr illinois", "frankfurt brand"
 *   anyOrder     each word of the query starts a different word of its name; beside
 *                a big city of the name not of an alternative name                "stoke tren" for Stoke-on-Trent
 *
 * A query with letters that are also written as two letters (foldQuery in fold-text.ts: "århus") is searched by these
 * reasons first with two letters ("aarhus"), and then in its folded form ("arhus") to fill the remaining slots.
 *
 * Only if all this finds nothing, the folded query is searched with one edit after the third letter
 * (mistyped-names.ts):
 *
 *   oneEdit      bigName, bigOther, name, other, nameWithin or nameNear with the context after the name,
 *                start, wordStart, in this order                                  "pariz", "pariz texas"
 *
 * A city that the query begins with stays among the first five if the query can go on so: in words of the city's context
 * or their starts, or in up to three letters that start a code of its units or its country ("leeds l", "sydney ns"). Of
 * the first five places of the name at most two stay; each displaces less important places only. Nothing is corrected
 * then.
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
 * and then, with two edits after the fourth of 8 to 64 letters: name, start, wordStart ("straasborg"). In the end,
 *
 *   inside       a place; the longest run of words, with half of the letters
 *                of the query, equals its name; or else a big city by any run;
 *                or else, with a context, a run fits as in nameWithin             "15 rue de la paix paris"
 *
 * A query that is the name of a big city in a country without data is not guessed: only the reasons up to other, and
 * start.
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

import { structuresOf } from '../lookup/countries.js';
import type { Range } from '../snapshot/array-bundle.js';
import { lowerBound } from '../snapshot/binary-search.js';
import { FAR_BIGGER, type NameIndex, nameEntryCount, nameOf, TOP_COUNT } from '../snapshot/name-index.js';
import { readFoldedNameField, readPointField } from '../snapshot/place-fields.js';
import { distanceKm } from '../snapshot/sphere.js';
import { WORK } from '../snapshot/work-budget.js';
import { FoundRanks } from './found-ranks.js';
import { MAX_BEFORE_TOWN } from './merged-suggestions.js';
import {
  findMistypedByOneEdit,
  findMistypedByTwoEdits,
  findMistypedCities,
  type MistypedCities,
} from './mistyped-names.js';
import type { NameQuery } from './name-query.js';
import { type NameSplit, TypedText } from './name-splits.js';
import { listBig, localPeople, orderByNearness } from './nearness.js';
import { NEAR_KM } from './place-evidence.js';
import type { Suggestion } from './suggestion.js';
import { MAX_SCANNED, NameMatches } from './word-matches.js';

/*
 * The reasons farBigger to other: places of which the query is a whole name, and the big cities of
 * whose name it is the start.
 */

/** Maximum number of big cities by bigStart, so that a place whose name equals the query is among the first five. */
const MAX_BEFORE_NAMES = 4;

/** Maximum number of places of a name among which the towns are that are kept: as many as interfaces show. */
const MAX_TOWNS = 5;
/** Maximum number of towns that are kept: London and London in Ontario for "london s". */
const MAX_KEPT_TOWNS = 2;

/** The ranks of a text, each ascending. */
interface NamedRanks {
  /** Of the places with the text as their name. */
  readonly own: Uint32Array;
  /** Of the places with the text as another name. */
  readonly other: Uint32Array;
  /** Of the best places whose name starts with the text. */
  readonly starting: readonly number[];
}

function takeWholeNames(
  names: NameQuery,
  found: FoundRanks,
  text: Uint8Array,
  { own, other, starting }: NamedRanks,
): void {
  const [bigEnd = 0, cityEnd = 0] = names.index.cityEnds;
  const hasOwnCity = (own[0] ?? cityEnd) < cityEnd;
  const isOwnFirst = hasOwnCity && names.isOneCountry;
  const bigStarting = Array.from(orderByNearness(names, listBig(names, starting)))
    .slice(0, MAX_BEFORE_NAMES)
    .sort((a, b) => a - b);
  const longer = other.length > 0 ? names.findLonger(text).filter((rank) => rank < cityEnd) : [];
  if (!isOwnFirst) {
    const { least, end } = farBigger(names, own, own[0]);
    const { cityPeople } = names.index;
    found.take(bigStarting.filter((rank) => rank < end || (rank >= bigEnd && (cityPeople[rank] as number) >= least)));
    if (other.length > 0) takeOtherBefore(names, found, own, other, longer[0]);
  }
  found.takeBelow(own, cityEnd);
  found.take(bigStarting);
  const isBig = (own[0] ?? bigEnd) < bigEnd;
  if (!isBig && (other[0] ?? bigEnd) < bigEnd) found.take(longer.slice(0, MAX_BEFORE_NAMES));
  found.takeBelow(other, isBig ? (own[0] as number) : bigEnd);
  found.take(own);
  found.take(other);
}

/**
 * Those of some ranks that are found by a name of a city alone: smaller cities around it without the text in their own
 * name, as Porz and Deutz for "köln".
 */
function listDistricts(names: NameQuery, city: number, ranks: readonly number[], text: string): number[] {
  const cityEnd = names.index.cityEnds[1] as number;
  const center = city < cityEnd ? names.suggestionOf(city) : undefined;
  if (center === undefined) return [];
  const point = readPointField(structuresOf(center.country), center.place);
  return ranks.filter((rank) => {
    const found = rank > city && rank < cityEnd && names.work.spend(WORK.text) ? names.suggestionOf(rank) : undefined;
    if (found === undefined) return false;
    const structures = structuresOf(found.country);
    if (distanceKm(point, readPointField(structures, found.place)) > NEAR_KM || !names.work.spend(WORK.text))
      return false;
    return !` ${readFoldedNameField(structures, found.place)}`.includes(` ${text}`);
  });
}

/**
 * Those of some ranks that nobody means by the name of a big city: cities of whose alternative names it starts a word, as
 * that of Basingstoke in Japanese starts with "beijing".
 */
function listForeign(names: NameQuery, ranks: readonly number[], text: Uint8Array, entries: Range): readonly number[] {
  const cityEnd = names.index.cityEnds[1] as number;
  const cities = ranks.filter((rank) => rank < cityEnd);
  if (cities.length === 0 || nameEntryCount(entries) > MAX_SCANNED) return [];
  const meant = names.listMeantRanks(entries, text.length);
  return cities.filter((rank) => !meant.has(rank));
}

/** The cities that a text begins with, of the longest name, for which the text can go on so: see mayGoOn. */
function findTownsAtStart(names: NameQuery, splits: readonly NameSplit[]): readonly number[] {
  const cityEnd = names.index.cityEnds[1] as number;
  for (const split of splits) {
    const name = split.isAfter ? names.findNameOf(split) : undefined;
    if (name === undefined) continue;
    const { own, other } = names.splitRanksOf(name);
    if ((own[0] ?? cityEnd) >= cityEnd && (other[0] ?? cityEnd) >= cityEnd) continue;
    const towns = new FoundRanks(names, MAX_TOWNS);
    takeWholeNames(names, towns, split.name, { own, other, starting: [] });
    const fitting = towns.filter((rank) => rank < cityEnd && names.mayGoOn(split, rank));
    if (fitting.length > 0) return fitting.slice(0, MAX_KEPT_TOWNS);
  }
  return [];
}

/**
 * Cities far bigger than all cities of the name, and regions, of which the text is another name. `longer` is the first city
 * whose name goes on after the text.
 */
function takeOtherBefore(
  names: NameQuery,
  found: FoundRanks,
  own: Uint32Array,
  other: Uint32Array,
  longer: number | undefined,
): void {
  const [bigEnd = 0, cityEnd = 0] = names.index.cityEnds;
  const { end } = farBigger(names, own, Math.min(own[0] ?? cityEnd, longer ?? cityEnd));
  const isRegion = (rank: number): boolean => names.isRegion(rank);
  if ((other[0] as number) < end) found.take(own.subarray(0, TOP_COUNT).filter(isRegion));
  found.takeBelow(other, end);
  if ((own[0] ?? bigEnd) >= bigEnd) {
    const isAlone = (region: number): boolean => !names.hasPlaceIn(region, own.subarray(0, TOP_COUNT));
    found.take(other.subarray(0, TOP_COUNT).filter((rank) => isRegion(rank) && isAlone(rank)));
  }
}

/**
 * The least people of a far bigger city, FAR_BIGGER times those of a city and more than count for the local cities of the
 * name, and the end of these among the big cities; every big city is far bigger if `rank` is no city.
 */
function farBigger(names: NameQuery, own: Uint32Array, rank: number | undefined): { least: number; end: number } {
  const { cityPeople, cityEnds } = names.index;
  const [bigEnd = 0] = cityEnds;
  const people = cityPeople[rank ?? cityPeople.length];
  if (people === undefined) return { least: 0, end: bigEnd };
  const least = Math.max(people * FAR_BIGGER, localPeople(names, own));
  return { least, end: lowerBound(0, bigEnd, (at) => (cityPeople[at] as number) >= least) };
}

/** Minimum share of the letters of a query without a code in a run of words that is a name by itself. */
const MIN_SHARE = 0.5;
/**
 * Minimum length in letters of a query for which cityEdit adds to other suggestions; shorter queries match by accident.
 */
const MIN_LETTERS_BESIDE_OTHERS = 6;
/** Maximum number of suggestions by cityEdit next to other suggestions, which leaves most slots to these. */
const MAX_MISTYPED_CITIES = 3;
const NO_CITIES: MistypedCities = { own: [], other: [] };
const NO_CONTEXT = { within: [] };
const NO_RANKS: readonly number[] = [];
const NOTHING = { own: new Uint32Array(0), other: new Uint32Array(0) };

/** How far a name is searched. */
export type NameSearchDepth =
  /** Only whole names and starts of words: the least work. */
  | 'starts'
  /** The same, and whole names with a context. */
  | 'within'
  /** All reasons without a mistake in the name. */
  | 'as typed'
  /** The same; if there is nothing, a name of which the query is more than the name. */
  | 'in part'
  /** All reasons but those that drop words. */
  | 'mistaken'
  /** All reasons. */
  | 'with mistakes';

/**
 * The best places for a name, given its foldings (foldQuery): at most `limit`, of the country or the world that `names`
 * looks up.
 */
export function searchNames(
  names: NameQuery,
  foldings: readonly string[],
  limit: number,
  depth: NameSearchDepth = 'with mistakes',
): NamesFound {
  const search = new Search(names, limit, depth);
  const places = search.run(foldings);
  return { places, exactCount: Math.min(search.nameCount, places.length), isAbsent: search.isAbsent };
}

export interface NamesFound {
  /** Best first. */
  readonly places: readonly Suggestion[];
  /** Number of places at the start by the reasons farBigger to other. */
  readonly exactCount: number;
  /** Whether the query is the name of a big city in a country without data: then nothing is guessed. */
  readonly isAbsent: boolean;
}

class Search {
  readonly #index: NameIndex;
  readonly #found: FoundRanks;
  /** The number of ranks found by the reasons farBigger to other, which come before matches of a start. */
  nameCount = 0;
  /** The ranks found by the reasons cityEdit and wordTooMany. */
  #mistypedCities: MistypedCities = NO_CITIES;
  #withoutWords: readonly number[] = [];
  isAbsent = false;
  /** The ranks found by the reason inside. */
  #inside: readonly number[] = [];
  readonly #matches: NameMatches;

  constructor(
    private readonly names: NameQuery,
    limit: number,
    private readonly depth: NameSearchDepth,
  ) {
    this.#index = names.index;
    this.#found = new FoundRanks(names, limit);
    this.#matches = new NameMatches(names, limit);
  }

  run(foldings: readonly string[]): Suggestion[] {
    const texts = foldings.map((folded) => new TypedText(folded));
    this.isAbsent = foldings.some((folded) => this.names.isAbsentCity(folded));
    for (const typed of texts) if (!this.#found.isFull) this.#findAsTyped(typed);
    const last = texts.at(-1) as TypedText;
    const isGuess = (this.depth === 'with mistakes' || this.depth === 'mistaken') && !this.isAbsent;
    // The towns before a unit or a code that is still typed; none if the query is a name.
    const isLine = this.depth === 'with mistakes' || this.depth === 'as typed';
    const towns = isLine && this.nameCount === 0 ? findTownsAtStart(this.names, last.splits) : [];
    if (isGuess && this.#found.isEmpty) this.#found.take(this.#matches.findNamed(last.withoutShortEnd()));
    this.#found.keep(towns, MAX_BEFORE_TOWN + 1);
    if (isGuess && towns.length === 0) this.#takeMistyped(last);
    if (this.#found.isEmpty) this.#found.take(this.#inside);
    if (this.#isInPart && this.#found.isEmpty) for (const typed of texts) this.#takeInsideContext(typed);
    return this.#found.listPlaces();
  }

  #findAsTyped(typed: TypedText): void {
    const index = this.#index;
    const isFirst = this.#found.isEmpty;
    const entries = this.names.findEntries(typed.bytes);
    const name = nameOf(index, entries, typed.bytes);
    const { own, other } = name === undefined ? NOTHING : this.names.splitRanksOf(name);
    // Precomputed results come before lookups that may spend the whole budget.
    const { starting, inner } = this.names.bestRanks(typed.bytes, entries);
    takeWholeNames(this.names, this.#found, typed.bytes, { own, other, starting });
    if (isFirst) this.nameCount = this.#found.count;
    if (this.isAbsent) {
      this.#found.take(starting);
      return;
    }
    if (this.depth === 'starts' || this.depth === 'within') {
      const { within } = this.depth === 'within' ? this.#matches.findInContext(typed.splits) : NO_CONTEXT;
      for (const ranks of [within, starting, inner]) this.#found.take(ranks);
      return;
    }
    // This costs little, and the lookups below may spend the whole budget.
    if (this.#mayMeanCity(typed.bytes.length, [...starting, ...inner])) {
      this.#mistypedCities = findMistypedCities(this.names, typed);
    }
    if (this.#found.isFull) return;
    const reordered = this.#matches.findReordered(typed);
    const { within, near, other: otherWithin } = this.#matches.findInContext(typed.splits);
    for (const ranks of [within, otherWithin, reordered, starting, near]) this.#found.take(ranks);
    this.#takeInner(typed, inner, entries);
    // wordTooMany and inside are worth less, but come before the lookups that may spend the rest of the budget.
    if (this.#found.isEmpty && this.#withoutWords.length === 0)
      this.#withoutWords = this.#matches.findCitiesWithout(typed);
    if (this.#found.isEmpty && this.#isInPart && this.#inside.length === 0) {
      // Beside a code every name counts; a short part of a name alone says too little.
      this.#inside = this.#matches.findInside(typed, this.depth === 'in part' ? 0 : MIN_SHARE);
    }
    if (this.#found.isEmpty) this.#found.take(this.#matches.findStartWithin(typed.splits));
    if (!this.#found.isFull) this.#found.take(this.#matches.findAnyOrder(typed, this.#isBigCity));
  }

  /** The reason wordStart. Districts that only have the name of the city found come behind other places of that name. */
  #takeInner({ words, bytes }: TypedText, inner: readonly number[], entries: Range): void {
    if (this.#found.isFull) return;
    const city = this.nameCount > 0 ? this.#found.first : undefined;
    const districts = city === undefined ? [] : listDistricts(this.names, city, inner, words.join(' '));
    const others = inner.filter((rank) => !districts.includes(rank));
    const foreign = this.#isBigCity ? listForeign(this.names, others, bytes, entries) : NO_RANKS;
    this.#found.take(others.filter((rank) => !foreign.includes(rank)));
    this.#found.take(districts);
  }

  /** The reason inside with a context as in nameWithin, if no run of words is a name. */
  #takeInsideContext(typed: TypedText): void {
    const runs = typed.listRuns();
    for (let at = 0; at < runs.length && this.#found.isEmpty; at++) {
      this.#found.take(this.#matches.findNamedInContext(runs[at] as TypedText[]));
    }
  }

  /** The reasons that correct the query. The ranks by cityEdit follow the first `nameCount` ranks. */
  #takeMistyped(typed: TypedText): void {
    const cities = this.#mayMeanCity(typed.bytes.length, NO_RANKS) ? this.#mistypedCities : NO_CITIES;
    if (!this.#found.isEmpty || this.#matches.isUnsure) {
      this.#found.insert(this.nameCount, [...cities.own, ...cities.other], MAX_MISTYPED_CITIES);
    } else for (const ranks of findMistypedByOneEdit(this.names, typed, cities)) this.#found.take(ranks);
    if (!this.#found.isEmpty) return;
    this.#found.take(this.#withoutWords);
    if (!this.#found.isEmpty || this.#matches.isUnsure) return;
    for (const ranks of findMistypedByTwoEdits(this.names, typed)) this.#found.take(ranks);
  }

  /** Whether the reason cityEdit applies, given the ranks found and the ranks `more`, which are added later. */
  #mayMeanCity(length: number, more: readonly number[]): boolean {
    const [bigEnd = 0, cityEnd = 0] = this.#index.cityEnds;
    const isLong = length >= MIN_LETTERS_BESIDE_OTHERS;
    const end = isLong ? bigEnd : cityEnd;
    return (isLong || this.nameCount === 0) && !this.#found.hasBelow(end) && more.every((rank) => rank >= end);
  }

  /** Whether the query is the name of a big city. */
  get #isBigCity(): boolean {
    return this.nameCount > 0 && (this.#found.first as number) < (this.#index.cityEnds[0] as number);
  }

  get #isInPart(): boolean {
    return !this.isAbsent && (this.depth === 'with mistakes' || this.depth === 'in part');
  }
}
