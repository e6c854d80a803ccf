/** Writes which city each place belongs to (src/core/snapshot/place-cities.ts): see cities-of-places.ts. */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { NO_CITY, PLACE_CITIES_SCHEMA } from '../../src/core/snapshot/place-cities.js';
import { findCitiesOfPlaces } from '../cities/cities-of-places.js';
import type { PlacedCity } from '../cities/placed-cities.js';
import { sortByKeys } from '../ordering/sort-keys.js';
import type { CountryTree } from '../tree/country-tree.js';

export function buildPlaceCities(tree: CountryTree, placed: readonly PlacedCity[]): Uint8Array[] {
  const cities = findCitiesOfPlaces(tree, placed);
  const members: number[] = [];
  for (const [place, city] of cities.entries()) if (city !== NO_CITY && city !== place) members.push(place);
  const keys = Float64Array.from(members, (place) => cities[place] as number);
  const order = sortByKeys(keys, (a, b) => (members[a] as number) - (members[b] as number));
  return encodeBundle(PLACE_CITIES_SCHEMA, { cities, members: Uint32Array.from(order, (at) => members[at] as number) });
}
