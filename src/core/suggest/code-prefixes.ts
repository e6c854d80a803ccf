/**
 * Codes of which only the start is typed, alone or with a name: "902", "berlin 124", "sw1a 1a", "3584 c". A country's
 * codes are in order, so those with a start are a range. A long range is sampled evenly.
 */

import { structuresOf } from '../lookup/countries.js';
import { nationalFullCodeStart, SPACED_CODE, signsOf } from '../lookup/national-postcodes.js';
import type { Range } from '../snapshot/array-bundle.js';
import {
  encodeFullCodeSecondPart,
  fullCodeAt,
  fullCodesFrom,
  hasFullCodes,
  listCodesStarting,
} from '../snapshot/full-codes.js';
import { isRecipient, readListFields, readPointField } from '../snapshot/place-fields.js';
import { isPlace, listAncestors } from '../snapshot/place-tree.js';
import { findPostcode, findPostcodesStarting, indexedPostcodePlaces } from '../snapshot/postcode-index.js';
import { compactPostcode } from '../snapshot/postcode-spelling.js';
import { placeNameJson } from '../snapshot/rendered-places.js';
import type { Country, CountryStructures } from '../snapshot/snapshot.js';
import { distanceKm } from '../snapshot/sphere.js';
import { WORK, type WorkBudget } from '../snapshot/work-budget.js';
import type { CodeText } from './address-line.js';
import { formOf, hasSeparator, mayHaveCodeFrom, startWithLetters } from './code-form.js';
import type { NameQuery } from './name-query.js';
import { NEAR_KM } from './place-evidence.js';
import type { Suggestion } from './suggestion.js';

/** Maximum number of codes in a country that are compared with a name: enough to meet each larger city of the range. */
const MAX_SAMPLED = 96;
/** Maximum number of places of a code that are compared with a name. */
const MAX_PLACES = 4;
/** Maximum number of places with the typed name in which a start is searched, the most important first. */
const MAX_TOWNS = 4;
/** Maximum number of codes that are compared with one of several towns of a name. */
const MAX_COMPARED = 32;
const DIGITS = /^\d+$/;
/** A separator behind a digit: codes are not read with another one. */
const SEPARATED = /9[- ]/;

/**
 * The places of the first codes of each country that start so: at most `limit`, those of `countries` in turn. Countries
 * with codes of the typed form come first: "00-5" is in Poland.
 */
export function findPrefixAlone(
  countries: readonly Country[],
  { code, form }: CodeText,
  names: NameQuery,
  limit: number,
): Suggestion[] {
  const ofForm: Suggestion[][] = [];
  const others: Suggestion[][] = [];
  const isSeparated = SEPARATED.test(form);
  for (const country of countries) {
    if ((isSeparated ? ofForm : others).length === limit || names.work.isHalfSpent) break;
    if (country.structures === undefined || !mayHaveCodeFrom(country, country.structures, code)) continue;
    const places = listSuggestions(country, code, names, limit);
    const [first] = places;
    if (first === undefined) continue;
    const { postalCode } = readListFields(country.structures, first.place);
    const isOfForm = isSeparated && formOf(postalCode ?? '').startsWith(form);
    // Separators in other positions are those of another country.
    if (isSeparated && !isOfForm && countries.length > 1 && hasSeparator(postalCode ?? '')) continue;
    (isOfForm ? ofForm : others).push(places);
  }
  const found = [...ofForm, ...others];
  const rounds = Array.from({ length: limit }, (_, round) => found.flatMap((places) => places[round] ?? []));
  return rounds.flat().slice(0, limit);
}

/** Places of codes with a typed start; those of offices and organisations apart, which few people look for. */
interface PrefixPlaces {
  readonly places: readonly Suggestion[];
  readonly offices: readonly Suggestion[];
}

export const NO_PREFIXES: PrefixPlaces = { places: [], offices: [] };

