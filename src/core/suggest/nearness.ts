/**
 * The order of places of a search that favours a point. Places that are suggested for the same reason come by their class
 * of importance, the nearest of a class first: cities of a million people and more, of 100,000, of 10,000, of 1,000, all
 * smaller cities, all other places. A local city, which lies within LOCAL_KM, comes before all cities with up to
 * LOCAL_FACTOR times its people: near Springfield in Oregon "springfield" is that one. So a near village never comes
 * before a city that is far more important: near Paris in Texas "paris" is the one in France, then the one in Texas.
 */

import { structuresOf } from '../lookup/countries.js';
import { BIG_CITY, type NameIndex } from '../snapshot/name-index.js';
import { readPointField } from '../snapshot/place-fields.js';
import { distanceKm } from '../snapshot/sphere.js';
import { WORK } from '../snapshot/work-budget.js';
import type { NameQuery, Nearness } from './name-query.js';
import type { Suggestion } from './suggestion.js';

/** Population in people from which a city has the first class; each further class begins at a tenth of it. */
const FIRST_CLASS = 1_000_000;
/** Number of classes of cities. */
const CITY_CLASSES = 5;
/** Maximum distance of a local city from the point, in km: people go there and back in a day. */
const LOCAL_KM = 50;
/** Number of times the people of a local city that a city elsewhere must exceed to come before it. */
const LOCAL_FACTOR = 20;
/** Maximum number of ranks of a reason that are measured, the best first: the places of nearly every name. */
const MAX_MEASURED = 200;

/** Of a place that is not measured. */
const UNKNOWN_NEARNESS: Nearness = { importance: 0, distanceKm: Number.MAX_VALUE, people: 0, isLocal: false };

/** The nearness of a place and of its rank, which is infinite without one; equal for all if the search favours no point. */
export function nearnessOf({ index, scope, work }: NameQuery, rank: number, found: Suggestion | undefined): Nearness {
  if (scope.near === undefined) return UNKNOWN_NEARNESS;
  const people = index.cityPeople[rank];
  const isMeasured = found !== undefined && work.spend(WORK.text);
  const km = isMeasured
    ? distanceKm(scope.near, readPointField(structuresOf(found.country), found.place))
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
export function orderByNearness(names: NameQuery, ranks: ArrayLike<number>): ArrayLike<number> {
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
export function listBig(names: NameQuery, ranks: readonly number[]): readonly number[] {
  const [bigEnd = 0] = names.index.cityEnds;
  if (names.scope.near === undefined) return ranks.filter((rank) => rank < bigEnd);
  return measure(names, ranks)
    .filter(({ rank, nearness: { isLocal, people } }) => rank < bigEnd || (isLocal && people >= BIG_CITY))
    .map(({ rank }) => rank);
}

/** The number of people that a city elsewhere must exceed to come before the local cities among some ranks. */
export function localPeople(names: NameQuery, ranks: Uint32Array): number {
  if (names.scope.near === undefined) return 0;
  const local = measure(names, [...ranks.subarray(0, MAX_MEASURED)]).filter(({ nearness }) => nearness.isLocal);
  return Math.max(0, ...local.map(({ nearness }) => nearness.people));
}

interface Measured {
  readonly rank: number;
  readonly nearness: Nearness;
}

/** A rank that is measured again costs the query as much, so that no answer depends on this. */
function measure(names: NameQuery, ranks: readonly number[]): Measured[] {
  return ranks.map((rank) => {
    let nearness = names.measured.get(rank);
    if (nearness === undefined || !names.work.spend(WORK.text)) {
      nearness = nearnessOf(names, rank, names.suggestionOf(rank));
      names.measured.set(rank, nearness);
    }
    return { rank, nearness };
  });
}
