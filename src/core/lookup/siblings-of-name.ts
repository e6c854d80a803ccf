/**
 * A place with its siblings of the same name: the rows of one town, where the release has one for each code. Siblings are
 * ordered by name, so these have consecutive numbers. A place costs two binary searches.
 */

import type { Range } from '../snapshot/array-bundle.js';
import { lowerBound } from '../snapshot/binary-search.js';
import { childrenOf, parentOf } from '../snapshot/place-tree.js';
import { FIELD_OFFSETS, NAME_START, renderedFieldOffset } from '../snapshot/rendered-places.js';
import type { CountryStructures } from '../snapshot/snapshot.js';

/** Maximum length of names that are compared, in bytes. Real names have up to 200; a damaged file's can be longer. */
const MAX_COMPARED_BYTES = 400;

/** The place and its siblings with its name, of all types. */
export function siblingsOfName({ tree, renderedPlaces }: CountryStructures, own: number): Range {
  const { start, end } = childrenOf(tree, parentOf(tree, own));
  const hasName = (place: number): boolean => place === own || haveOneName(renderedPlaces, own, place);
  return {
    // In a damaged file a place can lie outside of the range of its siblings.
    start: lowerBound(Math.min(start, own), own, (place) => !hasName(place)),
    end: lowerBound(own, Math.max(end, own + 1), hasName),
  };
}

/** Whether two places have the same name in the same unit: they are one town, or parts of it. */
export function isSameNameInUnit({ tree, renderedPlaces }: CountryStructures, a: number, b: number): boolean {
  return tree.parents[a] === tree.parents[b] && haveOneName(renderedPlaces, a, b);
}

/** Whether two places have the same name, byte for byte. */
export function haveOneName(rendered: CountryStructures['renderedPlaces'], a: number, b: number): boolean {
  const { text, offsets } = rendered;
  const length = renderedFieldOffset(rendered, a, FIELD_OFFSETS.nameEnd) - NAME_START;
  if (length > MAX_COMPARED_BYTES || renderedFieldOffset(rendered, b, FIELD_OFFSETS.nameEnd) - NAME_START !== length)
    return false;
  const startA = (offsets[a] as number) + NAME_START;
  const startB = (offsets[b] as number) + NAME_START;
  for (let at = 0; at < length; at++) if (text[startA + at] !== text[startB + at]) return false;
  return true;
}
