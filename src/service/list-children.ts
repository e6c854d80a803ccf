/** Endpoint 5: the direct children of a place, by name then id. Each page is one slice of the file. */

import { childRange } from '../store/place-tree.js';
import { placeRangeJson } from '../store/rendered-places.js';
import type { Snapshot } from '../store/snapshot.js';
import { findStructures } from './find-country.js';
import { findPlace } from './find-place.js';
import { type PageRequest, paginate } from './pagination.js';
import { concatenate, type ResponseData } from './response-data.js';

interface ListChildrenRequest extends PageRequest {
  readonly country: string;
  /** A UUID. */
  readonly id: string;
}

/** Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or PLACE_NOT_FOUND. */
export function listChildren(snapshot: Snapshot, request: ListChildrenRequest): ResponseData {
  const structures = findStructures(snapshot, request.country);
  const children = childRange(structures.tree, findPlace(structures, request.country, request.id));
  const { start, end, before, after } = paginate(request, children.end - children.start);
  return concatenate(
    before,
    placeRangeJson(structures.renderedPlaces, children.start + start, children.start + end),
    after,
  );
}
