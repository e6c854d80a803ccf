/**
 * The order of places of a search that favours a point. Places that are suggested for the same reason come by their class
 * of importance, the nearest of a class first: cities of a million people and more, of 100,000, of 10,000, of 1,000, all
 * smaller cities, all other places. A local city, which lies within LOCAL_KM, comes before all cities with up to
 * LOCAL_FACTOR times its people: near Springfield in Oregon "springfield" is that one. So a near village never comes
 * before a city that is far more important: near Paris in Texas "paris" is the one in France, then the one in Texas.
 */
import type { NameIndex } from '../../format/name-index.js';
import { readPoint } from '../../store/place-fields.js';
import { WORK } from '../../store/work-budget.js';
import { distanceKm } from '../distance-km.js';
import { structuresOf } from '../find-country.js';
import type { NameLookup } from './name-lookup.js';
import type { Suggestion } from './suggestion.js';

/** Population in people from which a city has the first class; each further class begins at a tenth of it. */
const FIRST_CLASS = 1_000_000;
/** Number of classes of cities. */
const CITY_CLASSES = 5;
/** Maximum distance of a local city from the point, in km: people go there and back in a day. */
const LOCAL_KM = 50;
/** Number of times the people of a local city that a city elsewhere must exceed to come before it. */
const LOCAL_FACTOR = 20;
/** Number of people of a city that counts as big: see cityEnds in src/format/name-index.ts. */
const BIG_CITY = 100_000;
/** Maximum number of ranks of a reason that are measured, the best first: the places of nearly every name. */
const MAX_MEASURED = 200;

/** What a place is compared by: its class of importance, 0 for the most important, then its distance from the point. */
export interface Nearness {
  readonly importance: number;
  readonly distanceKm: number;
  /** Number of people, as often as they count: more for a local city. */
  readonly people: number;
  readonly isLocal: boolean;
}

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
export function orderRanks(names: NameLookup, ranks: Iterable<number>): Iterable<number> {
  if (names.scope.near === undefined) return ranks;
  const all = [...ranks];
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

function measure(names: NameLookup, ranks: readonly number[]): Measured[] {
  return ranks.map((rank) => ({ rank, nearness: nearnessOf(names, rank, names.suggestionOf(rank)) }));
}