/** The full codes of each country that start so. */
interface FullStarts {
  /** Those of a first part that is the start of the typed code: it goes on within the second part. */
  readonly beyond: readonly Suggestion[];
  /** Those of first parts that start so. */
  readonly within: readonly Suggestion[];
}

/** The first full codes of `countries` that start so, at most `limit` of each kind and country. */
export function findFullCodePrefixes(
  countries: readonly Country[],
  { code }: CodeText,
  { work }: NameQuery,
  limit: number,
): FullStarts {
  const beyond: Suggestion[] = [];
  const within: Suggestion[] = [];
  const compact = compactPostcode(code);
  for (const country of countries) {
    // Asked of the manifest: where a process answers once, other countries are not decoded for it.
    if (!hasFullCodes(country.entry)) continue;
    const { fullCodes, tree } = structuresOf(country);
    if (fullCodes === undefined) continue;
    if (!work.spend(WORK.step * (33 - Math.clz32(fullCodes.postcodes.codeCount)))) break;
    const addTo = (list: Suggestion[], ranges: readonly Range[]): void => {
      const most = list.length + limit;
      for (const { start, end } of ranges) {
        for (let number = start; number < end; number++) {
          if (list.length === most || !work.spend(WORK.probe)) return;
          const fullCode = fullCodeAt(fullCodes, number);
          if (isPlace(tree, fullCode.place)) list.push({ country, place: fullCode.place, fullCode });
        }
      }
    };
    const starts = listCodesStarting(fullCodes, compact);
    addTo(within, starts.within);
    addTo(beyond, starts.beyond);
  }
  return { beyond, within };
}

/** The places of the full codes that start so, with a space behind the first part. A place is there once. */
export function findPlacesOfCodePrefix(
  countries: readonly Country[],
  { code }: CodeText,
  { work }: NameQuery,
): Suggestion[] {
  const [, firstPart = '', rest = ''] = SPACED_CODE.exec(code) ?? [];
  const second = encodeFullCodeSecondPart(rest);
  if (second === undefined) return [];
  const compact = compactPostcode(firstPart);
  return countries.flatMap((country) => {
    if (!hasFullCodes(country.entry)) return [];
    const { fullCodes, postcodes, tree } = structuresOf(country);
    if (fullCodes === undefined || !work.spend(WORK.probe)) return [];
    const match = findPostcode(postcodes, firstPart, compact);
    if (match === undefined) return [];
    const { start, end } = fullCodesFrom(fullCodes, { first: match.number, second });
    const places = new Set<number>();
    for (let at = start; at < end && work.spend(WORK.listed); at++) {
      places.add(match.places[fullCodes.places[at] as number] ?? Number.POSITIVE_INFINITY);
    }
    return [...places].filter((place) => isPlace(tree, place)).map((place) => ({ country, place }));
  });
}

/** The places of codes that start so in or near the first of `towns`, which the rest of the line means. */
export function findPrefixInTowns(
  towns: readonly Suggestion[],
  { code }: CodeText,
  names: NameQuery,
  limit: number,
): PrefixPlaces {
  const found = towns.slice(0, MAX_TOWNS).flatMap((town) => listInTown(town, code, names, limit));
  const isOffice = ({ country, place }: Suggestion): boolean =>
    isRecipient(country.structures as CountryStructures, place);
  return { places: found.filter((one) => !isOffice(one)), offices: found.filter(isOffice) };
}

/** One place in or near a town for each code that starts so, at most `limit`; first the town, if its code does. */
function listInTown(town: Suggestion, code: string, names: NameQuery, limit: number): Suggestion[] {
  const { country } = town;
  const structures = country.structures as CountryStructures;
  const isInTown = createTownTest(structures, town.place, names.work);
  const own = compactPostcode(readListFields(structures, town.place).postalCode ?? '');
  const found = own.startsWith(compactPostcode(code)) ? [town] : [];
  // Recipients that come last must not take the slots of localities.
  const isLast = (place: number): boolean => names.scope.areRecipientsLast === true && isRecipient(structures, place);
  let lastCount = 0;
  for (const places of listPlaces(country, structures, code, names)) {
    if (found.length - lastCount === limit || names.work.isSpent) break;
    const place = places.find((one) => isPlace(structures.tree, one) && isInTown(one));
    if (place === undefined) continue;
    found.push({ country, place });
    if (isLast(place)) lastCount++;
  }
  return found;
}

