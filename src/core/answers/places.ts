/** Endpoints 3 to 6: the places of a country, one place with its ancestors, its children, and the place of a path. */

import { findCountryStructures } from '../lookup/countries.js';
import { DomainError } from '../lookup/domain-error.js';
import { findPlace } from '../lookup/places.js';
import type { ByteString } from '../snapshot/byte-string.js';
import { findByOldPath } from '../snapshot/old-paths.js';
import { findByPath } from '../snapshot/path-trie.js';
import { orderedPlaces } from '../snapshot/place-orders.js';
import { childRange, isPlace } from '../snapshot/place-tree.js';
import { placeJson, placeJsonAndComma, shownRangeJson } from '../snapshot/rendered-places.js';
import { slugOf } from '../snapshot/slug.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { type PageRequest, paginate } from './page.js';
import { type Include, renderPlaceDetail } from './place-detail.js';
import { joinResponse, type ResponseData } from './response-data.js';

interface ListPlacesRequest extends PageRequest {
  readonly country: string;
  /** 1 to 4; undefined for all levels. */
  readonly level: number | undefined;
}

export function listPlaces(snapshot: Snapshot, request: ListPlacesRequest): ByteString {
  const { orders, tree, renderedPlaces } = findCountryStructures(snapshot, request.country);
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

/* Endpoint 4: one place with its ancestors. */

export function getPlace(
  snapshot: Snapshot,
  { country, id, include }: { readonly country: string; readonly id: string; readonly include?: Include },
): ByteString {
  const structures = findCountryStructures(snapshot, country);
  return renderPlaceDetail(structures, findPlace(structures, country, id), include);
}

/* Endpoint 5: the direct children of a place, by name then id. Each page is one slice of the file. */

interface ListChildrenRequest extends PageRequest {
  readonly country: string;
  /** A UUID. */
  readonly id: string;
}

export function listChildren(snapshot: Snapshot, request: ListChildrenRequest): ResponseData {
  const structures = findCountryStructures(snapshot, request.country);
  const children = childRange(structures.tree, findPlace(structures, request.country, request.id));
  const { start, end, before, after } = paginate(request, children.end - children.start);
  return joinResponse(
    before,
    shownRangeJson(structures.renderedPlaces, children.start + start, children.start + end),
    after,
  );
}

/*
 * Endpoint 6: the place with a path or, if no place has it, the place that had it in the previous snapshot. Segments are
 * compared as slugs, so "/Île-de-France" is found.
 */

interface ResolvePathRequest {
  readonly country: string;
  /** 1 to 4 segments, percent-decoded once. */
  readonly segments: readonly string[];
  readonly include?: Include;
}

export function resolvePath(snapshot: Snapshot, { country, segments, include }: ResolvePathRequest): ByteString {
  const structures = findCountryStructures(snapshot, country);
  const slugs = segments.map(slugOf);
  const place = findByPath(structures, slugs) ?? findByOldPath(structures, slugs);
  if (place === undefined) {
    throw new DomainError(
      'PLACE_NOT_FOUND',
      `There is no place with the path /${slugs.join('/').slice(0, 100)} in ${country}.`,
    );
  }
  return renderPlaceDetail(structures, place, include);
}
