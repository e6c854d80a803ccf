/** From an id to its place (src/format/id-index.ts): one probe, below a microsecond. */
import { probeSlots } from '../format/hash.js';
import { hashPlaceId, type IdIndex } from '../format/id-index.js';
import { ID_BYTES } from '../format/place-id.js';
import type { PlaceTree } from '../format/place-tree.js';

/** The place whose id is these 16 bytes; undefined where there is none. */
export function findById(index: IdIndex, tree: PlaceTree, id: Uint8Array): number | undefined {
  let found: number | undefined;
  probeSlots(index.slots, hashPlaceId(id, 0), (place) => {
    if (hasId(tree, place, id)) found = place;
    return found !== undefined;
  });
  return found;
}

function hasId(tree: PlaceTree, place: number, id: Uint8Array): boolean {
  for (let byte = 0; byte < ID_BYTES; byte++) if (tree.ids[place * ID_BYTES + byte] !== id[byte]) return false;
  return true;
}
