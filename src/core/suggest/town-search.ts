/**
 * Finds the town of a line, without its code: by name as typed (name-search.ts); else in the country that the line names;
 * else, if the country's name is a unit's too ("Newrk New Jersey", "Atlnta Georgia"), with mistakes anywhere. A line that
 * names a country without data finds nothing by a mistake. If a long line finds nothing, its last words are searched: the
 * street comes before the town.
 */

import { findNamedCountry, type NamedCountry } from '../lookup/countries.js';
import { bytesOf } from '../snapshot/byte-string.js';
import { TOP_COUNT } from '../snapshot/name-index.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';
import type { NameQuery } from './name-query.js';
import { type NameSearchDepth, type NamesFound, searchNames } from './name-search.js';
import { MAX_WORDS } from './name-splits.js';
import type { Suggestion } from './suggestion.js';

export interface TownsFound {
  /** Best first. */
  readonly places: readonly Suggestion[];
  /** Number of places at the start whose name is the text: see NamesFound. */
  readonly exactCount: number;
  /** Whether the line names a city or a country without data, and nothing is found. */
  readonly isElsewhere: boolean;
}

const ELSEWHERE: TownsFound = { places: [], exactCount: 0, isElsewhere: true };

interface TownSearch {
  readonly depth: NameSearchDepth & ('as typed' | 'in part' | 'with mistakes');
  /** Whether the country may come first, as before a code. In a name the first word is seldom a country. */
  readonly isCountryFirst: boolean;
}

/** The best towns for the foldings of a line or of its rest, at most `limit`. */
export function searchTown(
  snapshot: Snapshot,
  names: NameQuery,
  foldings: readonly string[],
  limit: number,
  search: TownSearch,
): TownsFound {
  const found = searchWhole(snapshot, names, foldings, limit, search);
  if (found.places.length > 0 || found.isElsewhere) return found;
  const ends = foldings.map((folded) => folded.split(' ').slice(-MAX_WORDS).join(' '));
  const isCut = ends.some((end, at) => end !== foldings[at]);
  return isCut ? searchWhole(snapshot, names, ends, limit, search) : found;
}

function searchWhole(
  snapshot: Snapshot,
  names: NameQuery,
  foldings: readonly string[],
  limit: number,
  { depth, isCountryFirst }: TownSearch,
): TownsFound {
  const words = (foldings.at(-1) as string).split(' ');
  const named = names.isOneCountry ? undefined : findNamedCountry(snapshot, words, isCountryFirst);
  if (named === undefined || isLeftOut(names, named.country)) {
    const found = searchNames(names, foldings, limit, depth);
    return { ...found, isElsewhere: found.isAbsent && found.places.length === 0 };
  }
  const asTyped = searchNames(names, foldings, limit, 'as typed');
  if (asTyped.places.length > 0) return inData(asTyped);
  const rest = [named.rest.join(' ')];
  const inCountry = named.country.structures === undefined ? undefined : names.inCountry(named.country);
  if (inCountry !== undefined) {
    const found = searchNames(inCountry, rest, limit, depth);
    if (found.places.length > 0) return inData(found);
  }
  if (isUnit(names, named)) return inData(searchNames(names, foldings, limit, 'mistaken'));
  if (inCountry === undefined) return ELSEWHERE;
  // With the country as its context a short part of the line is enough. Elsewhere the street may be called as a town.
  const inContext = searchNames(inCountry, foldings, limit, 'in part');
  return inData(inContext.places.length > 0 ? inContext : searchNames(names, rest, limit, 'in part'));
}

/** Whether the query is about other countries than this one, which has data. */
function isLeftOut(names: NameQuery, country: Country): boolean {
  return country.structures !== undefined && !names.hasCountry(country);
}

function inData(found: NamesFound): TownsFound {
  return { ...found, isElsewhere: false };
}

/** Whether the words of the country, alone or with the word before them, are the name of a unit of the first level. */
function isUnit(names: NameQuery, { words, rest }: NamedCountry): boolean {
  return [words, [rest.at(-1) as string, ...words]].some((text) => {
    const name = names.findName(bytesOf(text.join(' ')));
    return (
      name !== undefined &&
      names
        .ranksOf(name)
        .subarray(0, TOP_COUNT)
        .some((rank) => names.isRegion(rank))
    );
  });
}
