/** Endpoint 5: the direct children of a place, by name then id. One slice of the file, whatever the page. */
import { placeRangeJson } from '../store/place-answers.js';
import { childRange } from '../store/place-tree.js';
import type { Snapshot } from '../store/snapshot.js';
import { findStructures } from './find-country.js';
import { findPlace } from './find-place.js';
import { around, type JsonAnswer } from './json-answer.js';
import { cutPage, type PageRequest } from './place-page.js';

interface ListChildrenRequest extends PageRequest {
  readonly country: string;
  /** A UUID. */
  readonly id: string;
}

/** Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or PLACE_NOT_FOUND. */
export function listChildren(snapshot: Snapshot, request: ListChildrenRequest): JsonAnswer {
  const structures = findStructures(snapshot, request.country);
  const children = childRange(structures.tree, findPlace(structures, request.country, request.id));
  const { start, end, before, after } = cutPage(request, children.end - children.start);
  return around(before, placeRangeJson(structures.answers, children.start + start, children.start + end), after);
}
