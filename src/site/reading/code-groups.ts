/**
 * The postal codes of a country by their first characters, for browsing: 01 to 99 for Germany. A group whose codes are
 * few is listed; others are divided further. Costs a few binary searches for each group, and to count the regions of
 * the groups one pass over their places, 10 ns for each.
 */

import { citiesOf, isRecipientAt } from '../../core/lookup/cities.js';
import { compareCodes } from '../../core/lookup/natural-order.js';
import type { Range } from '../../core/snapshot/array-bundle.js';
import { codesOfFirstPart, decodeSecondPart, MAX_SECOND_LENGTH } from '../../core/snapshot/full-codes.js';
import { LEVEL_COUNT } from '../../core/snapshot/place-tree.js';
import {
  codePlaces,
  codeText,
  findPostcode,
  MAX_CODE_BYTES,
  postcodesWithPrefix,
} from '../../core/snapshot/postcode-index.js';
import type { CountryStructures } from '../../core/snapshot/snapshot.js';
import type { CoveredCountry } from '../site-snapshot.js';

/** Maximum number of codes that a page lists; of more, it shows groups. */
export const MAX_LISTED = 150;
/** Maximum number of groups on a page, if one more character would make more. */
const MAX_GROUPS = 120;
/** Maximum number of groups by one more character: more than a code can have there. A damaged file can make more. */
const MAX_FIRST_GROUPS = 256;

export interface CodeGroup {
  /** The first characters of its codes, or the code if it is the only one. */
  readonly prefix: string;
  /** Numbers of codes. */
  readonly codes: Range;
}

/** Groups of the codes in a range, which all start with `prefix`, in natural order; undefined if these are few. */
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
  return groups?.sort((a, b) => compareCodes(postcodes, a.codes.start, b.codes.start));
}

/** Groups of codes with the same first characters; of more than `limit` the first `limit` and one more. */
function splitByLength(
  { structures: { postcodes } }: CoveredCountry,
  { start, end }: Range,
  length: number,
  limit: number,
): CodeGroup[] {
  const groups: CodeGroup[] = [];
  let at = start;
  while (at < end && groups.length <= limit) {
    const first = codeText(postcodes, at);
    const prefix = first.slice(0, length);
    // In a damaged file codes are in no order, and a search finds nothing.
    const next = Math.max(at + 1, postcodesWithPrefix(postcodes, prefix, { start: at, end }).end);
    groups.push({ prefix: next === at + 1 ? first : prefix, codes: { start: at, end: next } });
    at = next;
  }
  return groups;
}

/**
 * The units of the first level in which the localities of a group lie, or its recipients if it has no locality in a unit,
 * those with the most first.
 */
export function regionsOf({ structures }: CoveredCountry, { codes }: CodeGroup): number[] {
  const regions = listRegions(structures, codes, false);
  return regions.length > 0 ? regions : listRegions(structures, codes, true);
}

function listRegions(structures: CountryStructures, codes: Range, withRecipients: boolean): number[] {
  const { postcodes, tree } = structures;
  const { parents, placeCount } = tree;
  const { placeStarts, places } = postcodes;
  const cities = citiesOf(structures);
  const counts = new Map<number, number>();
  const first = placeStarts[codes.start] as number;
  const end = Math.min(placeStarts[codes.end] as number, places.length);
  for (let at = first; at < end; at++) {
    const place = places[at] as number;
    if (place >= placeCount || (!withRecipients && isRecipientAt(cities, place))) continue;
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

/* The full codes of a first part by the first character of their second parts: the sectors of the United Kingdom. */

/** More second parts than there can be. In a damaged file a first part can have all full codes. */
const MAX_SECONDS = 37 ** MAX_SECOND_LENGTH;

export interface Sector {
  /** A first part, a space and a character: `SW1A 1`. */
  readonly name: string;
  /** The numbers of its full codes, ascending. */
  readonly codes: readonly number[];
}

/** The sectors of a first part, a number in the postcode index, with the full codes of the places that `isOwn` chooses. */
export function listSectors(
  { postcodes, fullCodes }: CountryStructures,
  first: number,
  isOwn: (place: number) => boolean = () => true,
): Sector[] {
  if (fullCodes === undefined) return [];
  const { start, end } = codesOfFirstPart(fullCodes, first);
  const isCounted = Array.from(codePlaces(postcodes, first), isOwn);
  const sectors = new Map<string, number[]>();
  for (let code = start; code < Math.min(end, start + MAX_SECONDS); code++) {
    if (isCounted[fullCodes.places[code] as number] !== true) continue;
    const sign = decodeSecondPart(fullCodes.seconds[code] as number).charAt(0);
    const codes = sectors.get(sign);
    if (codes === undefined) sectors.set(sign, [code]);
    else codes.push(code);
  }
  return Array.from(sectors, ([sign, codes]) => ({ name: `${codeText(postcodes, first)} ${sign}`, codes }));
}

/** The sector with this name; undefined if there is none. */
export function findSector(structures: CountryStructures, name: string): Sector | undefined {
  const [, firstPart, sign] = /^(.+) ([0-9A-Z])$/.exec(name) ?? [];
  const first = firstPart === undefined ? undefined : findPostcode(structures.postcodes, firstPart);
  if (first === undefined) return undefined;
  return listSectors(structures, first.number).find((sector) => sector.name === `${first.postcode} ${sign}`);
}

/*
 * The codes of a place in few words. A run is a range of codes between which, in natural order, the country has no code
 * of another place: "80331–81929" says that all codes of Germany's localities from the first to the last are listed.
 */

/** Maximum number of runs that are named; of more, only the first and the last code are. */
const MAX_RUNS = 4;

export interface CodeSummary {
  /** The number of codes. */
  readonly count: number;
  /** "80331–81929", "10001–10040, 10044", or "10001 … 10292" where the runs are too many. */
  readonly text: string;
  /** Whether other places have codes between the first and the last that `text` does not tell apart. */
  readonly hasGaps: boolean;
}

export function codeOfRank({ structures }: CoveredCountry, rank: number): string {
  return codeText(structures.postcodes, citiesOf(structures).codes[rank] as number);
}

/** `ranks` ascend; there is at least one. */
export function summarizeCodes(country: CoveredCountry, ranks: readonly number[]): CodeSummary {
  const [first = 0] = ranks;
  const last = ranks.at(-1) as number;
  const count = ranks.length;
  const text = (rank: number): string => codeOfRank(country, rank);
  if (count === 1) return { count, text: text(first), hasGaps: false };
  const runs = splitRuns(ranks);
  if (runs === undefined) return { count, text: `${text(first)} … ${text(last)}`, hasGaps: true };
  const words = runs.map(([from, to]) =>
    from === to ? text(from) : `${text(from)}${to === from + 1 ? ', ' : '–'}${text(to)}`,
  );
  return { count, text: words.join(', '), hasGaps: false };
}

/** The runs, as their first and last ranks; undefined if there are more than MAX_RUNS. */
function splitRuns(ranks: readonly number[]): (readonly [number, number])[] | undefined {
  const runs: (readonly [number, number])[] = [];
  let from = ranks[0] as number;
  for (let at = 1; at <= ranks.length; at++) {
    const before = ranks[at - 1] as number;
    if (ranks[at] === before + 1) continue;
    if (runs.length === MAX_RUNS) return undefined;
    runs.push([from, before]);
    from = ranks[at] as number;
  }
  return runs;
}
