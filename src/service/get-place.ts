/** Endpoint 4: one place with its ancestors. */
import type { Snapshot } from '../store/snapshot.js';
import { findStructures } from './find-country.js';
import { findPlace } from './find-place.js';
import type { JsonPieces } from './json-pieces.js';
import { appendPlaceDetail } from './place-detail.js';

/** Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or PLACE_NOT_FOUND. */
export function getPlace(
  snapshot: Snapshot,
  { country, id }: { readonly country: string; readonly id: string },
): JsonPieces {
  const structures = findStructures(snapshot, country);
  const pieces: JsonPieces = [];
  appendPlaceDetail(pieces, structures, findPlace(structures, country, id));
  return pieces;
}
