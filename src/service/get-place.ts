/** Endpoint 4: one place with its ancestors. */
import type { ByteString } from '../store/byte-string.js';
import type { Snapshot } from '../store/snapshot.js';
import { findStructures } from './find-country.js';
import { findPlace } from './find-place.js';
import { type Include, renderPlaceDetail } from './place-detail.js';

/** Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or PLACE_NOT_FOUND. */
export function getPlace(
  snapshot: Snapshot,
  { country, id, include }: { readonly country: string; readonly id: string; readonly include?: Include },
): ByteString {
  const structures = findStructures(snapshot, country);
  return renderPlaceDetail(structures, findPlace(structures, country, id), include);
}
