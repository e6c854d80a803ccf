/**
 * From a place's id to its number: a hash table (hash-table.ts). The hash is the id's first four bytes, which are part of
 * a SHA-1 digest and so evenly distributed. The ids themselves are in the place tree.
 *
 *   slots  u32[]  place number plus one, or 0
 */

import { type Bundle, decodeBundle } from './array-bundle.js';
import { checkSlotCount, probeSlots } from './hash-table.js';
import { ID_BYTES, isIdAt, uint32At } from './place-id.js';

export const ID_INDEX_SCHEMA = { slots: 'u32' } as const;

export type IdIndex = Bundle<typeof ID_INDEX_SCHEMA>;

/** The hash of id number `index` of a list: its first four bytes, as an unsigned integer. */
export function hashPlaceId(ids: Uint8Array, index: number): number {
  return uint32At(ids, index * ID_BYTES);
}

export function decodeIdIndex(bytes: Uint8Array, where: string, placeCount: number): IdIndex {
  const index = decodeBundle(ID_INDEX_SCHEMA, bytes, where);
  checkSlotCount(index.slots, placeCount, `${where}.slots`);
  return index;
}

/** The place with this id of 16 bytes, by one probe, below a microsecond; undefined if there is none. */
export function findById(index: IdIndex, { ids }: { readonly ids: Uint8Array }, id: Uint8Array): number | undefined {
  let found: number | undefined;
  probeSlots(index.slots, hashPlaceId(id, 0), (place) => {
    if (isIdAt(ids, place, id)) found = place;
    return found !== undefined;
  });
  return found;
}
