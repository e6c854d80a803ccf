/** Finds the country of a name that leads to a country instead of a place: a binary search over hashes. */
import { lowerBound } from '../format/binary-search.js';
import { hashText } from '../format/hash.js';
import type { NameIndex } from '../format/name-index.js';
import type { Country } from './snapshot.js';

/**
 * The number of the country without data in which a folded text is the name of a big city: of several such countries the
 * one with the largest city.
 */
export function findCountryOfAbsentCity(
  { bigCityNames, bigCityCountries }: NameIndex,
  countries: readonly Country[],
  text: string,
): number | undefined {
  const hash = hashText(text);
  const first = firstOf(bigCityNames, hash);
  // A name is there once for each country; in a damaged file it could be there more often.
  for (let at = first; bigCityNames[at] === hash && at < first + countries.length; at++) {
    const country = countries[bigCityCountries[at] as number];
    if (country !== undefined && country.structures === undefined) return country.number;
  }
  return undefined;
}

/** The number of the country, with or without data, of which a folded text is a name; in a damaged file of no country. */
export function findCountryByName({ countryNames, namedCountries }: NameIndex, text: string): number | undefined {
  const hash = hashText(text);
  const at = firstOf(countryNames, hash);
  return countryNames[at] === hash ? namedCountries[at] : undefined;
}

/** The first position in ascending hashes where the hash is, or would be. */
function firstOf(hashes: Uint32Array, hash: number): number {
  return lowerBound(0, hashes.length, (one) => (hashes[one] as number) < hash);
}
