/** Writes the id index (src/format/id-index.ts). */
import { encodeBundle } from '../../src/format/array-bundle.js';
import { buildSlots } from '../../src/format/hash.js';
import { ID_INDEX_SCHEMA } from '../../src/format/id-index.js';
import type { CountryTree } from '../tree/country-tree.js';

export function buildIdIndex(tree: CountryTree): Uint8Array[] {
  const hashOf = (place: number): number => Number.parseInt((tree.idHexes[place] as string).slice(0, 8), 16);
  return encodeBundle(ID_INDEX_SCHEMA, { slots: buildSlots(tree.placeCount, hashOf) });
}
