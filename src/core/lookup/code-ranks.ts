/**
 * Ranks of postal codes: a code's position among the codes of localities in natural order. Places have the ranks of their
 * codes, so that the codes of many places cost array reads. Ranks are computed at their first use, in up to 15 ms (by the
 * site before it serves a snapshot), and stay as long as the snapshot: 4 bytes for each place and each code, 12 MB for the
 * world.
 */

import { oncePer } from '../../base/once-per.js';
import type { CountryStructures } from '../snapshot/snapshot.js';
import { naturalOrderOf } from './natural-order.js';
import { type PlaceSet, recipientMarksOf } from './place-postcodes.js';

/** The rank of a unit, which has no postal code. */
const UNIT = 0xffffffff;
/** The rank of a recipient, whose code need not be a locality's. */
const RECIPIENT = 0xfffffffe;

interface CodeRanks {
  /** For each place the rank of its code; RECIPIENT or UNIT where it has none. */
  readonly ranks: Uint32Array;
  /** The number in the postcode index of the code with each rank. */
  readonly codes: Uint32Array;
}

export const codeRanksOf = oncePer(rankCodes);

function rankCodes(structures: CountryStructures): CodeRanks {
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

export function isRecipientAt({ ranks }: CodeRanks, place: number): boolean {
  return ranks[place] === RECIPIENT;
}

export function isUnitAt({ ranks }: CodeRanks, place: number): boolean {
  return ranks[place] === UNIT;
}

export function isLocalityAt({ ranks }: CodeRanks, place: number): boolean {
  return (ranks[place] as number) < RECIPIENT;
}

/** The ranks of the codes of places, each once, ascending. Recipients and units have none. */
export function listCodeRanks({ ranks }: CodeRanks, { ranges, members }: PlaceSet): number[] {
  const found: number[] = [];
  const add = (place: number): void => {
    const rank = ranks[place] as number;
    if (rank < RECIPIENT) found.push(rank);
  };
  for (const { start, end } of ranges) for (let place = start; place < end; place++) add(place);
  // In a damaged file a member can be any number; a number of no place has no rank.
  for (const member of members) add(member);
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
