/**
 * The postal codes of a set of places, each once, in natural order: runs of digits compare as numbers, so SW2 comes
 * before SW10. One pass over the country's postcode index reads the number of each place once and no text, so the cost
 * depends on the country and not on the set: 1.2 ms for 200,000 codes, 0.01 ms in most countries. The natural order of
 * the codes and the marks of recipients are not in the snapshot: a country's first listing computes them in up to 14 ms,
 * and they stay as long as the snapshot, at most one byte for a place and four for a code.
 */

import { oncePer } from '../../base/once-per.js';
import type { Range } from '../snapshot/array-bundle.js';
import { codesOfFirstPart } from '../snapshot/full-codes.js';
import { membersOf } from '../snapshot/place-cities.js';
import { isRecipient } from '../snapshot/place-fields.js';
import { isCoarsePositionAt } from '../snapshot/place-positions.js';
import { treeRangesBelow } from '../snapshot/place-tree.js';
import { hasRecipients } from '../snapshot/point-index.js';
import { indexedPostcodePlaces } from '../snapshot/postcode-index.js';
import type { CountryStructures } from '../snapshot/snapshot.js';
import { naturalOrderOf } from './natural-order.js';
import { siblingsOfName } from './siblings-of-name.js';

/** Places as ranges and single numbers; a place can be in several. */
export interface PlaceSet {
  readonly ranges: readonly Range[];
  readonly members: Uint32Array;
}

/** A postal code of a set of places. */
export interface PlaceCode {
  /** The code's number in the postcode index. */
  readonly code: number;
  /** The first of the code's places in the set, by name then id, that has reliable coordinates; else the first. */
  readonly place: number;
  /** The number of the code's places in the set. */
  readonly placeCount: number;
}

interface CodeListing {
  /** The codes of the places, from position `start` up to but not including `end`. */
  readonly codes: readonly PlaceCode[];
  /** The number of all codes of the places. */
  readonly codeCount: number;
}

interface ListingRequest {
  /** For each place of the country, 1 if it is in the set: see markPlacesOfCodes. */
  readonly marks: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/**
 * The codes of the places, in natural order. The loop calls nothing and allocates nothing for a code that is not on the
 * page, since it runs for every code of the country.
 */
export function listPlacePostcodes(structures: CountryStructures, request: ListingRequest): CodeListing {
  const { codeCount: count, placeStarts, places } = structures.postcodes;
  const order = naturalOrderOf(structures.postcodes);
  const { marks } = request;
  const codes: PlaceCode[] = [];
  let codeCount = 0;
  // In a damaged file every code could have all places.
  let unreadCount = places.length;
  for (let position = 0; position < count && unreadCount > 0; position++) {
    const code = order === undefined ? position : (order[position] as number);
    const start = placeStarts[code] as number;
    const end = Math.min(placeStarts[code + 1] as number, places.length, start + unreadCount);
    let placeCount = 0;
    for (let at = start; at < end; at++) if (marks[places[at] as number] === 1) placeCount++;
    if (end > start) unreadCount -= end - start;
    if (placeCount === 0) continue;
    if (codeCount >= request.start && codeCount < request.end) {
      const counted = places.subarray(start, end).filter((place) => marks[place] === 1);
      const sure = counted.find((place) => !isCoarsePositionAt(structures.positions.sources, place));
      codes.push({ code, place: sure ?? (counted[0] as number), placeCount });
    }
    codeCount++;
  }
  return { codes, codeCount };
}

/**
 * For each place of a country, 1 if it is a recipient; undefined if none is. Reads the type of every place, but only in a
 * country that has recipients, as 11 of 118 have.
 */
export const recipientMarksOf = oncePer((structures: CountryStructures): Uint8Array | undefined => {
  const { points, tree } = structures;
  if (!hasRecipients(points)) return undefined;
  const marks = new Uint8Array(tree.placeCount);
  for (let place = 0; place < tree.placeCount; place++) if (isRecipient(structures, place)) marks[place] = 1;
  return marks;
});

interface FullCodeListing {
  /** The numbers of the full codes from position `start` up to but not including `end`. */
  readonly codes: readonly number[];
  /** The number of all full codes of the places. */
  readonly codeCount: number;
}

/**
 * The full codes of places, in the natural order of their first parts, then by second part. Costs one pass over the
 * country's first parts and their places; only of a first part with places outside of the set are the codes read.
 */
export function listPlaceFullCodes(
  structures: CountryStructures,
  { marks, start, end }: ListingRequest,
): FullCodeListing {
  const { postcodes, fullCodes } = structures;
  const codes: number[] = [];
  let codeCount = 0;
  if (fullCodes === undefined) return { codes, codeCount };
  const order = naturalOrderOf(structures.postcodes);
  const isCounted = (place: number): boolean => marks[place] === 1;
  // In a damaged file every first part could have all full codes.
  let unreadCount = fullCodes.count;
  for (let position = 0; position < postcodes.codeCount && unreadCount > 0; position++) {
    const first = order === undefined ? position : (order[position] as number);
    const own = codesOfFirstPart(fullCodes, first);
    unreadCount -= own.end - own.start;
    if (own.start === own.end) continue;
    const counted = Array.from(indexedPostcodePlaces(postcodes, first), isCounted);
    if (!counted.includes(true)) continue;
    if (!counted.includes(false)) {
      const from = own.start + Math.max(0, start - codeCount);
      for (let code = from; code < Math.min(own.end, own.start + end - codeCount); code++) codes.push(code);
      codeCount += own.end - own.start;
      continue;
    }
    for (let code = own.start; code < own.end; code++) {
      if (counted[fullCodes.places[code] as number] !== true) continue;
      if (codeCount >= start && codeCount < end) codes.push(code);
      codeCount++;
    }
  }
  return { codes, codeCount };
}

/**
 * The places whose codes are those of a place, recipients too: the places of its name beside it, all leaves in it, and of a
 * city all places that belong to it. In some countries a city's municipality and its leaves are siblings.
 */
export function placesOfCodes(structures: CountryStructures, place: number): PlaceSet {
  const ranges = [...treeRangesBelow(structures.tree, place), siblingsOfName(structures, place)];
  return { ranges, members: membersOf(structures, place) };
}

/** Marks these places; recipients only if asked for. */
export function markPlacesOfCodes(structures: CountryStructures, place: number, withRecipients: boolean): Uint8Array {
  const marks = new Uint8Array(structures.tree.placeCount);
  const { ranges, members } = placesOfCodes(structures, place);
  for (const { start, end } of ranges) marks.fill(1, start, end);
  for (const member of members) marks[member] = 1;
  const recipients = withRecipients ? undefined : recipientMarksOf(structures);
  if (recipients !== undefined) for (let one = 0; one < marks.length; one++) if (recipients[one] === 1) marks[one] = 0;
  return marks;
}
