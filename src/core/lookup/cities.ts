/**
 * The cities of a country: the localities of one name in one unit are one city, and recipients of one name in one unit
 * are one too. A postal code has a rank: its position among the codes of localities in natural order. Both are computed
 * at their first use, in up to 20 ms (by the site before it serves a snapshot), and stay as long as the snapshot: 8
 * bytes for each place, 12 MB for the world. After that every question costs array reads.
 */

import { oncePer } from '../../base/once-per.js';
import type { Range } from '../snapshot/array-bundle.js';
import { childRange, isPlace, levelRange } from '../snapshot/place-tree.js';
import { FIELD_OFFSETS, NAME_START, renderedFieldOffset } from '../snapshot/rendered-places.js';
import type { CountryStructures } from '../snapshot/snapshot.js';
import { naturalOrderOf } from './natural-order.js';
import { recipientMarksOf } from './place-postcodes.js';

/** The rank of a unit, which has no postal code. */
const UNIT = 0xffffffff;
/** The rank of a recipient, whose code need not be a locality's. */
const RECIPIENT = 0xfffffffe;
/** Maximum length of names that are compared, in bytes. Real names have up to 200; a damaged file's can be longer. */
const MAX_COMPARED_BYTES = 400;

interface CountryCities {
  /** For each place the rank of its code; RECIPIENT or UNIT where it has none. */
  readonly ranks: Uint32Array;
  /** For each leaf the first place of its city, which stands for the city; for each unit the unit. */
  readonly cities: Uint32Array;
  /** The number in the postcode index of the code with each rank. */
  readonly codes: Uint32Array;
}

export const citiesOf = oncePer((structures: CountryStructures): CountryCities => {
  const { ranks, codes } = rankCodes(structures);
  return { ranks, codes, cities: findCities(structures, ranks) };
});

function rankCodes(structures: CountryStructures): Pick<CountryCities, 'ranks' | 'codes'> {
  const { codeCount, placeStarts, places } = structures.postcodes;
  const order = naturalOrderOf(structures.postcodes);
  const recipients = recipientMarksOf(structures);
  const ranks = new Uint32Array(structures.tree.placeCount).fill(UNIT);
  const codes = new Uint32Array(codeCount);
  let rank = 0;
  // In a damaged file every code could have all places.
  let unreadCount = places.length;
  for (let position = 0; position < codeCount; position++) {
    const code = order === undefined ? position : (order[position] as number);
    const start = placeStarts[code] as number;
    const end = Math.min(placeStarts[code + 1] as number, places.length, start + unreadCount);
    if (end > start) unreadCount -= end - start;
    let hasLocality = false;
    for (let at = start; at < end; at++) {
      const place = places[at] as number;
      // In a damaged file a place can have any number of codes: the first counts. A number of no place has no rank.
      if (ranks[place] !== UNIT) continue;
      const isRecipient = recipients?.[place] === 1;
      ranks[place] = isRecipient ? RECIPIENT : rank;
      hasLocality ||= !isRecipient;
    }
    if (hasLocality) codes[rank++] = code;
  }
  return { ranks, codes: codes.subarray(0, rank) };
}

/** Siblings of one name have consecutive numbers, localities and recipients mixed. */
function findCities(structures: CountryStructures, ranks: Uint32Array): Uint32Array {
  const { placeCount } = structures.tree;
  const cities = new Uint32Array(placeCount);
  let locality: number | undefined;
  let recipient: number | undefined;
  for (let place = 0; place < placeCount; place++) {
    if (place === 0 || !areNamesakes(structures, place - 1, place)) {
      locality = undefined;
      recipient = undefined;
    }
    if (ranks[place] === UNIT) {
      cities[place] = place;
    } else if (ranks[place] === RECIPIENT) {
      recipient ??= place;
      cities[place] = recipient;
    } else {
      locality ??= place;
      cities[place] = locality;
    }
  }
  return cities;
}

