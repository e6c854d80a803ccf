/**
 * Why an address leads to no place although it names a town: what contradicts the town is told, never resolved in silence.
 * A code beside the town stands for its places or, where the data lack it, for those of the codes before and after it. If
 * they are all far from the town, the code is elsewhere. If none is near, a town without a unit or a country beside it is
 * the best known one of its name.
 *
 *   postcode_elsewhere           "20095 Nürnberg", of Hamburg; "10117 Paris", of Berlin
 *   town_better_known_elsewhere  "Syntagma 1, Athens": with data of Athens in Georgia, but not of Greece
 *   country_without_data         "1010 Wien", "Main St 1, Perth, Australia": without data of Austria and Australia
 */

import { findCountryOfAbsentCity } from '../lookup/absent-countries.js';
import { describeMissingData, structuresOf } from '../lookup/countries.js';
import { isInBlock } from '../lookup/inferred-postcode.js';
import { signsOf, withoutNationalSign } from '../lookup/national-postcodes.js';
import { countriesOfForm, hasNationalForm } from '../lookup/postcode-forms.js';
import { inferMissing, listFoundPostcodes, lookUpPostcode, type ResolvedPostcode } from '../lookup/postcode-lookup.js';
import { foldText } from '../snapshot/fold-text.js';
import { readPointField } from '../snapshot/place-fields.js';
import { isPlace, listAncestors } from '../snapshot/place-tree.js';
import { findPostcodeAfter, indexedPostcode, indexedPostcodePlaces } from '../snapshot/postcode-index.js';
import { compactPostcode } from '../snapshot/postcode-spelling.js';
import type { Country, CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import { distanceKm } from '../snapshot/sphere.js';
import { type CodeText, PART_SEPARATORS } from './address-line.js';
import type { Town } from './address-town.js';
import { isHouseNumber } from './house-number.js';
import type { NameQuery } from './name-query.js';
import { NEAR_KM } from './place-evidence.js';

/** Minimum length of a code that contradicts a town: shorter ones are mostly numbers of houses. */
const MIN_CODE_LENGTH = 4;
/** Maximum number of places of a code whose distance from the town is measured. */
const MAX_MEASURED = 8;
/** Countries that also write codes of another form than those of the data: Panama's post writes 0801. */
const OTHER_CODES = new Set(['PA']);
const DIGITS = /^\d+$/;
/** Of any script. */
const DIGIT = /\p{N}/u;

export type AddressConflict =
  | {
      readonly reason: 'postcode_elsewhere';
      /** As in the address, in normal form. */
      readonly postcode: string;
      /** As in the address, with its units. */
      readonly town: string;
      /** The country of the town. */
      readonly country: Country;
    }
  | {
      readonly reason: 'town_better_known_elsewhere';
      /** As in the address. */
      readonly town: string;
      /** The country without data that has the largest town of the name. */
      readonly country: Country;
    }
  | {
      readonly reason: 'country_without_data';
      /** The country without data that the address is about. */
      readonly country: Country;
    };

/** Why an address has no place although it names a town or a country. */
export const CONFLICT_REASONS = [
  'postcode_elsewhere',
  'country_without_data',
  'town_better_known_elsewhere',
] as const satisfies readonly AddressConflict['reason'][];

/** A sentence for people. */
export function describeConflict(conflict: AddressConflict): string {
  const { name } = conflict.country.entry;
  switch (conflict.reason) {
    case 'postcode_elsewhere':
      return `${conflict.postcode} is not a postal code of ${conflict.town} (${name}).`;
    case 'town_better_known_elsewhere':
      return `The best known ${conflict.town} is in another country. ${describeMissingData(conflict.country)}`;
    case 'country_without_data':
      return describeMissingData(conflict.country);
  }
}

type CheckedTown =
  | { readonly match: 'partial' | 'inferred' }
  | { readonly match: 'none'; readonly conflict: AddressConflict };

/** Checks the town of a line against its texts that may be codes, of which none led to a place. */
export function checkTown(
  snapshot: Snapshot,
  { index }: NameQuery,
  line: string,
  town: Town,
  codes: readonly CodeText[],
): CheckedTown {
  const { country, isBare, typed } = town;
  const sites = codes.map((text) => siteOf(snapshot, line, town, text));
  // A number beside a code that confirms the town is that of a house.
  if (sites.includes('inferred')) return { match: 'inferred' };
  if (sites.includes('near')) return { match: 'partial' };
  const elsewhere = codes[sites.indexOf('elsewhere')];
  // Where the country is known, its own index has no names of other countries.
  const better = isBare ? findCountryOfAbsentCity(index, snapshot.countries, foldText(typed)) : undefined;
  const betterKnown = snapshot.countries[better ?? -1];
  if (betterKnown !== undefined) {
    const conflict = { reason: 'town_better_known_elsewhere', town: typed, country: betterKnown } as const;
    return { match: 'none', conflict };
  }
  if (elsewhere === undefined) return { match: 'partial' };
  const conflict = { reason: 'postcode_elsewhere', postcode: elsewhere.typed, town: typed, country } as const;
  return { match: 'none', conflict };
}

/** Where a code is. `inferred`: the data lack it, and its block belongs to the town. `near`: any other code near the town. */
type Site = 'inferred' | 'near' | 'elsewhere';

/** Undefined for a text that is no code, or only perhaps. */
function siteOf(snapshot: Snapshot, line: string, town: Town, text: CodeText): Site | undefined {
  const { country } = town;
  const { code, typed } = text;
  const compact = compactPostcode(code);
  const lastWord = code.split(' ').at(-1) as string;
  if (compact.length < MIN_CODE_LENGTH || (DIGITS.test(lastWord) && isHouseNumber(line, lastWord))) return undefined;
  const found = lookUpPostcode(snapshot, country, code);
  const inferred = found === undefined ? inferMissing(snapshot, country, typed) : undefined;
  const structures = found?.structures ?? structuresOf(country);
  const places = inferred === undefined ? listPlaces(country, compact, found) : [inferred.place];
  if (places.slice(0, MAX_MEASURED).some((place) => isNear(town, structures, place)))
    return inferred === undefined ? 'near' : 'inferred';
  if (found !== undefined && !found.isPartial) return 'elsewhere';
  if (!isBeside(line, code, town)) return undefined;
  return places.length > 0 || isForeign(snapshot, country, text) ? 'elsewhere' : undefined;
}

/** The places of a code or, if the data lack it, of the codes around it. */
function listPlaces(country: Country, compact: string, found: ResolvedPostcode | undefined): readonly number[] {
  if (found !== undefined) return [...found.match.places];
  return listReadings(country, compact).flatMap((reading) => listPlacesAround(structuresOf(country), reading));
}

/** A compact code, and with the country's sign or without it. */
function listReadings({ entry: { code } }: Country, compact: string): readonly string[] {
  return [compact, ...withoutNationalSign(code, compact), ...signsOf(code).map((sign) => sign + compact)];
}

/**
 * Whether a text has not the form of a country's codes, and is a code of another country: a known one or, if it is long
 * enough to be nothing else, one by its form.
 */
function isForeign(snapshot: Snapshot, country: Country, { code, typed }: CodeText): boolean {
  const compact = compactPostcode(code);
  if (OTHER_CODES.has(country.entry.code)) return false;
  if (listReadings(country, compact).some((reading) => hasNationalForm(snapshot, country, reading))) return false;
  const isLong = compact.length > MIN_CODE_LENGTH;
  return (isLong && countriesOfForm(snapshot, typed).length > 0) || listFoundPostcodes(snapshot, code).length > 0;
}

/** The places of the codes before and after a code, of its length and its block. */
function listPlacesAround(structures: CountryStructures, compact: string): readonly number[] {
  const { postcodes, tree } = structures;
  const next = findPostcodeAfter(postcodes, compact);
  return [next - 1, next].flatMap((number) => {
    if (!isInBlock(structures, number, compact)) return [];
    if (compactPostcode(indexedPostcode(postcodes, number)).length !== compact.length) return [];
    const places = indexedPostcodePlaces(postcodes, number).subarray(0, MAX_MEASURED / 2);
    return [...places].filter((place) => isPlace(tree, place));
  });
}

function isNear({ country, place: town }: Town, structures: CountryStructures, place: number): boolean {
  const ofTown = structuresOf(country);
  if (ofTown === structures && listAncestors(structures.tree, place).includes(town)) return true;
  return distanceKm(readPointField(ofTown, town), readPointField(structures, place)) <= NEAR_KM;
}

/**
 * Whether nothing but words of the town and numbers are next to a code in its part of the line. In "Springfield IL 62799"
 * the code is not that of Israel.
 */
function isBeside(line: string, code: string, { typed }: Town): boolean {
  const [folded, ofTown] = [foldText(code), foldText(typed).split(' ')];
  if (folded.split(' ').some((word) => ofTown.includes(word))) return false;
  const isOfTown = (word: string | undefined): boolean => !word || DIGIT.test(word) || ofTown.includes(word);
  return line.split(PART_SEPARATORS).some((part) => {
    const [before, after] = ` ${foldText(part)} `.split(` ${folded} `);
    return after !== undefined && isOfTown(before?.split(' ').at(-1)) && isOfTown(after.split(' ')[0]);
  });
}
