/**
 * What is told of a place on request: the codes of its first-level unit, its time zone, its population and its bounds:
 * O(log n) for each, without a copy of the text; then where its coordinates are from.
 *
 *   units         u32[u]      the admin units of level 1, ascending
 *   textStarts    u32[z+2u+1] start of each text: the z time zones, then two codes of each of `units`
 *   text          u8[]        the texts, ASCII, each with a line feed behind it: time zones ascending; the code of ISO
 *                             3166-2 and the code of the release, each empty where there is none
 *   zones         u8[n]       for each place, the number of its time zone
 *   populated     u32[m]      the places with a population, ascending
 *   populations   u32[m]      people in each of these
 *   boundedUnits  u32[b]      the units with a leaf of the tier `sure` that is not at a pole, ascending
 *   bounds        i32[4b]     west, south, east and north of these leaves, in 1/DEGREE_PARTS degrees; west is greater
 *                             than east across the antimeridian
 *
 * Worked example, three of the texts of Germany: "Europe/Berlin\n" and, for Bayern, "DE-BY\nBY\n".
 */

import { type Bundle, checkBundledLength, checkBundledOffsets, decodeBundle } from './array-bundle.js';
import { lowerBound } from './binary-search.js';
import { listAncestors, type PlaceTree } from './place-tree.js';
import { structureError } from './snapshot-error.js';

export const PLACE_FACTS_SCHEMA = {
  units: 'u32',
  textStarts: 'u32',
  text: 'u8',
  zones: 'u8',
  populated: 'u32',
  populations: 'u32',
  boundedUnits: 'u32',
  bounds: 'i32',
} as const;

/** Number of parts of a degree in `bounds`: 1 cm, finer than any release, and 180 degrees fit in 32 bits. */
export const DEGREE_PARTS = 1e7;
/** Maximum number of time zones of a country. The United States have 102, most of them of bases abroad. */
export const MAX_ZONES = 256;
/** The form of a time zone's name in the tz database, at most 32 characters. */
export const ZONE_NAME = /^(?=.{1,32}$)[A-Z][A-Za-z]+(?:[/_+-][A-Za-z0-9]+)*$/;
/** The form of a release's code that is told, as a code and not as a text: at most 20 characters. */
export const RELEASE_CODE = /^[A-Za-z0-9.-]{1,20}$/;

export type PlaceFacts = Bundle<typeof PLACE_FACTS_SCHEMA> & { readonly zoneCount: number };

export function decodePlaceFacts(bytes: Uint8Array, where: string, placeCount: number): PlaceFacts {
  const facts = decodeBundle(PLACE_FACTS_SCHEMA, bytes, where);
  const zoneCount = facts.textStarts.length - 1 - 2 * facts.units.length;
  if (!(zoneCount >= 1 && zoneCount <= MAX_ZONES)) {
    throw structureError(`${where}.textStarts`, `1 to ${MAX_ZONES} time zones`, `${zoneCount}`);
  }
  checkBundledOffsets(`${where}.textStarts`, facts.textStarts, facts.text.length);
  checkBundledLength(`${where}.zones`, facts.zones, placeCount);
  checkBundledLength(`${where}.populations`, facts.populations, facts.populated.length);
  checkBundledLength(`${where}.bounds`, facts.bounds, 4 * facts.boundedUnits.length);
  return { ...facts, zoneCount };
}

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
export function placeUnitCodesOf({ facts, tree }: FactStructures, place: number): UnitCodes {
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
