/**
 * The lookups of one query among the names of one country or of the world. Every lookup first spends units of the
 * query's work budget, and returns no results, or no further results, once the budget is spent.
 */

import { oncePer } from '../../base/once-per.js';
import { findCountryOfAbsentCity } from '../lookup/absent-countries.js';
import { structuresOf } from '../lookup/countries.js';
import { arrayRangeAt, type Range } from '../snapshot/array-bundle.js';
import { decodeUtf8 } from '../snapshot/byte-string.js';
import { foldNameKeepingAccents } from '../snapshot/fold-text.js';
import {
  type BestRanks,
  bestNameRanks,
  entryByte,
  everyNameEntry,
  findName,
  findNameEntries,
  insertNameRank,
  isOtherNameAt,
  type NameIndex,
  NO_RANK,
  nameRankAt,
  ranksOfName,
  splitRanksOfName,
  TOP_COUNT,
  TOP_RANGE,
} from '../snapshot/name-index.js';
import { type ContextMatch, hasContextCodeFrom } from '../snapshot/place-contexts.js';
import { childRange, levelOf, listAncestors } from '../snapshot/place-tree.js';
import { placeNameJson } from '../snapshot/rendered-places.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';
import { WORK, type WorkBudget } from '../snapshot/work-budget.js';
import { startCodes } from './code-form.js';
import type { NameSplit } from './name-splits.js';
import { isOfTypes, type SearchScope, type Suggestion } from './suggestion.js';

/*
 * The best ranks of a range of entries of a name index, within the budget of a query: of all places, or of the places of
 * some types.
 */

/**
 * Maximum number of entries of a range in which a search for some types looks at all places; in a longer range it looks
 * at the best places alone.
 */
const MAX_TYPED = 1024;

interface Query {
  readonly scope: SearchScope;
  readonly work: WorkBudget;
}

type PlaceOf = (rank: number) => Suggestion | undefined;

/** `placeOf` tells the place of a rank of the index. */
function bestRanksIn(query: Query, index: NameIndex, entries: Range, placeOf: PlaceOf): BestRanks {
  const count = entries.end - entries.start;
  if (query.scope.types !== undefined && count <= MAX_TYPED) return bestOfTypes(query, index, entries, placeOf);
  // The best ranks of a longer range are precomputed.
  const scannedCount = count <= TOP_RANGE ? count : 1;
  return query.work.spend(scannedCount * WORK.scanned) ? bestNameRanks(index, entries) : { starting: [], inner: [] };
}

function bestOfTypes(query: Query, index: NameIndex, entries: Range, placeOf: PlaceOf): BestRanks {
  const [starting, inner] = [new Set<number>(), new Set<number>()];
  for (let entry = entries.start; entry < entries.end && !query.work.isSpent; entry++) {
    const { start, end } = arrayRangeAt(index.rankStarts, index.entryNames[entry] as number, index.ranks.length);
    for (let at = start; at < end && query.work.spend(WORK.listed); at++) {
      const isStarting = index.entryOffsets[entry] === 0 && !isOtherNameAt(index, at);
      (isStarting ? starting : inner).add(nameRankAt(index, at));
    }
  }
  return { starting: bestOf(query, starting, placeOf), inner: bestOf(query, inner, placeOf) };
}

function bestOf(query: Query, ranks: ReadonlySet<number>, placeOf: PlaceOf): number[] {
  const fitting: number[] = [];
  for (const rank of Uint32Array.from(ranks).sort()) {
    if (fitting.length === TOP_COUNT || query.work.isSpent) break;
    const found = placeOf(rank);
    if (found !== undefined && isOfTypes(found, query.scope, query.work)) fitting.push(rank);
  }
  return fitting;
}

/*
 * The ranks of each country's places in the world's name index. A country's index and the world's index have the same
 * order of ranks, so the n-th place of a country among the world's ranks is the place with the country's rank n. The
 * first search of several countries computes the ranks of all countries in one pass over the world's ranks (some
 * milliseconds, 3 MB).
 */

