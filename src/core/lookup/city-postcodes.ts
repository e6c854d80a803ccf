/**
 * The postal codes of each city of a country: how many the localities that belong to the city have, and the first and the
 * last in natural order. One pass over the postcode index for all cities, with 12 bytes for each place.
 */

import { cityOf } from '../snapshot/place-cities.js';
import { indexedPostcodePlaces } from '../snapshot/postcode-index.js';
import type { CountryStructures } from '../snapshot/snapshot.js';
import { inNaturalOrder } from './natural-order.js';
import { recipientMarksOf } from './place-postcodes.js';

/** By the place that stands for a city. */
interface CityPostcodes {
  readonly counts: Uint32Array;
  /** The numbers of codes in the postcode index, of cities that have codes. */
  readonly firsts: Uint32Array;
  readonly lasts: Uint32Array;
}

export function countCityPostcodes(structures: CountryStructures): CityPostcodes {
  const { postcodes, tree } = structures;
  const recipients = recipientMarksOf(structures);
  const counts = new Uint32Array(tree.placeCount);
  const firsts = new Uint32Array(tree.placeCount);
  const lasts = new Uint32Array(tree.placeCount);
  // In a damaged file every code could have all places.
  let unreadCount = postcodes.places.length;
  for (const code of inNaturalOrder(structures, { start: 0, end: postcodes.codeCount })) {
    const places = indexedPostcodePlaces(postcodes, code);
    unreadCount -= places.length;
    if (unreadCount < 0) break;
    for (const place of places) {
      const city = recipients?.[place] === 1 ? undefined : cityOf(structures, place);
      if (city === undefined || (counts[city] !== 0 && lasts[city] === code)) continue;
      if (counts[city] === 0) firsts[city] = code;
      lasts[city] = code;
      counts[city] = (counts[city] as number) + 1;
    }
  }
  return { counts, firsts, lasts };
}
