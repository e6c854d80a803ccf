/**
 * The countries that a text means: by an ISO code (alpha-2 or alpha-3), UK or a whole name, English, own-language or
 * common; and those of which a word of a name starts with the text. The names are in memory from the first query on, a few
 * thousand words, so a query costs two binary searches. Own-language names of countries without data are found whole
 * only: the snapshot has their hashes.
 */

import { oncePer } from '../../base/once-per.js';
import {
  findCountryByName,
  findCountryByText,
  findCountryOfAbsentCity,
  listContextLines,
} from '../lookup/countries.js';
import type { DomainError } from '../lookup/domain-error.js';
import { lowerBound } from '../snapshot/binary-search.js';
import { foldQuery } from '../snapshot/fold-text.js';
import { CODE_MARK } from '../snapshot/place-contexts.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';

/** Minimum length of a text that may be the start of a country's name, in letters. */
const MIN_LETTERS = 2;

export interface CountrySuggestions {
  /** The text is a name or a code of the country: the most populous first. */
  readonly exact: readonly Country[];
  /** A name starts with the text, then a later word of a name; each the most populous first. */
  readonly starting: readonly Country[];
}

/** `foldings` are those of the text (foldQuery); `among` are the countries to look at, all if that is undefined. */
export function listCountrySuggestions(
  snapshot: Snapshot,
  foldings: readonly string[],
  among: readonly Country[] | undefined,
): CountrySuggestions {
  const isAmong = (country: Country): boolean => among?.includes(country) ?? true;
  const entries = foldings.flatMap((text) => findEntries(snapshot, text));
  const ofEntries = (isMeant: (entry: Entry) => boolean): Country[] =>
    entries
      .filter(isMeant)
      .map(({ country }) => snapshot.countries[country] as Country)
      .sort(byPeople);
  const exact = [
    ...foldings.flatMap((text) => snapshot.countries[findCountryByName(snapshot.worldNames, text) ?? -1] ?? []),
    ...ofEntries(({ isWhole, text }) => isWhole && foldings.includes(text)),
  ];
  const found = new Set(exact.filter(isAmong).sort(byPeople));
  const starting = [...ofEntries(({ isWhole, isCode }) => isWhole && !isCode), ...ofEntries(({ isWhole }) => !isWhole)];
  return { exact: [...found], starting: [...new Set(starting)].filter((one) => isAmong(one) && !found.has(one)) };
}

function byPeople(a: Country, b: Country): number {
  return b.entry.population - a.entry.population || a.number - b.number;
}

/** A name or code of a country from one of its words on. */
interface Entry {
  readonly text: string;
  /** Whether `text` is the whole name or code. */
  readonly isWhole: boolean;
  readonly isCode: boolean;
  /** The country's number. */
  readonly country: number;
}

/** The entries that start with a folded text. */
function findEntries(snapshot: Snapshot, text: string): Entry[] {
  if (text.length < MIN_LETTERS) return [];
  const entries = entriesOf(snapshot);
  const start = lowerBound(0, entries.length, (at) => (entries[at] as Entry).text < text);
  const end = lowerBound(start, entries.length, (at) => (entries[at] as Entry).text.startsWith(text));
  return entries.slice(start, end);
}

/** Ascending by text. */
const entriesOf = oncePer(
  ({ countries }: Snapshot): readonly Entry[] =>
    countries
      .flatMap((country) => [
        ...listNames(country).flatMap((name) => listWords(name, country.number)),
        ...[...listCodes(country)].map((text) => ({ text, isWhole: true, isCode: true, country: country.number })),
      ])
      .sort((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text))),
  ({ worldNames }) => worldNames,
);

function listWords(name: string, country: number): Entry[] {
  const words = name.split(' ');
  return words.map((_, at) => ({ text: words.slice(at).join(' '), isWhole: at === 0, isCode: false, country }));
}

/** The folded names in the context of a country's places; the English name of a country without data. */
function listNames(country: Country): string[] {
  return listContextLines(country).filter((line) => line !== '' && line.charCodeAt(0) !== CODE_MARK);
}

/** The codes in that context, which has UK too; the ISO codes of a country without data. */
function listCodes(country: Country): ReadonlySet<string> {
  const { code, alpha3 } = country.entry;
  const known = listContextLines(country).filter((line) => line.charCodeAt(0) === CODE_MARK);
  return new Set([code.toLowerCase(), alpha3.toLowerCase(), ...known.map((line) => line.slice(1))]);
}

/*
 * The country without data that a line is about: it is a name of the country ("Japan", "日本"), the name of one of its big
 * cities ("Tokyo", "東京"), or ends in the country's name ("Nara, Japan"). If places with data have the same name, as Lagos
 * in Portugal, the caller lists these places too.
 */

/** Maximum number of words of a country's name at the end of a line: "bosnia and herzegovina". */
const MAX_WORDS = 4;

export interface AbsentCountry {
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
 * The countries without data that a lookup asked for which ended with this error: by a code or a name as a parameter, or
 * before or after the postal code ("75001 France"). Empty for an error that has another reason.
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
  return ofParameters.length > 0
    ? [...new Set(ofParameters)]
    : ends.flatMap((typed) => absentOf(snapshot, typed)).slice(0, 1);
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
