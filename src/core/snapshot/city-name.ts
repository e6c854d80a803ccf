/**
 * The name of a city: that of the place that stands for it in the languages of a view, else the city's own where the place
 * is called otherwise ("Frankfurt am Main, Stadt"), else that of the place.
 */

import { type ByteString, jsonByteString } from './byte-string.js';
import { ownCityName } from './place-cities.js';
import { parseNameJson } from './place-fields.js';
import { otherNameOf, placeNameJson } from './rendered-places.js';
import type { CountryStructures } from './snapshot.js';

/** As JSON. */
export function cityNameJson(structures: CountryStructures, city: number): ByteString {
  const { renderedPlaces } = structures;
  const other = otherNameOf(renderedPlaces, city);
  if (other !== undefined) return other;
  const own = ownCityName(structures, city);
  return own === undefined ? placeNameJson(renderedPlaces, city) : jsonByteString(own);
}

export function readCityName(structures: CountryStructures, city: number): string {
  return parseNameJson(cityNameJson(structures, city));
}
