/** Endpoint 3: the places of a country, of all levels or of one, by name then id. */
import { placeJson, placeJsonAndComma } from '../store/place-answers.js';
import { orderedPlaces } from '../store/place-orders.js';
import type { Snapshot } from '../store/snapshot.js';
import { findStructures } from './find-country.js';
import type { JsonPieces } from './json-pieces.js';
import { type PageRequest, renderPage } from './place-page.js';

interface ListPlacesRequest extends PageRequest {
  readonly country: string;
  /** 1 to 4; undefined for all levels. */
  readonly level: number | undefined;
}

/** Throws DomainError COUNTRY_NOT_FOUND or NO_POSTCODE_DATA. */
export function listPlaces(snapshot: Snapshot, request: ListPlacesRequest): JsonPieces {
  const { orders, tree, answers } = findStructures(snapshot, request.country);
  const places = orderedPlaces(orders, tree, request.level);
  return renderPage(request, places.length, (pieces, start, end) => {
    // A piece for each comma would cost as much as one for each place.
    for (let position = start; position < end - 1; position++) {
      pieces.push(placeJsonAndComma(answers, places[position] as number));
    }
    if (end > start) pieces.push(placeJson(answers, places[end - 1] as number));
  });
}
