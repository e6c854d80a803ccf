/**
 * Finds the town of an address line without a postal code. Nobody picks from a list here, and a wrong town is worse than
 * none, so nothing is guessed. The town is at the end of the line, with its units and its country behind it. Before it is
 * nothing, a comma, a code, or a street:
 *
 *   "Church Road, Bath"             Bath                    "London Road"        none: a street
 *   "12 Main St Springfield IL"     Springfield             "Jack London"        none: no street before the town
 *   "15 rue de la Paix Paris"       Paris, a big city       "rue de Paris"       none: the street's name goes on
 *
 * Every word of that end must mean the place (place-evidence.ts). A name alone must be that of a city of the gazetteer or
 * of a unit: nearly every word is the name of some hamlet.
 */

import { findCountryOfAbsentCity } from '../lookup/absent-countries.js';
import { findCountryByName, structuresOf } from '../lookup/countries.js';
import { bytesOf } from '../snapshot/byte-string.js';
import { foldQuery, foldText } from '../snapshot/fold-text.js';
import { BIG_CITY, ranksOfName } from '../snapshot/name-index.js';
import { populationOf } from '../snapshot/place-facts.js';
import { readKindField, readNameField } from '../snapshot/place-fields.js';
import { listAncestors } from '../snapshot/place-tree.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';
import { PART_SEPARATORS } from './address-line.js';
import type { NameQuery } from './name-query.js';
import { searchNames } from './name-search.js';
import { LineEvidence } from './place-evidence.js';
import { CONNECTING_WORDS, FIRST_WORDS, isStreet, LAST_WORDS } from './street-words.js';
import type { Suggestion } from './suggestion.js';

/** What programs write into a cell without a value; one of them is a town in Italy. */
const EMPTY_WORDS = new Set(['none', 'null', 'nan', 'nil', 'unknown', 'unbekannt']);

/** Of any script. */
const DIGIT = /\p{N}/u;
/** Maximum number of parts between commas at the end of a line that may have the town: town, district, state, country. */
const MAX_PARTS = 4;
/** Maximum number of words of a part that may have the town. */
const MAX_WORDS = 6;
/** Maximum number of places of one name that are rated. */
const MAX_PLACES = 8;
/** Minimum length of a name in folded letters: two letters are mostly the code of a region. */
const MIN_LETTERS = 3;
/** Maximum number of places with the name of a unit that are looked at. */
const MAX_NAMESAKES = 512;

/** The end of a line that may be a town with its units. */
interface LineEnd {
  readonly text: string;
  /** Whether only a big city is sure enough: "Wien 3", and what follows the name of a street without a number. */
  readonly needsBigCity: boolean;
}

/** A town with its name in the line. */
export interface Town extends Suggestion {
  /** The end of the line that means the town, without numbers: with the units and the country behind the name. */
  readonly typed: string;
  /** Whether there are no such units, so that the name alone means the town. */
  readonly isBare: boolean;
}

/** The town of a line in the countries of `names`. */
export function findTown(snapshot: Snapshot, names: NameQuery, line: string): Town | undefined {
  for (const end of listEnds(line)) {
    const foldings = foldQuery(end.text);
    const words = foldText(end.text).split(' ');
    const longest = Math.max(...words.map(({ length }) => length));
    if (longest < MIN_LETTERS || EMPTY_WORDS.has(words.join(' '))) continue;
    const { places, exactCount } = searchNames(names, foldings, MAX_PLACES, 'within');
    const evidence = new LineEvidence(names, words);
    const at = places.findIndex((found, at) => {
      const isBare = at < exactCount;
      if (isBare && (isStreet(words) || (words.length === 1 && LAST_WORDS.has(words[0] as string)))) return false;
      if (!isTown(names, found, isBare) || isAnotherCountry(snapshot, foldings, found)) return false;
      const people = populationOf(structuresOf(found.country), found.place) ?? 0;
      if (end.needsBigCity && people < BIG_CITY) return false;
      const { missing, isNamed, townRank } = evidence.rate(found.country, structuresOf(found.country), found.place);
      return missing === 0 && (isNamed || townRank < Number.POSITIVE_INFINITY);
    });
    const town = places[at];
    if (town !== undefined) return { ...town, typed: end.text, isBare: at < exactCount };
  }
  return undefined;
}