/** Whether codes in or near a town start so, and have `length` characters without separators, if that is given. */
export function hasCodesFrom(
  { country, place }: Suggestion,
  start: string,
  names: NameQuery,
  length?: number,
): boolean {
  const structures = country.structures as CountryStructures;
  if (start === '') return false;
  const isInTown = createTownTest(structures, place, names.work);
  for (const places of listPlaces(country, structures, start, names, MAX_COMPARED)) {
    const [first] = places;
    if (first === undefined || !isPlace(structures.tree, first)) continue;
    const own = compactPostcode(readListFields(structures, first).postalCode ?? '');
    const hasLength = length === undefined || own.length === length;
    if (hasLength && places.some((one) => isPlace(structures.tree, one) && isInTown(one))) return true;
  }
  return false;
}

/** A test whether a place lies in a unit, is a place of the same name beside it, or lies near. */
function createTownTest(structures: CountryStructures, town: number, work: WorkBudget): (place: number) => boolean {
  const { tree, renderedPlaces } = structures;
  const name = placeNameJson(renderedPlaces, town);
  const point = readPointField(structures, town);
  return (place) => {
    if (!work.spend(WORK.place)) return false;
    if (place === town || listAncestors(tree, place).includes(town)) return true;
    if (!work.spend(WORK.text)) return false;
    if (tree.parents[place] === tree.parents[town] && placeNameJson(renderedPlaces, place) === name) return true;
    return distanceKm(readPointField(structures, place), point) <= NEAR_KM;
  };
}

function listSuggestions(country: Country, code: string, names: NameQuery, limit: number): Suggestion[] {
  const { structures } = country;
  if (structures === undefined) return [];
  const found: Suggestion[] = [];
  for (const [place] of listPlaces(country, structures, code, names, limit, false)) {
    if (place !== undefined && isPlace(structures.tree, place)) found.push({ country, place });
  }
  return found;
}

/** For each code that starts so, its first places; of a range with more than `most` codes, some of them evenly. */
function* listPlaces(
  { entry }: Country,
  { postcodes }: CountryStructures,
  code: string,
  { work }: NameQuery,
  most = MAX_SAMPLED,
  isSampled = true,
): Generator<readonly number[]> {
  const compact = compactPostcode(code);
  const hasSigns = startWithLetters(postcodes);
  for (const start of readings(entry.code, compact, hasSigns)) {
    if (!work.spend(WORK.step * (33 - Math.clz32(postcodes.codeCount)))) return;
    const { start: first, end }: Range = findPostcodesStarting(postcodes, start);
    const count = Math.min(most, end - first);
    for (let at = 0; at < count && work.spend(WORK.probe); at++) {
      const number = first + (isSampled ? Math.floor(((end - first) * at) / count) : at);
      yield [...indexedPostcodePlaces(postcodes, number).subarray(0, MAX_PLACES)];
    }
    if (count > 0) return;
  }
}

/** What a start may mean in a country: as typed, without the country before it, with the sign of the data. */
function* readings(owner: string, compact: string, hasSigns: boolean): Generator<string> {
  yield compact;
  const full = nationalFullCodeStart(owner, compact);
  if (full !== undefined) yield full;
  for (const sign of signsOf(owner)) {
    if (hasSigns && DIGITS.test(compact)) yield sign + compact;
    if (compact.startsWith(sign) && DIGITS.test(compact.slice(sign.length))) yield compact.slice(sign.length);
  }
}
