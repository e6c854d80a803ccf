/**
 * The town of a code that the data lack, in the countries that give each street or office a code from the block of its
 * town, so that no release has all codes. A code belongs to the town of the two known codes before it if the two behind it
 * are of the same town: asked for the known codes of PL, KR, LT and PT, this names a wrong town for 1 in 100. Before a
 * country's first code and behind its last the two nearest codes decide. Where the data have only the first code of each
 * block, a code belongs to the town of the known code before it. A few microseconds.
 */

import { readCityName } from '../snapshot/city-name.js';
import { cityOfPlace } from '../snapshot/place-cities.js';
import { readPlace } from '../snapshot/place-fields.js';
import { isPlace } from '../snapshot/place-tree.js';
import { findPostcodeAfter, indexedPostcode, indexedPostcodePlaces } from '../snapshot/postcode-index.js';
import { compactPostcode, plainPostcode } from '../snapshot/postcode-spelling.js';
import type { Country, CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import { withoutNationalSign } from './national-postcodes.js';
import { hasNationalForm } from './postcode-forms.js';
import { isSameNameInUnit } from './siblings-of-name.js';

/** The blocks of a country whose data have only the first code of each. */
interface FirstCodes {
  /** Number of characters that a code shares with the first code of its block. */
  readonly shared: number;
  /** The same in a city that has several blocks, of which the data have the first. */
  readonly sharedInCity: number;
  /** Number of characters before the zeros of the first code of such a city. */
  readonly cityDigits: number;
}

/**
 * The countries with blocks; undefined where the data have many codes of a block. Source: Universal Postal Union, Postal
 * addressing systems, country sheets.
 */
const BLOCKS: ReadonlyMap<string, FirstCodes | undefined> = new Map([
  // São Paulo has 01 to 05, and the data have 01000-000 of it.
  ['BR', { shared: 2, sharedInCity: 1, cityDigits: 2 }],
  // The first four digits are those of a county, the first three those of a city: 200000 is Shanghai.
  ['CN', { shared: 4, sharedInCity: 3, cityDigits: 3 }],
  ...['JP', 'KR', 'LT', 'PL', 'PT', 'RU', 'SG', 'TW'].map((country) => [country, undefined] as const),
]);
/** Number of characters at the end in which codes of one block differ. */
const BLOCK_DIGITS = 3;
/** Maximum number of places of a code that are compared. */
const MAX_COMPARED = 8;

/** Whether the country gives codes from blocks of towns. */
export function hasBlocks({ entry }: Country): boolean {
  return BLOCKS.has(entry.code);
}

/** Whether the data have only the first code of each block. */
export function hasFirstCodesOnly({ entry }: Country): boolean {
  return BLOCKS.get(entry.code) !== undefined;
}

/** A code that the data lack, and the place in whose block it is. */
export interface InferredTown {
  readonly country: Country;
  readonly place: number;
}

/** Infers the town of a code in normal form that a country's data lack, if it has the form of the country's codes. */
export function inferTown(snapshot: Snapshot, country: Country, postcode: string): InferredTown | undefined {
  if (!hasBlocks(country) || country.structures === undefined) return undefined;
  const compact = compactPostcode(plainPostcode(postcode));
  for (const code of [compact, ...withoutNationalSign(country.entry.code, compact)]) {
    const place = hasNationalForm(snapshot, country, code) ? findTownOfBlock(country, code) : undefined;
    if (place !== undefined) return { country, place };
  }
  return undefined;
}

/** The place in whose block a compact code is; undefined without one, or if the code has other characters than digits. */
export function findTownOfBlock({ entry, structures }: Country, compact: string): number | undefined {
  if (structures === undefined || !BLOCKS.has(entry.code) || !/^\d+$/.test(compact)) return undefined;
  const next = findPostcodeAfter(structures.postcodes, compact);
  const firstCodes = BLOCKS.get(entry.code);
  return firstCodes === undefined
    ? townAround(structures, next, compact)
    : townOfFirstCode(structures, next - 1, compact, firstCodes);
}

function townOfFirstCode(
  structures: CountryStructures,
  before: number,
  compact: string,
  { shared, sharedInCity, cityDigits }: FirstCodes,
): number | undefined {
  if (before < 0) return undefined;
  const first = compactPostcode(indexedPostcode(structures.postcodes, before));
  const isOfCity = /^0*$/.test(first.slice(cityDigits)) && first.startsWith(compact.slice(0, sharedInCity));
  return isOfCity || first.startsWith(compact.slice(0, shared)) ? firstPlacesOf(structures, before)[0] : undefined;
}

/** The place that two known codes on either side have. `next` is the number of the first known code behind the code. */
function townAround(structures: CountryStructures, next: number, compact: string): number | undefined {
  const { codeCount } = structures.postcodes;
  const isLike = (number: number): boolean => isInBlock(structures, number, compact);
  const around = [next - 1, next - 2, next, next + 1].filter((number) => number >= 0 && number < codeCount);
  const isAtEnd = next === 0 || next === codeCount;
  if (around.length < (isAtEnd ? 2 : 4) || (isAtEnd && !around.every(isLike))) return undefined;
  const [nearest = [], ...others] = around.map((number) => firstPlacesOf(structures, number));
  return nearest.find((place) =>
    others.every((places) => places.some((other) => isSameNameInUnit(structures, place, other))),
  );
}

/** Whether a known code is the same as a compact one but for its last characters. */
export function isInBlock({ postcodes }: CountryStructures, number: number, compact: string): boolean {
  if (number < 0 || number >= postcodes.codeCount) return false;
  return compactPostcode(indexedPostcode(postcodes, number)).startsWith(compact.slice(0, -BLOCK_DIGITS));
}

/** The first places of a known code. */
export function firstPlacesOf({ tree, postcodes }: CountryStructures, number: number): number[] {
  return [...indexedPostcodePlaces(postcodes, number).subarray(0, MAX_COMPARED)].filter((place) =>
    isPlace(tree, place),
  );
}

/** The town of an inferred code in an answer. */
export interface InferredPostcode {
  readonly countryCode: string;
  readonly placeId: string;
  readonly placeName: string;
  readonly placePath: string;
  /** The name of the town's city, or of the town where it has none. */
  readonly city: string;
}

export function describeInferred({ country, place }: InferredTown): InferredPostcode {
  const structures = country.structures as CountryStructures;
  const { id, name, path } = readPlace(structures, place);
  const city = readCityName(structures, cityOfPlace(structures, place));
  return { countryCode: country.entry.code, placeId: id, placeName: name, placePath: path, city };
}