/** For each rank of the country's index the rank in the world's index. Shorter than the index in a damaged file. */
function worldRanksOf(snapshot: Snapshot, { number }: Country): Uint32Array {
  return rankTablesOf(snapshot)[number] as Uint32Array;
}

const rankTablesOf = oncePer(listRankTables, ({ worldNames }) => worldNames);

function listRankTables({ countries, worldNames }: Snapshot): readonly Uint32Array[] {
  const tables = countries.map(({ structures }) => new Uint32Array(structures?.names.rankCount ?? 0));
  const counts = new Uint32Array(tables.length);
  const owners = worldNames.countries;
  for (let rank = 0; rank < owners.length; rank++) {
    const owner = owners[rank] as number;
    const table = tables[owner];
    const count = counts[owner] as number;
    // A write behind the end of a table does nothing.
    if (table !== undefined) table[count] = rank;
    counts[owner] = count + 1;
  }
  return tables.map((table, owner) => table.subarray(0, counts[owner]));
}

/** What a place is compared by: its class of importance, 0 for the most important, then its distance from the point. */
export interface Nearness {
  readonly importance: number;
  readonly distanceKm: number;
  /** Number of people, as often as they count: more for a local city. */
  readonly people: number;
  readonly isLocal: boolean;
}

const SPACE = 0x20;
/** The letters that a code can start with. */
const CODE_START = /^[a-z]{1,3}$/;

export class NameQuery {
  readonly index: NameIndex;
  /** Whether the names of one country are looked up, not those of the world. */
  readonly isOneCountry: boolean;
  /** The nearness of the places of ranks that the query measured (nearness.ts): reasons share ranks. */
  readonly measured = new Map<number, Nearness>();
  /** The country whose index is searched; undefined for the index of the world. */
  readonly #only: Country | undefined;
  /** The countries of a search of several: their ranks are picked from the index of the world. */
  readonly #several: readonly Country[] | undefined;
  readonly #isOfSeveral: Uint8Array | undefined;

