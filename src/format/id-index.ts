/**
 * From a place's id to its number: a hash table (see hash.ts). The hash is the id's first four bytes, which are part of
 * a SHA-1 digest and so evenly distributed. The ids themselves are in the place tree.
 *
 *   slots  u32[]  place number plus one, or 0
 */
import { type Bundle, decodeBundle } from './array-bundle.js';
import { checkSlotCount } from './hash.js';
import { idPrefixAt } from './place-id.js';

export const ID_INDEX_SCHEMA = { slots: 'u32' } as const;

export type IdIndex = Bundle<typeof ID_INDEX_SCHEMA>;

/** The hash of id number `index` of a list. */
export function hashPlaceId(ids: Uint8Array, index: number): number {
  return idPrefixAt(ids, index);
}

export function decodeIdIndex(bytes: Uint8Array, where: string, placeCount: number): IdIndex {
  const index = decodeBundle(ID_INDEX_SCHEMA, bytes, where);
  checkSlotCount(index.slots, placeCount, `${where}.slots`);
  return index;
}
