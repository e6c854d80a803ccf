/**
 * The order of places of a search that favours a point. Places that are suggested for the same reason come by their class
 * of importance, the nearest of a class first: cities of a million people and more, of 100,000, of 10,000, of 1,000, all
 * smaller cities, all other places. A local city, which lies within LOCAL_KM, comes before all cities with up to
 * LOCAL_FACTOR times its people: near Springfield in Oregon "springfield" is that one. So a near village never comes
 * before a city that is far more important: near Paris in Texas "paris" is the one in France, then the one in Texas.
 */

import { oncePer } from '../../base/once-per.js';
import { structuresOf } from '../lookup/countries.js';
import type { NameIndex } from '../snapshot/name-index.js';
import { isRecipient, readEntry, readPoint } from '../snapshot/place-fields.js';
import { compactPostcode } from '../snapshot/postcode-spelling.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';
import { distanceKm } from '../snapshot/sphere.js';
import { WORK, type WorkBudget } from '../snapshot/work-budget.js';
import type { CodeText } from './address-line.js';
import { isOfTypes, type NameLookup, type Nearness, type SearchScope, type Suggestion } from './name-query.js';
import { foldedName } from './place-evidence.js';

/** Population in people from which a city has the first class; each further class begins at a tenth of it. */
const FIRST_CLASS = 1_000_000;
/** Number of classes of cities. */
const CITY_CLASSES = 5;
/** Maximum distance of a local city from the point, in km: people go there and back in a day. */
const LOCAL_KM = 50;
/** Number of times the people of a local city that a city elsewhere must exceed to come before it. */
const LOCAL_FACTOR = 20;
/** Number of people of a city that counts as big: see cityEnds in src/core/snapshot/name-index.ts. */
const BIG_CITY = 100_000;
/** Maximum number of ranks of a reason that are measured, the best first: the places of nearly every name. */
const MAX_MEASURED = 200;

/** Of a place that is not measured. */
const UNKNOWN_NEARNESS: Nearness = { importance: 0, distanceKm: Number.MAX_VALUE, people: 0, isLocal: false };

/** The nearness of a place and of its rank, which is infinite without one; equal for all if the search favours no point. */
export function nearnessOf({ index, scope, work }: NameLookup, rank: number, found: Suggestion | undefined): Nearness {
  if (scope.near === undefined) return UNKNOWN_NEARNESS;
  const people = index.cityPeople[rank];
  const isMeasured = found !== undefined && work.spend(WORK.text);
  const km = isMeasured
    ? distanceKm(scope.near, readPoint(structuresOf(found.country), found.place))
    : Number.MAX_VALUE;
  const isLocal = people !== undefined && km <= LOCAL_KM;
  const counted = (people ?? 0) * (isLocal ? LOCAL_FACTOR : 1);
  return { importance: importanceClass(index, rank, counted), distanceKm: km, people: counted, isLocal };
}

function importanceClass({ cityPeople, firstSameName }: NameIndex, rank: number, people: number): number {
  if (cityPeople[rank] === undefined) return rank < (firstSameName[0] as number) ? CITY_CLASSES : CITY_CLASSES + 1;
  let least = FIRST_CLASS;
  let importance = 0;
  for (; people < least && importance < CITY_CLASSES - 1; importance++) least /= 10;
  return importance;
}

export function compareNearness(a: Nearness, b: Nearness): number {
  return a.importance - b.importance || a.distanceKm - b.distanceKm;
}

/** The ranks of one reason in the order to take them; `ranks` ascend. */
export function orderRanks(names: NameLookup, ranks: ArrayLike<number>): ArrayLike<number> {
  if (names.scope.near === undefined) return ranks;
  const all = Array.from(ranks);
  if (all.length < 2) return all;
  const measured = measure(names, all.slice(0, MAX_MEASURED)).sort(
    (a, b) => compareNearness(a.nearness, b.nearness) || a.rank - b.rank,
  );
  const ordered: Measured[] = [];
  let left = measured.filter(({ nearness }) => !nearness.isLocal);
  for (const local of measured.filter(({ nearness }) => nearness.isLocal)) {
    const isBefore = ({ nearness }: Measured): boolean => nearness.people > local.nearness.people;
    ordered.push(...left.filter(isBefore), local);
    left = left.filter((one) => !isBefore(one));
  }
  return [...[...ordered, ...left].map(({ rank }) => rank), ...all.slice(MAX_MEASURED)];
}