/** The country without data of which a big city is at the end of a line, the largest city of its name. */
export function findAbsentTown({ worldNames, countries }: Snapshot, line: string): Country | undefined {
  const names = listEnds(line).flatMap(({ text }) => foldQuery(text));
  const numbers = names.flatMap((name) => findCountryOfAbsentCity(worldNames, countries, name) ?? []);
  return countries[numbers[0] ?? -1];
}

/** The ends of a line, the longest first. */
function listEnds(line: string): LineEnd[] {
  const parts = line
    .split(PART_SEPARATORS)
    .map((part) => part.split(/\s+/).filter((word) => foldText(word) !== ''))
    .filter((words) => words.length > 0)
    .slice(-MAX_PARTS);
  return parts.flatMap((words, at) => {
    const behind = parts.slice(at + 1).flatMap(withoutNumbers);
    const letters = words.findLastIndex((word) => !DIGIT.test(word)) + 1;
    // "Wien 3", but not "Berlin 10115"
    const isNumbered = /^\d{1,3}\p{L}?$/u.test(words[letters] ?? '');
    return Array.from({ length: letters }, (_, start) => start).flatMap((start) => {
      const own = words.slice(start, letters);
      const before = words.slice(0, start).map(foldText);
      if (own.length > MAX_WORDS || own.some((word) => DIGIT.test(word))) return [];
      const sureness = before.every((word) => DIGIT.test(word)) ? 'sure' : surenessBehind(before);
      if (sureness === undefined) return [];
      return { text: [...own, ...behind].join(' '), needsBigCity: isNumbered || sureness === 'big city' };
    });
  });
}

/** How sure a town is behind these folded words, which are a street; undefined if they are none. */
function surenessBehind(before: readonly string[]): 'sure' | 'big city' | undefined {
  const last = before.at(-1) as string;
  if (CONNECTING_WORDS.has(last) && !LAST_WORDS.has(last)) return undefined;
  const isFirstKind = FIRST_WORDS.has(before.find((word) => !DIGIT.test(word)) ?? '');
  if (DIGIT.test(last)) return before.some((word) => !DIGIT.test(word)) ? 'sure' : undefined;
  if (isStreet(before.filter((word) => !/^\p{N}+$/u.test(word)))) return 'sure';
  return isFirstKind && !FIRST_WORDS.has(last) && before.some((word) => DIGIT.test(word)) ? 'big city' : undefined;
}

function withoutNumbers(words: readonly string[]): string[] {
  return words.filter((word) => !DIGIT.test(word));
}

/** Whether a place is more than a hamlet, which a name alone is not, or a state. */
function isTown(names: NameQuery, { country, place }: Suggestion, isBare: boolean): boolean {
  const structures = structuresOf(country);
  if (populationOf(structures, place) !== null) return true;
  const type = readKindField(structures, place);
  if (type === 'municipality') return true;
  const name = readNameField(structures, place);
  return type === 'locality' ? !isBare : type !== 'recipient' && hasTownOfItsName(names, { country, place }, name);
}

/** Whether a unit has a place of its name in it: Canillo in Canillo, but no Illinois in Illinois. */
function hasTownOfItsName(names: NameQuery, { country, place }: Suggestion, name: string): boolean {
  const { index } = names;
  const known = names.findName(bytesOf(foldText(name)));
  if (known === undefined) return false;
  return [...ranksOfName(index, known).subarray(0, MAX_NAMESAKES)].some((rank) => {
    const isOfCountry = index.countries.length === 0 || index.countries[rank] === country.number;
    return isOfCountry && listAncestors(structuresOf(country).tree, index.places[rank] as number).includes(place);
  });
}

/** Whether the text is the name of a country, and the place is in another: "Main St, Germany" is not about a Germany. */
function isAnotherCountry({ worldNames }: Snapshot, foldings: readonly string[], { country }: Suggestion): boolean {
  return foldings.some((text) => (findCountryByName(worldNames, text) ?? country.number) !== country.number);
}
