/**
 * Place ids: UUIDs of version 5 (RFC 9562, 5.5), the SHA-1 of a place's identity. The identity doesn't depend on the
 * place's position in the file, so an id survives the next release; build-index/tree/place-identities.ts defines it.
 *
 * In the snapshot an id is its 16 bytes in the order of its text. Text is 36 lower-case characters.
 */

import { hash } from 'node:crypto';
import { type Bundle, decodeBundle } from './array-bundle.js';
import { checkSlotCount, probeSlots } from './hash-table.js';

export const ID_BYTES = 16;
export const ID_TEXT_LENGTH = 36;

/**
 * This project's UUID namespace, 706f7374-616c-4ac3-a970-6c616365732e, as the text with these bytes in UTF-8. Namespace
 * and identity can so be hashed as one string, which takes half the time of bytes. A change would change every id.
 */
const NAMESPACE = 'postalJ\u00e9places.';

const HEX_DIGITS = Buffer.from('0123456789abcdef', 'latin1');
const HYPHEN = 0x2d;
/** In DIGIT_VALUES: not a hexadecimal digit. */
const NO_DIGIT = 0xff;
/** The value of a hexadecimal digit, of either case, by its character code. */
const DIGIT_VALUES = Uint8Array.from({ length: 128 }, (_, unit) => {
  const value = '0123456789abcdef'.indexOf(String.fromCharCode(unit).toLowerCase());
  return value < 0 ? NO_DIGIT : value;
});

/** An empty list of ids: their bytes in one array. */
export function createIds(count: number): Uint8Array {
  return new Uint8Array(count * ID_BYTES);
}

/** A view of the 16 bytes of id number `index` of a list. */
export function idAt(ids: Uint8Array, index: number): Uint8Array {
  return ids.subarray(index * ID_BYTES, (index + 1) * ID_BYTES);
}

/** Copies one or more ids into a list, from number `index` on. */
export function setIds(ids: Uint8Array, index: number, values: Uint8Array): void {
  ids.set(values, index * ID_BYTES);
}

/** Copies id number `fromIndex` of the list `from`, without the cost of a view for each id. */
export function copyId(ids: Uint8Array, index: number, from: Uint8Array, fromIndex: number): void {
  for (let byte = 0; byte < ID_BYTES; byte++) {
    ids[index * ID_BYTES + byte] = from[fromIndex * ID_BYTES + byte] as number;
  }
}

/** Whether id number `index` of a list is these 16 bytes. */
export function isIdAt(ids: Uint8Array, index: number, id: Uint8Array): boolean {
  for (let byte = 0; byte < ID_BYTES; byte++) if (ids[index * ID_BYTES + byte] !== id[byte]) return false;
  return true;
}

/** 52 of the 122 random bits of id number `index` of a list, as one number. Two ids rarely have the same digest. */
export function idDigestAt(ids: Uint8Array, index: number): number {
  return uint32At(ids, index * ID_BYTES) * 0x100000 + (uint32At(ids, index * ID_BYTES + 12) >>> 12);
}

function uint32At(bytes: Uint8Array, offset: number): number {
  const at = (index: number) => bytes[offset + index] as number;
  return ((at(0) << 24) | (at(1) << 16) | (at(2) << 8) | at(3)) >>> 0;
}

/**
 * Writes the id of `identity` (its SHA-1, with the bits of version 5 and the variant set) as number `index` of a list.
 */
export function writePlaceId(identity: string, ids: Uint8Array, index: number): void {
  const digest = hash('sha1', NAMESPACE + identity, 'binary');
  const offset = index * ID_BYTES;
  for (let byte = 0; byte < ID_BYTES; byte++) ids[offset + byte] = digest.charCodeAt(byte);
  ids[offset + 6] = ((ids[offset + 6] as number) & 0x0f) | 0x50;
  ids[offset + 8] = ((ids[offset + 8] as number) & 0x3f) | 0x80;
}

/** The texts of a list of ids. Decoding them as one text takes a tenth of the time of decoding each. */
export function decodePlaceIds(ids: Uint8Array): string[] {
  const count = ids.length / ID_BYTES;
  const bytes = Buffer.allocUnsafe(count * ID_TEXT_LENGTH);
  let end = 0;
  for (let index = 0; index < ids.length; index++) {
    const position = index % ID_BYTES;
    if (hasHyphenBefore(position)) bytes[end++] = HYPHEN;
    const byte = ids[index] as number;
    bytes[end++] = HEX_DIGITS[byte >> 4] as number;
    bytes[end++] = HEX_DIGITS[byte & 15] as number;
  }
  const text = bytes.toString('latin1');
  const texts = new Array<string>(count);
  for (let id = 0; id < count; id++) texts[id] = text.slice(id * ID_TEXT_LENGTH, (id + 1) * ID_TEXT_LENGTH);
  return texts;
}

/** Whether the text of an id has a hyphen before byte number `byte`. */
function hasHyphenBefore(byte: number): boolean {
  return byte === 4 || byte === 6 || byte === 8 || byte === 10;
}

/** Whether a text is a UUID, in either case. */
export function isPlaceId(text: string): boolean {
  return parsePlaceId(text) !== undefined;
}

/**
 * The 16 bytes of a UUID in text, in either case; undefined if it isn't one. Takes a tenth of the time of a regular
 * expression and a Buffer.
 */
export function parsePlaceId(text: string): Uint8Array | undefined {
  if (text.length !== ID_TEXT_LENGTH) return undefined;
  const id = new Uint8Array(ID_BYTES);
  let at = 0;
  for (let byte = 0; byte < ID_BYTES; byte++) {
    if (hasHyphenBefore(byte) && text.charCodeAt(at++) !== HYPHEN) return undefined;
    const high = DIGIT_VALUES[text.charCodeAt(at++)] ?? NO_DIGIT;
    const low = DIGIT_VALUES[text.charCodeAt(at++)] ?? NO_DIGIT;
    if (high === NO_DIGIT || low === NO_DIGIT) return undefined;
    id[byte] = high * 16 + low;
  }
  return id;
}

/** Compares the ids number `a` and `b` of a list, in the order of their texts. */
export function comparePlaceIds(ids: Uint8Array, a: number, b: number): number {
  for (let index = 0; index < ID_BYTES; index++) {
    const difference = (ids[a * ID_BYTES + index] as number) - (ids[b * ID_BYTES + index] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/*
 * From a place's id to its number: a hash table (see hash-table.ts). The hash is the id's first four bytes, which are part of
 * a SHA-1 digest and so evenly distributed. The ids themselves are in the place tree.
 *
 *   slots  u32[]  place number plus one, or 0
 */

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