/** Whether two places have the same name and the same parent. */
function areNamesakes({ tree, renderedPlaces }: CountryStructures, a: number, b: number): boolean {
  return tree.parents[a] === tree.parents[b] && haveOneName(renderedPlaces, a, b);
}

/** Whether two places have the same name, byte for byte. */
export function haveOneName(rendered: CountryStructures['renderedPlaces'], a: number, b: number): boolean {
  const { text, offsets } = rendered;
  const length = renderedFieldOffset(rendered, a, FIELD_OFFSETS.nameEnd) - NAME_START;
  if (length > MAX_COMPARED_BYTES || renderedFieldOffset(rendered, b, FIELD_OFFSETS.nameEnd) - NAME_START !== length)
    return false;
  const startA = (offsets[a] as number) + NAME_START;
  const startB = (offsets[b] as number) + NAME_START;
  for (let at = 0; at < length; at++) if (text[startA + at] !== text[startB + at]) return false;
  return true;
}

export function isRecipientAt({ ranks }: CountryCities, place: number): boolean {
  return ranks[place] === RECIPIENT;
}

export function isUnitAt({ ranks }: CountryCities, place: number): boolean {
  return ranks[place] === UNIT;
}

export function isLocalityAt({ ranks }: CountryCities, place: number): boolean {
  return (ranks[place] as number) < RECIPIENT;
}

/** The places directly in a unit, or those of the country's first level. */
export function childrenOf({ tree }: CountryStructures, unit: number | undefined): Range {
  return unit === undefined ? levelRange(tree, 1) : childRange(tree, unit);
}

/** Whether others lie in a place. */
export function isArea({ tree }: CountryStructures, place: number): boolean {
  const { start, end } = childRange(tree, place);
  return start < end;
}

/** The unit that contains a place; undefined on the first level. */
export function parentOf({ tree }: CountryStructures, place: number): number | undefined {
  const parent = tree.parents[place] as number;
  return isPlace(tree, parent) ? parent : undefined;
}

/** All places of the city that `first` stands for, ascending. */
export function listCityPlaces(structures: CountryStructures, first: number): number[] {
  const { cities } = citiesOf(structures);
  const { end } = childrenOf(structures, parentOf(structures, first));
  const places = [first];
  for (let place = first + 1; place < end; place++) {
    if (cities[place] === first) places.push(place);
    else if (cities[place] === place && !areNamesakes(structures, first, place)) break;
  }
  return places;
}

/** The ranks of the codes of places, each once, ascending. Recipients and units have none. */
export function listCityCodeRanks({ ranks }: CountryCities, places: Iterable<number>): number[] {
  const found: number[] = [];
  for (const place of places) {
    const rank = ranks[place] as number;
    if (rank < RECIPIENT) found.push(rank);
  }
  return sortOnce(found);
}

/** The same for ranges of places. */
export function listCityCodeRanksWithin({ ranks }: CountryCities, ranges: readonly Range[]): number[] {
  const found: number[] = [];
  for (const { start, end } of ranges) {
    for (let place = start; place < end; place++) {
      const rank = ranks[place] as number;
      if (rank < RECIPIENT) found.push(rank);
    }
  }
  return sortOnce(found);
}

/** Codes per mark from which on marks cost more than sorting. */
const SPARSE = 16;

/** The ranks of a city lie close together: marks between the least and the greatest cost less than sorting. */
function sortOnce(ranks: number[]): number[] {
  const { length } = ranks;
  if (length < 2) return ranks;
  let least = Infinity;
  let greatest = 0;
  for (const rank of ranks) {
    if (rank < least) least = rank;
    if (rank > greatest) greatest = rank;
  }
  if (greatest - least > SPARSE * length) return [...new Set(Uint32Array.from(ranks).sort())];
  const marks = new Uint8Array(greatest - least + 1);
  for (const rank of ranks) marks[rank - least] = 1;
  const sorted: number[] = [];
  for (let at = 0; at < marks.length; at++) if (marks[at] === 1) sorted.push(least + at);
  return sorted;
}
