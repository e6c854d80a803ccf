/**
 * The reasons farBigger to other of name-search.ts: places of which the query is a whole name, and the big cities of
 * whose name it is the start.
 */
import { lowerBound } from '../../format/binary-search.js';
import { TOP_COUNT } from '../../format/name-index.js';
import { readPoint } from '../../store/place-fields.js';
import { WORK } from '../../store/work-budget.js';
import { distanceKm } from '../distance-km.js';
import { structuresOf } from '../find-country.js';
import { FoundRanks } from './found-ranks.js';
import { foldedName, NEAR_KM } from './line-evidence.js';
import type { NameLookup } from './name-lookup.js';
import type { NameSplit } from './name-splits.js';
import { listBig, localPeople, orderRanks } from './nearness.js';

/** How many times the people of a city another city must have to come before it by another match than its own name. */
const FAR_BIGGER = 10;
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

export function takeWholeNames(
  names: NameLookup,
  found: FoundRanks,
  text: Uint8Array,
  { own, other, starting }: NamedRanks,
): void {
  const [bigEnd = 0, cityEnd = 0] = names.index.cityEnds;
  const hasOwnCity = (own[0] ?? cityEnd) < cityEnd;
  const isOwnFirst = hasOwnCity && names.isOneCountry;
  const bigStarting = [...orderRanks(names, listBig(names, starting))].slice(0, MAX_BEFORE_NAMES).sort((a, b) => a - b);
  if (!isOwnFirst) {
    const { least, end } = farBigger(names, own, own[0]);
    const { cityPeople } = names.index;
    found.take(bigStarting.filter((rank) => rank < end || (rank >= bigEnd && (cityPeople[rank] as number) >= least)));
    if (other.length > 0) takeOtherBefore(names, found, text, own, other);
  }
  found.takeBelow(own, cityEnd);
  found.take(bigStarting);
  found.takeBelow(other, Math.min(bigEnd, own[0] ?? bigEnd));
  found.take(own);
  found.take(other);
}

/**
 * Those of some ranks that are found by a name of a city alone: smaller cities around it without the text in their own
 * name, as Porz and Deutz for "köln".
 */
export function listDistricts(names: NameLookup, city: number, ranks: readonly number[], text: string): number[] {
  const cityEnd = names.index.cityEnds[1] as number;
  const center = city < cityEnd ? names.suggestionOf(city) : undefined;
  if (center === undefined) return [];
  const point = readPoint(structuresOf(center.country), center.place);
  return ranks.filter((rank) => {
    const found = rank > city && rank < cityEnd && names.work.spend(WORK.text) ? names.suggestionOf(rank) : undefined;
    if (found === undefined) return false;
    const structures = structuresOf(found.country);
    if (distanceKm(point, readPoint(structures, found.place)) > NEAR_KM || !names.work.spend(WORK.text)) return false;
    return !` ${foldedName(structures.renderedPlaces, found.place)}`.includes(` ${text}`);
  });
}

/** The cities that a text begins with, of the longest name, for which the text can go on so: see mayGoOn. */
export function findTownsAtStart(names: NameLookup, splits: readonly NameSplit[]): readonly number[] {
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

/** Cities far bigger than all cities of the name, and regions, of which the text is another name. */
function takeOtherBefore(
  names: NameLookup,
  found: FoundRanks,
  text: Uint8Array,
  own: Uint32Array,
  other: Uint32Array,
): void {
  const [bigEnd = 0, cityEnd = 0] = names.index.cityEnds;
  const longer = names.findLonger(text).find((rank) => rank < cityEnd) ?? cityEnd;
  const { end } = farBigger(names, own, Math.min(own[0] ?? cityEnd, longer));
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
function farBigger(names: NameLookup, own: Uint32Array, rank: number | undefined): { least: number; end: number } {
  const { cityPeople, cityEnds } = names.index;
  const [bigEnd = 0] = cityEnds;
  const people = cityPeople[rank ?? cityPeople.length];
  if (people === undefined) return { least: 0, end: bigEnd };
  const least = Math.max(people * FAR_BIGGER, localPeople(names, own));
  return { least, end: lowerBound(0, bigEnd, (at) => (cityPeople[at] as number) >= least) };
}