  constructor(
    private readonly snapshot: Snapshot,
    readonly scope: SearchScope,
    readonly work: WorkBudget,
  ) {
    const { countries } = scope;
    this.#only = countries?.length === 1 ? countries[0] : undefined;
    this.isOneCountry = this.#only !== undefined;
    this.index = this.#only === undefined ? snapshot.worldNames : structuresOf(this.#only).names;
    if (countries === undefined || this.#only !== undefined) return;
    this.#several = countries;
    this.#isOfSeveral = new Uint8Array(snapshot.countries.length);
    for (const { number } of countries) this.#isOfSeveral[number] = 1;
  }

  /** The same search in one country. */
  inCountry(country: Country): NameQuery {
    return new NameQuery(this.snapshot, { ...this.scope, countries: [country] }, this.work);
  }

  /** Whether places of a country are searched. */
  hasCountry({ number }: Country): boolean {
    return this.#isOfSeveral === undefined
      ? (this.#only?.number ?? number) === number
      : this.#isOfSeveral[number] === 1;
  }

  findEntries(text: Uint8Array): Range {
    const all = everyNameEntry(this.index);
    return this.work.spendSearch(all) ? findNameEntries(this.index, text) : { start: 0, end: 0 };
  }

  /** The best places whose name goes on after the word that ends `text`, best first. */
  findLonger(text: Uint8Array): readonly number[] {
    const longer = new Uint8Array(text.length + 1);
    longer.set(text);
    longer[text.length] = SPACE;
    return this.bestRanks(longer, this.findEntries(longer)).starting;
  }

  /** Whether a folded text is the name of a big city in a country without data. */
  isAbsentCity(text: string): boolean {
    const { bigCityNames } = this.index;
    if (!this.work.spendSearch({ start: 0, end: bigCityNames.length })) return false;
    return findCountryOfAbsentCity(this.index, this.snapshot.countries, text) !== undefined;
  }

  findName(text: Uint8Array): number | undefined {
    return this.work.spendSearch({ start: 0, end: this.index.nameCount }) ? findName(this.index, text) : undefined;
  }

  /** The name of a split, looked up once. */
  findNameOf(split: NameSplit): number | undefined {
    if (split.nameNumber === null) split.nameNumber = this.findName(split.name);
    return split.nameNumber;
  }

  /** The ranks of the places with a name, ascending: see ranksOfName. */
  ranksOf(name: number): Uint32Array {
    return this.#ofCountries(ranksOfName(this.index, name));
  }

  /** The same, by own and other names: see splitRanksOfName. */
  splitRanksOf(name: number): { own: Uint32Array; other: Uint32Array } {
    const { own, other } = splitRanksOfName(this.index, name);
    return { own: this.#ofCountries(own), other: this.#ofCountries(other) };
  }

  /** The best ranks of the entries that start with `text`, which are `entries`. */
  bestRanks(text: Uint8Array, entries: Range): BestRanks {
    if (entries.start === entries.end) return { starting: [], inner: [] };
    if (this.#several === undefined) return bestRanksIn(this, this.index, entries, (rank) => this.suggestionOf(rank));
    // The best ranks of the world can lack a country: its own index has these.
    const found: BestRanks = { starting: [], inner: [] };
    for (const country of this.#several) {
      const { names } = structuresOf(country);
      if (!this.work.spendSearch(everyNameEntry(names))) break;
      const worldRanks = worldRanksOf(this.snapshot, country);
      const placeOf = (rank: number): Suggestion => ({ country, place: names.places[rank] as number });
      const { starting, inner } = bestRanksIn(this, names, findNameEntries(names, text), placeOf);
      for (const rank of starting) insertNameRank(found.starting, worldRanks[rank] ?? NO_RANK);
      for (const rank of inner) insertNameRank(found.inner, worldRanks[rank] ?? NO_RANK);
    }
    return found;
  }

  /** The ranks of all names in a range of entries, ascending, so the best come first. */
  listRanks(entries: Range): Uint32Array {
    const { entryNames, rankStarts } = this.index;
    const found: number[] = [];
    for (let entry = entries.start; entry < entries.end && !this.work.isSpent; entry++) {
      const name = entryNames[entry] as number;
      const end = rankStarts[name + 1] as number;
      for (let at = rankStarts[name] as number; at < end && this.work.spend(WORK.listed); at++) {
        found.push(nameRankAt(this.index, at));
      }
    }
    return this.#ofCountries(Uint32Array.from(found).sort());
  }

  /**
   * The ranks of the places of a range of entries, without those of which the text, whose length this is, only starts a word
   * of an alternative name.
   */
  listMeantRanks(entries: Range, length: number): ReadonlySet<number> {
    const { index, work } = this;
    const found = new Set<number>();
    for (let entry = entries.start; entry < entries.end && !work.isSpent; entry++) {
      const name = index.entryNames[entry] as number;
      const next = entryByte(index, entry, length);
      const hasWords = next === 0 || next === SPACE;
      const end = index.rankStarts[name + 1] as number;
      for (let at = index.rankStarts[name] as number; at < end && work.spend(WORK.listed); at++) {
        if (hasWords || !isOtherNameAt(index, at)) found.add(nameRankAt(index, at));
      }
    }
    return found;
  }

  #ofCountries(ranks: Uint32Array): Uint32Array {
    const isOfSeveral = this.#isOfSeveral;
    if (isOfSeveral === undefined) return ranks;
    return ranks.filter((rank) => isOfSeveral[this.index.countries[rank] as number] === 1);
  }

  /** Calls `visit` with the ranks of the places with the name that match the context of the split. */
  visitWithin(
    split: NameSplit,
    name: number,
    visit: (rank: number, match: ContextMatch, isOther: boolean) => void,
  ): void {
    const { rankStarts } = this.index;
    const end = rankStarts[name + 1] as number;
    for (let at = rankStarts[name] as number; at < end && !this.work.isSpent; at++) {
      const rank = nameRankAt(this.index, at);
      const match = this.match(split, rank);
      if (match !== 'none') visit(rank, match, isOtherNameAt(this.index, at));
    }
  }

  /** Matches the context of a split with the context of the place with a rank. */
  match(split: NameSplit, rank: number): ContextMatch {
    if (!this.work.spend(WORK.place)) return 'none';
    const place = this.index.places[rank];
    const country = this.#countryOf(rank);
    const structures = country?.structures;
    if (place === undefined || country === undefined || structures === undefined) return 'none';
    if (!this.hasCountry(country)) return 'none';
    return place < structures.tree.placeCount ? split.match(country.number, structures, place, this.work) : 'none';
  }

  /**
   * Whether the context of a split may be typed half, behind the name of the place with a rank: words of the place's
   * context or their starts, or whole ones with the start of a code behind them, of a unit or a postal code.
   */
  mayGoOn(split: NameSplit, rank: number): boolean {
    if (this.match(split, rank) !== 'none') return true;
    const { lastWord } = split;
    const before = split.withoutLastWord();
    if (!CODE_START.test(lastWord) || (before !== undefined && this.match(before, rank) !== 'whole')) return false;
    const found = this.work.spend(WORK.text * 2) ? this.suggestionOf(rank) : undefined;
    if (found === undefined) return false;
    const structures = structuresOf(found.country);
    return (
      hasContextCodeFrom(structures, found.place, lastWord) ||
      startCodes(found.country, structures, lastWord.toUpperCase())
    );
  }

  /** Whether the place of a rank is an admin unit of the first level. */
  isRegion(rank: number): boolean {
    if (!this.work.spend(WORK.place)) return false;
    const { country, place = -1 } = this.suggestionOf(rank) ?? {};
    const tree = country?.structures?.tree;
    if (tree === undefined || levelOf(tree, place) !== 1) return false;
    const { start, end } = childRange(tree, place);
    return start < end;
  }

  /** Whether one of some places lies in a unit. */
  hasPlaceIn(unit: number, ranks: Uint32Array): boolean {
    const region = this.suggestionOf(unit);
    return ranks.some((rank) => {
      const { country, place = -1 } = this.work.spend(WORK.place) ? (this.suggestionOf(rank) ?? {}) : {};
      const tree = country?.structures?.tree;
      return (
        tree !== undefined && country === region?.country && listAncestors(tree, place).includes(region?.place ?? -1)
      );
    });
  }

  /** The place with a rank; undefined if a damaged file has none. */
  suggestionOf(rank: number): Suggestion | undefined {
    const place = this.index.places[rank];
    const country = this.#countryOf(rank);
    const isThere = place !== undefined && place < (country?.structures?.tree.placeCount ?? 0);
    return country !== undefined && isThere ? { country, place } : undefined;
  }

  /** Whether a suggestion has the name and the unit of the first level of `candidate`: users can't tell them apart. */
  hasSameName(suggestions: readonly Suggestion[], candidate: Suggestion): boolean {
    const nameOf = ({ country, place }: Suggestion): string =>
      foldNameKeepingAccents(decodeUtf8(placeNameJson(structuresOf(country).renderedPlaces, place)));
    const rootOf = ({ country, place }: Suggestion): number =>
      listAncestors(structuresOf(country).tree, place)[0] ?? place;
    const [name, root] = [nameOf(candidate), rootOf(candidate)];
    return suggestions.some(
      (shown) => shown.country === candidate.country && rootOf(shown) === root && nameOf(shown) === name,
    );
  }

  #countryOf(rank: number): Country | undefined {
    return this.#only ?? this.snapshot.countries[this.index.countries[rank] ?? -1];
  }
}