/** Those of some ascending ranks that count as big cities, and those of local cities with a big city's people. */
export function listBig(names: NameLookup, ranks: readonly number[]): readonly number[] {
  const [bigEnd = 0] = names.index.cityEnds;
  if (names.scope.near === undefined) return ranks.filter((rank) => rank < bigEnd);
  return measure(names, ranks)
    .filter(({ rank, nearness: { isLocal, people } }) => rank < bigEnd || (isLocal && people >= BIG_CITY))
    .map(({ rank }) => rank);
}

/** The number of people that a city elsewhere must exceed to come before the local cities among some ranks. */
export function localPeople(names: NameLookup, ranks: Uint32Array): number {
  if (names.scope.near === undefined) return 0;
  const local = measure(names, [...ranks.subarray(0, MAX_MEASURED)]).filter(({ nearness }) => nearness.isLocal);
  return Math.max(0, ...local.map(({ nearness }) => nearness.people));
}

interface Measured {
  readonly rank: number;
  readonly nearness: Nearness;
}

/** A rank that is measured again costs the query as much, so that no answer depends on this. */
function measure(names: NameLookup, ranks: readonly number[]): Measured[] {
  return ranks.map((rank) => {
    let nearness = names.measured.get(rank);
    if (nearness === undefined || !names.work.spend(WORK.text)) {
      nearness = nearnessOf(names, rank, names.suggestionOf(rank));
      names.measured.set(rank, nearness);
    }
    return { rank, nearness };
  });
}

/* The ranks that a search for a name has found so far, best first, each once. */

export class FoundRanks {
  readonly #ranks: number[] = [];
  /** The ranks of same-name places (see name-index.ts), which only fill slots that stay empty. */
  readonly #sameName: number[] = [];
  readonly #firstSameName: number;

  constructor(
    private readonly names: NameLookup,
    private readonly limit: number,
  ) {
    this.#firstSameName = names.index.firstSameName[0] as number;
  }

  /** The number of ranks without those of same-name places. */
  get count(): number {
    return this.#ranks.length;
  }

  get isFull(): boolean {
    return this.#ranks.length >= this.limit;
  }

  get isEmpty(): boolean {
    return this.#ranks.length + this.#sameName.length === 0;
  }

  /** Whether a rank below `end` was found. */
  hasBelow(end: number): boolean {
    return this.#ranks.some((rank) => rank < end);
  }

