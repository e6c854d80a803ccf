/** Writes the place tree (src/core/snapshot/place-tree.ts). */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { PLACE_TREE_SCHEMA } from '../../src/core/snapshot/place-tree.js';
import type { CountryTree } from '../tree/country-tree.js';

export function buildPlaceTree({ levelStarts, ids, parents, childStarts }: CountryTree): Uint8Array[] {
  return encodeBundle(PLACE_TREE_SCHEMA, { levelStarts, ids, parents, childStarts });
}
