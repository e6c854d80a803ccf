/**
 * Which city each place belongs to: the place that stands for the city. The builder decides (docs/contributing/cities.md).
 *
 *   cities    u32[n]   for each place its city; NO_CITY where it has none, as a unit around several towns. The place that
 *                      stands for a city is its own city, and so is a village
 *   members   u32[m]   the places whose city is another place, by city, then by number
 *   centred   u32[k]   the places that stand for cities of the gazetteer, in the order of centres
 *   centres   f64[2k]  longitude and latitude of the centre of each, a k-d tree (kd-tree.ts): the rows of a city can lie
 *                      far from it
 *   named     u32[j]   the places that stand for cities of another name, ascending: "Frankfurt am Main, Stadt"
 *   nameStarts u32[j+1] the start of the name of each city in nameText
 *   nameText  u8[]     UTF-8: "Frankfurt am Main"
 *
 * Worked example: Guri (1), Seoul (2) with its district Gangnam (5) and the leaves Gangnam (8) and Guri (9): cities[8] is 2,
 * cities[9] is 1, and members are 9, 5, 8.
 */

import { type Bundle, bufferOfArray, checkBundledLength, checkBundledOffsets, decodeBundle } from './array-bundle.js';
import { lowerBound } from './binary-search.js';
import type { TreePoints } from './kd-tree.js';

export const PLACE_CITIES_SCHEMA = {
  cities: 'u32',
  members: 'u32',
  centred: 'u32',
  centres: 'f64',
  named: 'u32',
  nameStarts: 'u32',
  nameText: 'u8',
} as const;

/** In place of the city of a place that has none. */
export const NO_CITY = 0xffff_ffff;

export type PlaceCities = Bundle<typeof PLACE_CITIES_SCHEMA>;

export function decodePlaceCities(bytes: Uint8Array, where: string, placeCount: number): PlaceCities {
  const cities = decodeBundle(PLACE_CITIES_SCHEMA, bytes, where);
  checkBundledLength(`${where}.cities`, cities.cities, placeCount);
  checkBundledLength(`${where}.centres`, cities.centres, 2 * cities.centred.length);
  checkBundledLength(`${where}.nameStarts`, cities.nameStarts, cities.named.length + 1);
  checkBundledOffsets(`${where}.nameStarts`, cities.nameStarts, cities.nameText.length);
  return cities;
}

/** The place that stands for the city of a place; undefined where there is none. */
export function cityOf({ cities }: { readonly cities: PlaceCities }, place: number): number | undefined {
  const city = cities.cities[place] as number;
  // In a damaged file the number can be any.
  return city < cities.cities.length ? city : undefined;
}

/** The same; the place itself where there is none. */
export function cityOfPlace(structures: { readonly cities: PlaceCities }, place: number): number {
  return cityOf(structures, place) ?? place;
}

/** The other places of a city, ascending; none for a place that stands for no city. */
export function membersOf(
  { cities: { cities, members } }: { readonly cities: PlaceCities },
  city: number,
): Uint32Array {
  const cityAt = (at: number): number => cities[members[at] as number] as number;
  const start = lowerBound(0, members.length, (at) => cityAt(at) < city);
  return members.subarray(
    start,
    lowerBound(start, members.length, (at) => cityAt(at) <= city),
  );
}

/** The centres of cities, each with the place that stands for the city. */
export function cityCentres({ cities: { centred, centres } }: { readonly cities: PlaceCities }): TreePoints {
  return { places: centred, degrees: (point, axis) => centres[point * 2 + axis] as number };
}

/** Maximum length in bytes of a name that is read: a damaged file's can be longer. */
const MAX_NAME_BYTES = 400;

/** The name of the city that a place stands for, where it is not the place's own; undefined elsewhere. */
export function ownCityName(
  { cities: { named, nameStarts, nameText } }: { readonly cities: PlaceCities },
  city: number,
): string | undefined {
  const at = lowerBound(0, named.length, (index) => (named[index] as number) < city);
  if (named[at] !== city) return undefined;
  const start = nameStarts[at] as number;
  const end = Math.min(nameStarts[at + 1] as number, start + MAX_NAME_BYTES);
  return bufferOfArray(nameText).toString('utf8', start, Math.max(start, end));
}
