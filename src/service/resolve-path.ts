/**
 * Endpoint 6: the place with a path or, if no place has it, the place that had it in the previous snapshot. Segments are
 * compared as slugs, so "/Île-de-France" is found.
 */
import { slugOf } from '../format/slug.js';
import type { ByteString } from '../store/byte-string.js';
import { findByOldPath } from '../store/old-paths.js';
import { findByPath } from '../store/path-trie.js';
import type { Snapshot } from '../store/snapshot.js';
import { DomainError } from './domain-error.js';
import { findStructures } from './find-country.js';
import { type Include, renderPlaceDetail } from './place-detail.js';

interface ResolvePathRequest {
  readonly country: string;
  /** 1 to 4 segments, percent-decoded once. */
  readonly segments: readonly string[];
  readonly include?: Include;
}

/** Throws DomainError COUNTRY_NOT_FOUND, NO_POSTCODE_DATA or PLACE_NOT_FOUND. */
export function resolvePath(snapshot: Snapshot, { country, segments, include }: ResolvePathRequest): ByteString {
  const structures = findStructures(snapshot, country);
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
