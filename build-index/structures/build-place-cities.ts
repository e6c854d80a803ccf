/** Writes which city each place belongs to (src/core/snapshot/place-cities.ts): see cities-of-places.ts. */

import KDBush from 'kdbush';
import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { POINT_NODE_SIZE } from '../../src/core/snapshot/kd-tree.js';
import { NO_CITY, PLACE_CITIES_SCHEMA } from '../../src/core/snapshot/place-cities.js';
import { findCitiesOfPlaces, findStandingCities } from '../cities/cities-of-places.js';
import { nameOfCity } from '../cities/city-names.js';
import type { PlacedCity } from '../cities/placed-cities.js';
import type { NamedCity } from '../gazetteer/read-gazetteer.js';
import { sortByKeys } from '../ordering/sort-keys.js';
import type { CountryTree } from '../tree/country-tree.js';
import { startsOf } from './part-starts.js';

export function buildPlaceCities(tree: CountryTree, placed: readonly PlacedCity[]): Uint8Array[] {
  const cities = findCitiesOfPlaces(tree, placed);
  const others: number[] = [];
  for (const [place, city] of cities.entries()) if (city !== NO_CITY && city !== place) others.push(place);
  const keys = Float64Array.from(others, (place) => cities[place] as number);
  const order = sortByKeys(keys, (a, b) => (others[a] as number) - (others[b] as number));
  const members = Uint32Array.from(order, (at) => others[at] as number);
  const standing = [...findStandingCities(cities, placed)].sort(([a], [b]) => a - b);
  return encodeBundle(PLACE_CITIES_SCHEMA, { cities, members, ...listCentres(standing), ...listNames(tree, standing) });
}

type StandingCity = readonly [place: number, city: NamedCity];

function listCentres(found: readonly StandingCity[]) {
  if (found.length === 0) return { centred: new Uint32Array(), centres: new Float64Array() };
  const tree = new KDBush(found.length, POINT_NODE_SIZE, Float64Array);
  for (const [, { latitude, longitude }] of found) tree.add(longitude, latitude);
  const { ids } = tree.finish();
  const centred = Uint32Array.from(ids, (at) => (found[at] as StandingCity)[0]);
  return { centred, centres: tree.coords as Float64Array };
}

function listNames(tree: CountryTree, standing: readonly StandingCity[]) {
  const found = standing.flatMap(([place, city]) => {
    const name = nameOfCity(tree, place, city);
    return name === undefined ? [] : [{ place, bytes: Buffer.from(name) }];
  });
  return {
    named: Uint32Array.from(found, ({ place }) => place),
    nameStarts: startsOf(found.map(({ bytes }) => bytes.length)),
    nameText: new Uint8Array(Buffer.concat(found.map(({ bytes }) => bytes))),
  };
}
