/**
 * The countries without data that a line, or a failed lookup, is about. Of a line: it is a name of the country ("Japan",
 * "日本"), the name of one of its big cities ("Tokyo", "東京") of which no country has a larger one, or ends in the country's
 * name ("Nara, Japan"). If places with data have the same name, as Lagos in Portugal, the caller lists these places too.
 */

import { lowerBoundOfHash } from '../snapshot/binary-search.js';
import { foldQuery } from '../snapshot/fold-text.js';
import { hashText } from '../snapshot/hash-table.js';
import type { NameIndex } from '../snapshot/name-index.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';
import { findCountryByName, findCountryByText } from './countries.js';
import type { DomainError } from './domain-error.js';

/** Maximum number of words of a country's name at the end of a line: "bosnia and herzegovina". */
const MAX_WORDS = 4;

interface AbsentCountry {
  readonly country: Country;
  /** Whether the whole line is the name of a big city of the country, and not of the country itself. */
  readonly hasCity: boolean;
}

/**
 * Undefined if the line is about no country, or about one with data. `mayEndInCountry` tells whether the end of the line
 * counts: not if the line has an answer, because many places have the name of a country ("Atlanta, Georgia").
 */
export function findAbsentCountry(
  snapshot: Snapshot,
  line: string,
  mayEndInCountry: boolean,
): AbsentCountry | undefined {
  const { worldNames, countries } = snapshot;
  const foldings = foldQuery(line);
  if (foldings.includes('')) return undefined;
  const byName = (text: string): number | undefined => findCountryByName(worldNames, text);
  const byCity = (text: string): number | undefined => findCountryOfAbsentCity(worldNames, countries, text);
  const ends = foldings.flatMap((folded) => listRuns(folded.split(' '), (words, count) => words.slice(-count)));
  const named = findFirst(foldings, byName);
  const ofCity = named ?? findFirst(foldings, byCity);
  const country = countries[ofCity ?? (mayEndInCountry ? findFirst(ends, byName) : undefined) ?? -1];
  if (country === undefined || country.structures !== undefined) return undefined;
  return { country, hasCity: named === undefined && ofCity !== undefined };
}

/**
 * The number of the country without data whose big city is the one of a name: a folded text that is the name of a big city,
 * of which the largest in the world is in that country. Athens is in Greece, but Delhi, a name of Dili, is in India.
 */
export function findCountryOfAbsentCity(
  { bigCityNames, bigCityCountries }: NameIndex,
  countries: readonly Country[],
  text: string,
): number | undefined {
  const hash = hashText(text);
  // The country of the largest city comes first.
  const at = lowerBoundOfHash(bigCityNames, hash);
  const country = bigCityNames[at] === hash ? countries[bigCityCountries[at] as number] : undefined;
  return country?.structures === undefined ? country?.number : undefined;
}

function findFirst(texts: readonly string[], find: (text: string) => number | undefined): number | undefined {
  for (const text of texts) {
    const found = find(text);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Take = (words: readonly string[], count: number) => readonly string[];

function listRuns(words: readonly string[], take: Take): string[] {
  const most = Math.min(MAX_WORDS, words.length);
  return Array.from({ length: most }, (_, fewer) => take(words, most - fewer).join(' '));
}

/** The parameters of a lookup that may name a country. */
interface Asked {
  readonly country?: unknown;
  readonly countries?: unknown;
  readonly postcode?: unknown;
}

/**
 * The countries without data that a lookup asked for which ended with this error: by a code or a name as a parameter,
 * before or after the postal code ("75001 France"), or by a position. Empty for an error that has another reason.
 */
export function listAbsentCountries(snapshot: Snapshot, error: DomainError, asked: Asked): Country[] {
  const { code, details = [] } = error;
  const isAboutCountry = details.every(({ param }) => param === 'country' || param === 'countries');
  const isOther = code === 'PLACE_NOT_FOUND' || code === 'NO_NEARBY_PLACE' || code === 'RELEASE_NOT_FOUND';
  if (isOther || !isAboutCountry) return [];
  const parameters = [asked.country, asked.countries].flatMap((list) => textOf(list).split(','));
  // The words of "United Kingdom SW1A" come as a country and a code.
  const words = `${textOf(asked.country)} ${textOf(asked.postcode)}`.trim().split(/[\s,]+/);
  const ends = [
    ...listRuns(words, (all, count) => all.slice(-count)),
    ...listRuns(words, (all, count) => all.slice(0, count)),
  ];
  const ofParameters = parameters.flatMap((typed) => absentOf(snapshot, typed));
  if (ofParameters.length > 0) return [...new Set(ofParameters)];
  return [...ends.flatMap((typed) => absentOf(snapshot, typed)), error.country ?? []].flat().slice(0, 1);
}

/** A text, or a list of texts with commas; empty for anything else. */
function textOf(value: unknown): string {
  return [value]
    .flat()
    .filter((one) => typeof one === 'string')
    .join(',');
}

function absentOf(snapshot: Snapshot, typed: string): readonly Country[] {
  const country = findCountryByText(snapshot, typed);
  return country === undefined || country.structures !== undefined ? [] : [country];
}
