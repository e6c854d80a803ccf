/**
 * The countries that a text means: by an ISO code (alpha-2 or alpha-3), UK or a whole name, English, own-language or
 * common; and those of which a word of a name starts with the text. The names are in memory from the first query on, a few
 * thousand words, so a query costs two binary searches. Own-language names of countries without data are found whole
 * only: the snapshot has their hashes.
 */

import { oncePer } from '../../base/once-per.js';
import { findCountryByName, listContextLines } from '../lookup/countries.js';
import { lowerBound } from '../snapshot/binary-search.js';
import { CODE_MARK } from '../snapshot/place-contexts.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';

/** Minimum length of a text that may be the start of a country's name, in letters. */
const MIN_LETTERS = 2;

interface CountrySuggestions {
  /** The text is a name or a code of the country: the most populous first. */
  readonly exact: readonly Country[];
  /** A name starts with the text, then a later word of a name; each the most populous first. */
  readonly starting: readonly Country[];
}

/** `foldings` are the text's (foldQuery); `among` are the countries to look at, or undefined for all. */
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
