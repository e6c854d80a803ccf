/**
 * The postal codes of a country by their first characters, for browsing: 01 to 99 for Germany. A group whose codes are
 * few is listed; others are divided further. Costs a few binary searches for each group, and to count the regions of
 * the groups one pass over their places, 10 ns for each.
 */
import { MAX_CODE_BYTES } from '../../format/postcode-index.js';
import type { Range } from '../../store/mapped-numbers.js';
import { isPlace } from '../../store/place-tree.js';
import { codePlaces, codesWithPrefix, codeText } from '../../store/postcode-index.js';
import type { CoveredCountry } from '../site-snapshot.js';
import { citiesOf, isRecipientAt, parentOf } from './country-cities.js';

/** Maximum number of codes that a page lists; of more, it shows groups. */
export const MAX_LISTED = 150;
/** Maximum number of groups on a page, if one more character would make more. */
const MAX_GROUPS = 120;

export interface CodeGroup {
  /** The first characters of its codes, or the code if it is the only one. */
  readonly prefix: string;
  /** Numbers of codes. */
  readonly codes: Range;
}

/** Groups of the codes in a range, which all start with `prefix`; undefined if these are few. */
export function groupCodes(country: CoveredCountry, prefix: string, codes: Range): CodeGroup[] | undefined {
  if (codes.end - codes.start <= MAX_LISTED) return undefined;
  let groups: CodeGroup[] | undefined;
  for (let length = prefix.length + 1; length <= MAX_CODE_BYTES; length++) {
    const longer = splitByLength(country, codes, length, groups === undefined ? Infinity : MAX_GROUPS);
    if (longer === undefined) break;
    groups = longer;
    if (groups.length === codes.end - codes.start) break;
  }
  return groups;
}

/** Groups of codes with the same first characters; undefined if there are more than `limit`. */
function splitByLength(
  { structures: { postcodes } }: CoveredCountry,
  { start, end }: Range,
  length: number,
  limit: number,
): CodeGroup[] | undefined {
  const groups: CodeGroup[] = [];
  let at = start;
  while (at < end) {
    if (groups.length >= limit) return undefined;
    const first = codeText(postcodes, at);
    const prefix = first.slice(0, length);
    // In a damaged file codes are in no order, and a search finds nothing.
    const next = Math.max(at + 1, codesWithPrefix(postcodes, prefix, { start: at, end }).end);
    groups.push({ prefix: next === at + 1 ? first : prefix, codes: { start: at, end: next } });
    at = next;
  }
  return groups;
}

/** The units of the first level in which the places of a group lie, those with the most first. */
export function regionsOf({ structures }: CoveredCountry, { codes }: CodeGroup): number[] {
  const { postcodes, tree } = structures;
  const cities = citiesOf(structures);
  const counts = new Map<number, number>();
  for (let code = codes.start; code < codes.end; code++) {
    for (const place of codePlaces(postcodes, code)) {
      if (!isPlace(tree, place) || isRecipientAt(cities, place)) continue;
      let root = place;
      for (let level = 1, up = parentOf(structures, root); up !== undefined && level < 4; level++) {
        root = up;
        up = parentOf(structures, root);
      }
      if (root !== place) counts.set(root, (counts.get(root) ?? 0) + 1);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([root]) => root);
}
