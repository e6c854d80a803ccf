/** Writes the place tree (src/format/place-tree.ts). */
import { encodeBundle } from '../../src/format/array-bundle.js';
import { PLACE_TREE_SCHEMA } from '../../src/format/place-tree.js';
import type { CountryTree } from '../tree/country-tree.js';

export function buildPlaceTree({ levelStarts, ids, parents, childStarts }: CountryTree): Uint8Array[] {
  return encodeBundle(PLACE_TREE_SCHEMA, { levelStarts, ids, parents, childStarts });
}
