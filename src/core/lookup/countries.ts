/** Finds the country of a request, and its structures. */

import { oncePer } from '../../base/once-per.js';
import { bufferOfArray } from '../snapshot/array-bundle.js';
import { lowerBoundOfHash } from '../snapshot/binary-search.js';
import { foldText } from '../snapshot/fold-text.js';
import { hashText } from '../snapshot/hash-table.js';
import type { NameIndex } from '../snapshot/name-index.js';
import { CODE_MARK } from '../snapshot/place-contexts.js';
import type { Country, CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import { DomainError, type ParameterFault } from './domain-error.js';

/* Finds the country of a name that leads to a country instead of a place: a binary search over hashes. */

/** The number of the country, with or without data, of which a folded text is a name; in a damaged file of no country. */
export function findCountryByName({ countryNames, namedCountries }: NameIndex, text: string): number | undefined {
  const hash = hashText(text);
  const at = lowerBoundOfHash(countryNames, hash);
  return countryNames[at] === hash ? namedCountries[at] : undefined;
}

/*
 * The country that a line names before or after the rest: "75008 Paris, France", "Deutschland 10115 Berlin". Its names
 * are those of the contexts of its places: English, its own languages and its codes of three letters. Codes of two
 * letters are states as well ("CA", "DE", "IN"), so they don't count.
 */

/** Minimum length of a name or code, in letters. */
const MIN_LETTERS = 3;
/** Maximum number of words of a name: "bosnia and herzegovina". */
const MAX_WORDS = 4;

export interface NamedCountry {
  readonly country: Country;
  readonly words: readonly string[];
  /** The words of the line without those of the country: not empty. */
  readonly rest: readonly string[];
}

/** The country named at the end of some folded words, or else, if `isFirst`, at the start; undefined if there is none. */
export function findNamedCountry(
  snapshot: Snapshot,
  words: readonly string[],
  isFirst: boolean,
): NamedCountry | undefined {
  const byName = namesOf(snapshot);
  const countryAt = (number = -1): Country | undefined => snapshot.countries[number];
  for (let count = Math.min(MAX_WORDS, words.length - 1); count > 0; count--) {
    const [head, tail] = [words.slice(0, count), words.slice(-count)];
    const atEnd = countryAt(byName.get(tail.join(' ')));
    if (atEnd !== undefined) return { country: atEnd, words: tail, rest: words.slice(0, -count) };
    const atStart = isFirst ? countryAt(byName.get(head.join(' '))) : undefined;
    if (atStart !== undefined) return { country: atStart, words: head, rest: words.slice(count) };
  }
  return undefined;
}

/** The numbers of countries by each of their folded names. */
export const namesOf = oncePer(
  ({ countries }: Snapshot): ReadonlyMap<string, number> =>
    new Map(countries.flatMap((country) => listNames(country).map((name) => [name, country.number] as const))),
  ({ worldNames }) => worldNames,
);

function listNames(country: Country): string[] {
  return listContextLines(country)
    .map((line) => (line.charCodeAt(0) === CODE_MARK ? line.slice(1) : line))
    .filter((name) => name.length >= MIN_LETTERS);
}

/**
 * The folded names of a country, and its codes behind CODE_MARK, from the context of its places; the English name of a
 * country without data.
 */
export function listContextLines({ structures, entry }: Country): string[] {
  if (structures === undefined) return [foldText(entry.name)];
  const { text, textStarts } = structures.contexts;
  return bufferOfArray(text).toString('latin1', textStarts[0], textStarts[1]).split('\n');
}

/*
 * The country that a client means by a text that is no country code: "UK", "DEU", "Germany". Only error messages name
 * it. A text costs its folding and four lookups; the first text of a snapshot also costs the tables of codes and names.
 */

/** Maximum length in characters of a text that is looked up: the longest name of a country has 44. */
const MAX_TYPED_LENGTH = 60;

/**
 * Codes that ISO 3166-1 reserves, by the country that has them or succeeded them; codes of several successors (AN, CS,
 * NT, SU, YU) are left out. EL is Greece in the European Union.
 */
const RESERVED_CODES = {
  AC: 'SH',
  BU: 'MM',
  DG: 'IO',
  EA: 'ES',
  EL: 'GR',
  FX: 'FR',
  IC: 'ES',
  TA: 'SH',
  TP: 'TL',
  UK: 'GB',
  ZR: 'CD',
};

/** Parts of a country that people take for one, by their folded names. */
const PARTS = { england: 'GB', 'northern ireland': 'GB', scotland: 'GB', wales: 'GB' };

const SUBSTITUTES: ReadonlyMap<string, string> = new Map(Object.entries({ ...RESERVED_CODES, ...PARTS }));

const codesByAlpha3 = oncePer(
  ({ countries }: Snapshot): ReadonlyMap<string, string> =>
    new Map(countries.map(({ entry }) => [entry.alpha3, entry.code])),
  ({ worldNames }) => worldNames,
);

/** Finds the code of the country that a text means. */
export type CountryFinder = (typed: string) => string | undefined;

export function countryFinderOf(snapshot: Snapshot): CountryFinder {
  return (typed) => findMeantCountry(snapshot, typed);
}

/** The code of a country of the snapshot. */
function findMeantCountry(snapshot: Snapshot, typed: string): string | undefined {
  if (typed.length > MAX_TYPED_LENGTH) return undefined;
  const code = typed.trim().toUpperCase();
  const name = foldText(typed);
  const meant =
    SUBSTITUTES.get(code) ??
    SUBSTITUTES.get(name) ??
    codesByAlpha3(snapshot).get(code) ??
    snapshot.countries[namesOf(snapshot).get(name) ?? -1]?.entry.code ??
    code;
  return snapshot.countryByCode.has(meant) ? meant : undefined;
}

/** The country that a text means, also one without data by its name in its own languages. */
export function findCountryByText(snapshot: Snapshot, typed: string): Country | undefined {
  const text = typed.trim();
  if (text === '' || text.length > MAX_TYPED_LENGTH) return undefined;
  const upper = text.toUpperCase();
  const code = snapshot.countryByCode.has(upper) ? upper : findMeantCountry(snapshot, text);
  if (code !== undefined) return snapshot.countryByCode.get(code);
  const number = findCountryByName(snapshot.worldNames, foldText(text));
  return number === undefined ? undefined : snapshot.countries[number];
}

/** The names of parameters that are countries. */
export const COUNTRY_PARAMETERS = ['country', 'countries'] as const;

/** A code, which needs no snapshot to be read, whether a country has it or not. */
const TWO_LETTERS = /^[a-z]{2}$/i;

/** Whether a list of countries, separated by commas, has codes alone. */
export function hasCodesAlone(list: string): boolean {
  return list.split(',').every((text) => TWO_LETTERS.test(text));
}

/** A list of codes and names of countries, separated by commas, with a code for each name; no country's text stays. */
export function namesToCountryCodes(snapshot: Snapshot, list: string): string {
  const codeOf = (text: string): string =>
    TWO_LETTERS.test(text) ? text : (findCountryByText(snapshot, text)?.entry.code ?? text);
  return list.split(',').map(codeOf).join();
}

/** What a parameter that names a country must be. */
export const COUNTRY_CODE = 'a two-letter ISO 3166-1 alpha-2 country code';

/** A country by its upper-case code, which the parameter `param` has. Throws DomainError COUNTRY_NOT_FOUND. */
export function findCountry(snapshot: Snapshot, code: string, param = 'country'): Country {
  const country = snapshot.countryByCode.get(code);
  if (country === undefined) throw countryNotFound(snapshot, code, param);
  return country;
}

function countryNotFound(snapshot: Snapshot, code: string, param: string): DomainError {
  const meant = findMeantCountry(snapshot, code);
  const fault = unknownCountry(code, param, meant);
  return new DomainError('COUNTRY_NOT_FOUND', fault.message, meant === undefined ? undefined : [fault]);
}

/** The fault of a parameter with the code of no country; `meant` is the code that was probably meant. */
export function unknownCountry(code: string, param: string, meant: string | undefined): ParameterFault {
  const hint = meant === undefined ? '.' : `; did you mean ${meant}?`;
  return { param, message: `There is no country with the code ${code}${hint}`, expected: COUNTRY_CODE };
}

/** As findCountry, a country with data. */
export function findCountryWithData(snapshot: Snapshot, code: string, param?: string): Country {
  const country = findCountry(snapshot, code, param);
  structuresOf(country);
  return country;
}

/** The structures of a country by its code. */
export function findCountryStructures(snapshot: Snapshot, code: string): CountryStructures {
  return structuresOf(findCountry(snapshot, code));
}

/** The structures of a country. A country without data is the error NO_POSTCODE_DATA. */
export function structuresOf(country: Country): CountryStructures {
  if (country.structures !== undefined) return country.structures;
  throw new DomainError('NO_POSTCODE_DATA', describeMissingData(country), undefined, country);
}

/** A sentence about a country without data. */
export function describeMissingData({ entry }: Country): string {
  return `There is no postcode data for ${entry.name} (${entry.code}).`;
}
