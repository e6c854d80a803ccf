/** Endpoint 3: the places of a country, of all levels or of one level, by name then id. */
import type { ByteString } from '../store/byte-string.js';
import { orderedPlaces } from '../store/place-orders.js';
import { isPlace } from '../store/place-tree.js';
import { placeJson, placeJsonAndComma } from '../store/rendered-places.js';
import type { Snapshot } from '../store/snapshot.js';
import { findStructures } from './find-country.js';
import { type PageRequest, paginate } from './pagination.js';

interface ListPlacesRequest extends PageRequest {
  readonly country: string;
  /** 1 to 4; undefined for all levels. */
  readonly level: number | undefined;
}

/** Throws DomainError COUNTRY_NOT_FOUND or NO_POSTCODE_DATA. */
export function listPlaces(snapshot: Snapshot, request: ListPlacesRequest): ByteString {
  const { orders, tree, renderedPlaces } = findStructures(snapshot, request.country);
  const places = orderedPlaces(orders, tree, request.level);
  const { start, end, before, after } = paginate(request, places.length);
  // A damaged file can contain numbers that aren't places. Such a number has no text, but the last place must have one.
  let last = end - 1;
  while (last > start && !isPlace(tree, places[last] as number)) last--;
  let json = before;
  for (let position = start; position < last; position++) {
    json += placeJsonAndComma(renderedPlaces, places[position] as number);
  }
  if (end > start) json += placeJson(renderedPlaces, places[last] as number);
  return json + after;
}
