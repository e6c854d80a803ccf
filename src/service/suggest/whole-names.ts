/**
 * The reasons farBigger to other of name-search.ts: places of which the query is a whole name, and the big cities of
 * whose name it is the start.
 */
import { lowerBound } from '../../format/binary-search.js';
import { TOP_COUNT } from '../../format/name-index.js';
import type { FoundRanks } from './found-ranks.js';
import type { NameLookup } from './name-lookup.js';
import { orderRanks } from './rank-order.js';

/** How many times the people of a city another city must have to come before it by another match than its own name. */
const FAR_BIGGER = 10;
/** Maximum number of big cities by bigStart, so that a place whose name equals the query is among the first five. */
const MAX_BEFORE_NAMES = 4;

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
  const bigStarting = [
    ...orderRanks(
      names,
      starting.filter((rank) => rank < bigEnd),
    ),
  ]
    .slice(0, MAX_BEFORE_NAMES)
    .sort((a, b) => a - b);
  if (!isOwnFirst) {
    found.takeBelow(bigStarting, endOfFarBigger(names, own[0]));
    if (other.length > 0) takeOtherBefore(names, found, text, own, other);
  }
  found.takeBelow(own, cityEnd);
  found.takeBelow(bigStarting, bigEnd);
  found.takeBelow(other, Math.min(bigEnd, own[0] ?? bigEnd));
  found.take(own);
  found.take(other);
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
  const end = endOfFarBigger(names, Math.min(own[0] ?? cityEnd, longer));
  const isRegion = (rank: number): boolean => names.isRegion(rank);
  if ((other[0] as number) < end) found.take(own.subarray(0, TOP_COUNT).filter(isRegion));
  found.takeBelow(other, end);
  if ((own[0] ?? bigEnd) >= bigEnd) {
    const isAlone = (region: number): boolean => !names.hasPlaceIn(region, own.subarray(0, TOP_COUNT));
    found.take(other.subarray(0, TOP_COUNT).filter((rank) => isRegion(rank) && isAlone(rank)));
  }
}

/** The end of the big cities with FAR_BIGGER times the people of a city, or of all big cities if `rank` is no city. */
function endOfFarBigger({ index }: NameLookup, rank: number | undefined): number {
  const { cityPeople } = index;
  const [bigEnd = 0] = index.cityEnds;
  const people = cityPeople[rank ?? cityPeople.length];
  if (people === undefined) return bigEnd;
  return lowerBound(0, bigEnd, (at) => (cityPeople[at] as number) >= people * FAR_BIGGER);
}
