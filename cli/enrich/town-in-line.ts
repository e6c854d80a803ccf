/**
 * Finds the town of an address line without a postal code, for a table: a wrong town is worse than none, so nothing is
 * guessed. The town is at the end of the line, with its units and its country behind it. Before it is nothing, a comma, a
 * code, or a street:
 *
 *   "Church Road, Bath"             Bath                    "London Road"        none: a street
 *   "12 Main St Springfield IL"     Springfield             "Jack London"        none: no street before the town
 *   "15 rue de la Paix Paris"       Paris, a big city       "rue de Paris"       none: the street's name goes on
 *
 * Every word of that end must mean the place (line-evidence.ts). A name alone must be that of a city of the gazetteer or
 * of a unit: nearly every word is the name of some hamlet.
 */
import { foldQuery, foldText } from '../../src/format/fold-text.js';
import { structuresOf } from '../../src/service/find-country.js';
import { LineEvidence } from '../../src/service/suggest/line-evidence.js';
import type { NameLookup } from '../../src/service/suggest/name-lookup.js';
import { searchNames } from '../../src/service/suggest/name-search.js';
import type { Suggestion } from '../../src/service/suggest/suggestion.js';
import { bytesOf } from '../../src/store/byte-string.js';
import { findCountryByName } from '../../src/store/country-by-name.js';
import { ranksOfName } from '../../src/store/name-index.js';
import { populationOf } from '../../src/store/place-facts.js';
import { readPlace } from '../../src/store/place-fields.js';
import { listAncestors } from '../../src/store/place-tree.js';
import type { Snapshot } from '../../src/store/snapshot.js';
import { CONNECTING_WORDS, EMPTY_WORDS, FIRST_WORDS, LAST_WORDS, STREET_ENDINGS } from './street-words.js';

const SEPARATORS = /[,;|()、，\r\n]+|\s[-–—]\s/;
const HAS_DIGIT = /\p{N}/u;
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
/** Minimum number of people of a big city. */
const BIG_CITY_PEOPLE = 100_000;

/** The end of a line that may be a town with its units. */
interface LineEnd {
  readonly text: string;
  /** Whether only a big city is sure enough: "Wien 3", and what follows the name of a street without a number. */
  readonly needsBigCity: boolean;
}

/** The town of a line in the countries of `names`. */
export function findTown(snapshot: Snapshot, names: NameLookup, line: string): Suggestion | undefined {
  for (const end of listEnds(line)) {
    const foldings = foldQuery(end.text);
    const words = foldText(end.text).split(' ');
    const longest = Math.max(...words.map(({ length }) => length));
    if (longest < MIN_LETTERS || EMPTY_WORDS.has(words.join(' '))) continue;
    const { places, exactCount } = searchNames(names, foldings, MAX_PLACES, 'within');
    const evidence = new LineEvidence(names, words);
    const town = places.find((found, at) => {
      const isBare = at < exactCount;
      if (isBare && (isStreet(words) || (words.length === 1 && LAST_WORDS.has(words[0] as string)))) return false;
      if (!isTown(names, found, isBare) || isAnotherCountry(snapshot, foldings, found)) return false;
      const people = populationOf(structuresOf(found.country), found.place) ?? 0;
      if (end.needsBigCity && people < BIG_CITY_PEOPLE) return false;
      const { missing, isNamed, townRank } = evidence.rate(found.country, structuresOf(found.country), found.place);
      return missing === 0 && (isNamed || townRank < Number.POSITIVE_INFINITY);
    });
    if (town !== undefined) return town;
  }
  return undefined;
}

/** Whether a number of a line is that of a house, a box or the like instead of a postal code. */
export function isHouseNumber(line: string, number: string): boolean {
  return line.split(SEPARATORS).some((part) => {
    const words = part.split(/\s+/).map(foldText);
    const at = words.indexOf(number);
    if (at === -1) return false;
    const [before, after] = [words.slice(0, at), words.slice(at + 1).filter((word) => word !== '')];
    // "12345 Main St", "1010 Stephansplatz"; in "63101 St Louis" the word is first.
    if (after.some((word, index) => (index > 0 && LAST_WORDS.has(word)) || (index === 0 && STREET_ENDINGS.test(word))))
      return true;
    if (after.length > 0 || before.some((word) => HAS_DIGIT.test(word))) return false;
    return before.some((word) => FIRST_WORDS.has(word)) || isStreet(before);
  });
}

/** The ends of a line, the longest first. */
function listEnds(line: string): LineEnd[] {
  const parts = line
    .split(SEPARATORS)
    .map((part) => part.split(/\s+/).filter((word) => foldText(word) !== ''))
    .filter((words) => words.length > 0)
    .slice(-MAX_PARTS);
  return parts.flatMap((words, at) => {
    const behind = parts.slice(at + 1).flatMap(withoutNumbers);
    const letters = words.findLastIndex((word) => !HAS_DIGIT.test(word)) + 1;
    // "Wien 3", but not "Berlin 10115"
    const isNumbered = /^\d{1,3}\p{L}?$/u.test(words[letters] ?? '');
    return Array.from({ length: letters }, (_, start) => start).flatMap((start) => {
      const own = words.slice(start, letters);
      const before = words.slice(0, start).map(foldText);
      if (own.length > MAX_WORDS || own.some((word) => HAS_DIGIT.test(word))) return [];
      const sureness = before.every((word) => HAS_DIGIT.test(word)) ? 'sure' : surenessBehind(before);
      if (sureness === undefined) return [];
      return { text: [...own, ...behind].join(' '), needsBigCity: isNumbered || sureness === 'big city' };
    });
  });
}

/** How sure a town is behind these folded words, which are a street; undefined if they are none. */
function surenessBehind(before: readonly string[]): 'sure' | 'big city' | undefined {
  const last = before.at(-1) as string;
  if (CONNECTING_WORDS.has(last) && !LAST_WORDS.has(last)) return undefined;
  const isFirstKind = FIRST_WORDS.has(before.find((word) => !HAS_DIGIT.test(word)) ?? '');
  if (HAS_DIGIT.test(last)) return before.some((word) => !HAS_DIGIT.test(word)) ? 'sure' : undefined;
  if (isStreet(before.filter((word) => !/^\p{N}+$/u.test(word)))) return 'sure';
  return isFirstKind && !FIRST_WORDS.has(last) && before.some((word) => HAS_DIGIT.test(word)) ? 'big city' : undefined;
}

/** Whether folded words end as a street does: "main st", "hauptstrasse"; or begin so: "rue de paris". */
function isStreet(words: readonly string[]): boolean {
  const last = words.at(-1) ?? '';
  return STREET_ENDINGS.test(last) || (words.length > 1 && LAST_WORDS.has(last));
}

function withoutNumbers(words: readonly string[]): string[] {
  return words.filter((word) => !HAS_DIGIT.test(word));
}

/** Whether a place is more than a hamlet, which a name alone is not, or a state. */
function isTown(names: NameLookup, { country, place }: Suggestion, isBare: boolean): boolean {
  const structures = structuresOf(country);
  if (populationOf(structures, place) !== null) return true;
  const { type, name } = readPlace(structures, place);
  if (type === 'municipality') return true;
  return type === 'locality' ? !isBare : type !== 'recipient' && hasTownOfItsName(names, { country, place }, name);
}

/** Whether a unit has a place of its name in it: Canillo in Canillo, but no Illinois in Illinois. */
function hasTownOfItsName(names: NameLookup, { country, place }: Suggestion, name: string): boolean {
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