  /** Adds ranks, best first, until the list is full. */
  take(ranks: ArrayLike<number>): void {
    const ordered = orderRanks(this.names, ranks);
    for (let at = 0; at < ordered.length && !this.isFull; at++) {
      const rank = ordered[at] as number;
      const list = rank < this.#firstSameName ? this.#ranks : this.#sameName;
      if (list.length < this.limit && !list.includes(rank) && this.#isOfTypes(rank)) list.push(rank);
    }
  }

  /** Adds those of some ascending ranks that are lower than `end`. */
  takeBelow(ranks: ArrayLike<number>, end: number): void {
    const below: number[] = [];
    for (let at = 0; at < ranks.length && (ranks[at] as number) < end; at++) below.push(ranks[at] as number);
    this.take(below);
  }

  /** Inserts the first `most` of some ranks that were not found before rank number `position`. */
  insert(position: number, ranks: readonly number[], most: number): void {
    const added = new Set(ranks.filter((rank) => !this.#ranks.includes(rank) && this.#isOfTypes(rank)));
    this.#ranks.splice(position, 0, ...[...added].slice(0, most));
  }

  get first(): number | undefined {
    return this.#ranks[0];
  }

  /** The ranks that fit. */
  filter(fits: (rank: number) => boolean): number[] {
    return this.#ranks.filter(fits);
  }

  /** Puts ranks among the first `count`, each unless a better rank would have to leave these. */
  keep(ranks: readonly number[], count: number): void {
    ranks.forEach((rank, at) => {
      const position = count - ranks.length + at;
      const known = this.#ranks.indexOf(rank);
      if ((known !== -1 && known < count) || (this.#ranks[count - 1] ?? rank) < rank) return;
      if (known !== -1) this.#ranks.splice(known, 1);
      this.#ranks.splice(position, 0, rank);
    });
  }

  /** The places of the ranks; then same-name places, if none of their name in their unit is there. */
  listPlaces(): Suggestion[] {
    const places: Suggestion[] = [];
    for (let at = 0; at < this.#ranks.length && at < this.limit; at++) {
      const found = this.names.suggestionOf(this.#ranks[at] as number);
      if (found !== undefined) places.push(found);
    }
    for (const rank of this.#sameName) {
      if (places.length >= this.limit) break;
      const candidate = this.names.suggestionOf(rank);
      if (candidate !== undefined && !this.names.hasSameName(places, candidate)) places.push(candidate);
    }
    return places;
  }

  #isOfTypes(rank: number): boolean {
    const { scope, work } = this.names;
    const found = scope.types && this.names.suggestionOf(rank);
    return found === undefined || isOfTypes(found, scope, work);
  }
}

/* Puts suggestions of several reasons into one list, and the countries and towns of a line into the order to try. */

/** Maximum number of suggestions before the town of a line whose end is still typed: interfaces show five. */
export const MAX_BEFORE_TOWN = 4;

/**
 * The lists one after the other without duplicates, at most `limit`; `town` among the first MAX_BEFORE_TOWN + 1. Only
 * places of the types of the search, and its recipients last where it says so.
 */
export function mergeSuggestions(
  lists: readonly (readonly Suggestion[])[],
  { limit, scope, work }: MergeRequest,
  town?: Suggestion,
): readonly Suggestion[] {
  const distinct = new Map<string, Suggestion>();
  const add = (suggestion: Suggestion): void => {
    const key = keyOf(suggestion);
    if (!distinct.has(key) && isOfTypes(suggestion, scope, work)) distinct.set(key, suggestion);
  };
  for (const suggestion of scope.areRecipientsLast === true ? withRecipientsLast(lists.flat()) : lists.flat()) {
    if (town !== undefined && distinct.size === Math.min(MAX_BEFORE_TOWN, limit - 1)) add(town);
    add(suggestion);
  }
  return [...distinct.values()].slice(0, limit);
}

export interface MergeRequest {
  readonly limit: number;
  readonly scope: SearchScope;
  readonly work: WorkBudget;
}

function withRecipientsLast(suggestions: readonly Suggestion[]): Suggestion[] {
  const isLast = ({ country, place }: Suggestion): boolean => isRecipient(structuresOf(country), place);
  const last = new Set(suggestions.filter(isLast));
  return [...suggestions.filter((suggestion) => !last.has(suggestion)), ...last];
}

/** Whether a code was completed, and only offices and organisations have it: "9021" is a start rather than 09021. */
export function isOfOffices(places: readonly Suggestion[], { code }: CodeText): boolean {
  return (
    places.length > 0 &&
    places.every(({ country, place }) => {
      const structures = structuresOf(country);
      const { postalCode } = readEntry(structures, place);
      return postalCode !== null && compactPostcode(postalCode).length > code.length && isRecipient(structures, place);
    })
  );
}

/** Places with the number that was typed first, before those with a longer one: Praha 1 before Praha 10. */
export function sortByNumber(places: readonly Suggestion[], foldings: readonly string[]): readonly Suggestion[] {
  const [number] = /\d+$/.exec(foldings.at(-1) as string) ?? [];
  if (number === undefined) return places;
  const hasNumber = ({ country, place }: Suggestion): boolean =>
    foldedName(structuresOf(country), place).split(' ').includes(number);
  return [...places].sort((a, b) => Number(hasNumber(b)) - Number(hasNumber(a)));
}

function keyOf({ country, place }: Suggestion): string {
  return `${country.number} ${place}`;
}

/** The countries with data, those with the most cities first: the likeliest for the start of a code. */
export function sortByCities(snapshot: Snapshot): readonly Country[] {
  return orderByCities(snapshot).map((number) => snapshot.countries[number] as Country);
}

/** The numbers of these countries, for all views of a snapshot. */
const orderByCities = oncePer(
  ({ countries }: Snapshot): readonly number[] => {
    const cityCount = ({ structures }: Country): number => structures?.names.cityEnds[1] ?? 0;
    const covered = countries.filter(({ structures }) => structures !== undefined);
    return covered.sort((a, b) => cityCount(b) - cityCount(a)).map(({ number }) => number);
  },
  ({ manifest }) => manifest,
);
