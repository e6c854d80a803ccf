/** What is told of a place on request (src/format/place-facts.ts): O(log n) for each, without a copy of the text. */
import { lowerBound } from '../format/binary-search.js';
import { DEGREE_PARTS, type PlaceFacts } from '../format/place-facts.js';
import type { PlaceTree } from '../format/place-tree.js';
import type { Range } from './mapped-numbers.js';
import { listAncestors } from './place-tree.js';

/** Maximum length of a text in bytes: the longest name of a time zone. In a damaged file a text can be longer. */
const MAX_TEXT_BYTES = 32;

type FactStructures = { readonly facts: PlaceFacts; readonly tree: PlaceTree };

/** The codes of a first-level unit; null where there is none. */
export interface UnitCodes {
  /** With the country: DE-BY. */
  readonly iso3166_2: string | null;
  readonly release: string | null;
}

const NO_CODES: UnitCodes = { iso3166_2: null, release: null };

/** The codes of the first-level unit that a place is or lies in. */
export function codesOf({ facts, tree }: FactStructures, place: number): UnitCodes {
  const unit = listAncestors(tree, place)[0] ?? place;
  const at = indexOf(facts.units, unit);
  if (at === undefined) return NO_CODES;
  const first = facts.zoneCount + 2 * at;
  return { iso3166_2: textAt(facts, first), release: textAt(facts, first + 1) };
}

/** The IANA name of a place's time zone; null only in a damaged file. */
export function timezoneOf({ facts }: FactStructures, place: number): string | null {
  const zone = facts.zones[place] as number;
  return zone < facts.zoneCount ? textAt(facts, zone) : null;
}

export function populationOf({ facts }: FactStructures, place: number): number | null {
  const at = indexOf(facts.populated, place);
  return at === undefined ? null : (facts.populations[at] as number);
}

/** The largest population of places in a range; null if none is known. One search, and a step for each that is known. */
export function largestPopulationIn({ facts }: FactStructures, { start, end }: Range): number | null {
  const { populated, populations } = facts;
  let largest: number | null = null;
  let at = lowerBound(0, populated.length, (number) => (populated[number] as number) < start);
  for (let left = end - start; left > 0 && at < populated.length && (populated[at] as number) < end; left--, at++) {
    largest = Math.max(largest ?? 0, populations[at] as number);
  }
  return largest;
}

/** West, south, east and north of a unit in degrees; null for a leaf and for a unit without bounds. */
export function boundsOf({ facts }: FactStructures, unit: number): readonly number[] | null {
  const at = indexOf(facts.boundedUnits, unit);
  return at === undefined ? null : Array.from(facts.bounds.subarray(4 * at, 4 * at + 4), (part) => part / DEGREE_PARTS);
}

function indexOf(places: Uint32Array, place: number): number | undefined {
  const at = lowerBound(0, places.length, (number) => (places[number] as number) < place);
  return places[at] === place ? at : undefined;
}

/** Null for an empty text, and for a text outside of its array in a damaged file. */
function textAt({ textStarts, text }: PlaceFacts, number: number): string | null {
  const start = textStarts[number] as number;
  const end = Math.min((textStarts[number + 1] as number) - 1, start + MAX_TEXT_BYTES, text.length);
  let value = '';
  for (let at = start; at < end; at++) value += String.fromCharCode(text[at] as number);
  return value === '' ? null : value;
}
