/** Finds a place by its id (src/format/id-index.ts): one probe, below a microsecond. */
import { probeSlots } from '../format/hash.js';
import { hashPlaceId, type IdIndex } from '../format/id-index.js';
import { isIdAt } from '../format/place-id.js';
import type { PlaceTree } from '../format/place-tree.js';

/** The place with this id of 16 bytes; undefined if there is none. */
export function findById(index: IdIndex, tree: PlaceTree, id: Uint8Array): number | undefined {
  let found: number | undefined;
  probeSlots(index.slots, hashPlaceId(id, 0), (place) => {
    if (isIdAt(tree.ids, place, id)) found = place;
    return found !== undefined;
  });
  return found;
}
