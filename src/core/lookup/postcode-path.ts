/**
 * The path of a postal code's page behind its country's slug: `/postcode/10115`, or `/postcode:10115` if a place has the
 * first path (a region called "Postcode" with a place called as the code). No place has the second: slugs are made of a-z,
 * 0-9 and hyphens.
 */

import { oncePer } from '../../base/once-per.js';
import { findByPath } from '../snapshot/path-trie.js';
import { slugOf } from '../snapshot/slug.js';
import type { CountryStructures } from '../snapshot/snapshot.js';

/** The segment before a code. */
const POSTCODE_SEGMENT = 'postcode';

/** `code` is a code as the data have it. */
export function postcodePathIn(structures: CountryStructures, code: string): string {
  const separator = isPlacePath(structures, code) ? ':' : '/';
  return `/${POSTCODE_SEGMENT}${separator}${encodeURIComponent(code)}`;
}

/** Hardly a country has a place of that name. Pages with a hundred codes ask a hundred times. */
const hasPlaceCalledPostcode = oncePer(
  (structures: CountryStructures) => findByPath(structures, [POSTCODE_SEGMENT]) !== undefined,
);

function isPlacePath(structures: CountryStructures, code: string): boolean {
  return hasPlaceCalledPostcode(structures) && findByPath(structures, [POSTCODE_SEGMENT, slugOf(code)]) !== undefined;
}
