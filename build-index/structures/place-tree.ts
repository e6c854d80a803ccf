/** Writes the place tree (src/format/place-tree.ts). */
import { encodeBundle } from '../../src/format/array-bundle.js';
import { ID_BYTES } from '../../src/format/place-id.js';
import { PLACE_TREE_SCHEMA } from '../../src/format/place-tree.js';
import type { CountryTree } from '../tree/country-tree.js';

export function buildPlaceTree(tree: CountryTree): Uint8Array[] {
  const ids = Buffer.alloc(tree.placeCount * ID_BYTES);
  tree.idHexes.forEach((hex, place) => {
    ids.write(hex, place * ID_BYTES, 'hex');
  });
  const { levelStarts, parents, childStarts } = tree;
  return encodeBundle(PLACE_TREE_SCHEMA, { levelStarts, ids, parents, childStarts });
}
