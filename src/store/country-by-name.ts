/** Finds the country of a name that leads to a country instead of a place: a binary search over hashes. */
import { lowerBound } from '../format/binary-search.js';
import { hashText } from '../format/hash.js';
import type { NameIndex } from '../format/name-index.js';

/** The number of the country without data in which a folded text is the name of a big city. */
export function findCountryOfAbsentCity(world: NameIndex, text: string): number | undefined {
  return findByHash(world.absentNames, world.absentCountries, text);
}

/** The number of the country, with or without data, of which a folded text is a name. */
export function findCountryByName(world: NameIndex, text: string): number | undefined {
  return findByHash(world.countryNames, world.namedCountries, text);
}

/** In a damaged file the number can be that of no country. */
function findByHash(hashes: Uint32Array, countries: Uint16Array, text: string): number | undefined {
  const hash = hashText(text);
  const at = lowerBound(0, hashes.length, (one) => (hashes[one] as number) < hash);
  return hashes[at] === hash ? countries[at] : undefined;
}
