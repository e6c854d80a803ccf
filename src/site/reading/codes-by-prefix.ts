/**
 * The postal codes of a country by their first characters, for browsing: 01 to 99 for Germany. A group whose codes are
 * few is listed; others are divided further. Costs a few binary searches for each group, and to count the regions of
 * the groups one pass over their places, 10 ns for each.
 */

import { codeRanksOf, isRecipientAt } from '../../core/lookup/code-ranks.js';
import { compareCodesNaturally } from '../../core/lookup/natural-order.js';
import type { Range } from '../../core/snapshot/array-bundle.js';
import { LEVEL_COUNT } from '../../core/snapshot/place-tree.js';
import { indexedPostcode, MAX_CODE_BYTES, postcodesWithPrefix } from '../../core/snapshot/postcode-index.js';
import type { CountryStructures } from '../../core/snapshot/snapshot.js';
import type { CoveredCountry } from './covered-country.js';

/** Maximum number of codes that a page lists; of more, it shows groups. */
export const MAX_LISTED = 150;
/** Maximum number of groups on a page, if one more character would make more. */
const MAX_GROUPS = 120;
/** Maximum number of groups by one character: more than codes have there, except in a damaged file. */
const MAX_FIRST_GROUPS = 256;

export interface CodeGroup {
  /** The first characters of the group's codes; the whole code in a group of one. */
  readonly prefix: string;
  /** Numbers of codes. */
  readonly codes: Range;
}

/** Divides a range of codes that start with `prefix` into groups in natural order; undefined if the codes are few. */
export function groupCodes(country: CoveredCountry, prefix: string, codes: Range): CodeGroup[] | undefined {
  if (codes.end - codes.start <= MAX_LISTED) return undefined;
  let groups: CodeGroup[] | undefined;
  for (let length = prefix.length + 1; length <= MAX_CODE_BYTES; length++) {
    const isFirst = groups === undefined;
    const longer = splitByLength(country, codes, length, isFirst ? MAX_FIRST_GROUPS : MAX_GROUPS);
    if (!isFirst && longer.length > MAX_GROUPS) break;
    groups = longer;
    if (groups.length === codes.end - codes.start) break;
  }
  const { postcodes } = country.structures;
  return groups?.sort((a, b) => compareCodesNaturally(postcodes, a.codes.start, b.codes.start));
}

/** Groups of codes with the same first `length` characters; stops after `limit` groups and one more. */
function splitByLength(
  { structures: { postcodes } }: CoveredCountry,
  { start, end }: Range,
  length: number,
  limit: number,
): CodeGroup[] {
  const groups: CodeGroup[] = [];
  let at = start;
  while (at < end && groups.length <= limit) {
    const first = indexedPostcode(postcodes, at);
    const prefix = first.slice(0, length);
    // In a damaged file codes are in no order, and a search finds nothing.
    const next = Math.max(at + 1, postcodesWithPrefix(postcodes, prefix, { start: at, end }).end);
    groups.push({ prefix: next === at + 1 ? first : prefix, codes: { start: at, end: next } });
    at = next;
  }
  return groups;
}

/**
 * The units of the first level with localities of a group, the unit with the most first; those with its recipients if
 * no locality of the group lies in a unit.
 */
export function regionsOfCodePrefix({ structures }: CoveredCountry, { codes }: CodeGroup): number[] {
  const regions = listRegions(structures, codes, false);
  return regions.length > 0 ? regions : listRegions(structures, codes, true);
}

function listRegions(structures: CountryStructures, codes: Range, withRecipients: boolean): number[] {
  const { postcodes, tree } = structures;
  const { parents, placeCount } = tree;
  const { placeStarts, places } = postcodes;
  const ranks = codeRanksOf(structures);
  const counts = new Map<number, number>();
  const first = placeStarts[codes.start] as number;
  const end = Math.min(placeStarts[codes.end] as number, places.length);
  for (let at = first; at < end; at++) {
    const place = places[at] as number;
    if (place >= placeCount || (!withRecipients && isRecipientAt(ranks, place))) continue;
    let root = place;
    let up = parents[root] as number;
    // NO_PARENT is not the number of a place. A damaged file could contain a cycle.
    for (let level = 1; up < placeCount && level < LEVEL_COUNT; level++) {
      root = up;
      up = parents[root] as number;
    }
    if (root !== place) counts.set(root, (counts.get(root) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([root]) => root);
}
