/**
 * From a postal code to its places. Codes are stored in normal form, ascending by bytes; the hash table (see hash.ts)
 * is over their compact form, so codes that differ in spaces and hyphens only share a probe sequence and the exact
 * spelling is preferred among them. Each code's places are ordered by name then id.
 *
 *   codeOffsets  u32[k+1]  start of each code in codeText
 *   codeText     u8[]      UTF-8
 *   placeStarts  u32[k+1]  start of each code's places
 *   places       u32[]     place numbers
 *   slots        u32[]     code number plus one, or 0
 */
import { type Bundle, bufferOf, checkEnd, checkLength, decodeBundle } from './array-bundle.js';
import { checkSlotCount, hashText } from './hash.js';
import { compactPostcode } from './postcode.js';

export const POSTCODE_INDEX_SCHEMA = {
  codeOffsets: 'u32',
  codeText: 'u8',
  placeStarts: 'u32',
  places: 'u32',
  slots: 'u32',
} as const;

/** Longer than any code: a release's have 20 characters, and upper case can make three of one. */
export const MAX_CODE_BYTES = 256;

export type PostcodeIndex = Bundle<typeof POSTCODE_INDEX_SCHEMA> & {
  readonly codeText: Buffer;
  readonly codeCount: number;
};

/** The hash of a code given in normal form. */
export function hashPostcode(normalized: string): number {
  return hashText(compactPostcode(normalized));
}

export function decodePostcodeIndex(bytes: Uint8Array, where: string): PostcodeIndex {
  const index = decodeBundle(POSTCODE_INDEX_SCHEMA, bytes, where);
  const codeCount = index.codeOffsets.length - 1;
  checkLength(`${where}.placeStarts`, index.placeStarts, codeCount + 1);
  checkSlotCount(index.slots, codeCount, `${where}.slots`);
  checkEnd(`${where}.codeOffsets`, index.codeOffsets, index.codeText.length);
  checkEnd(`${where}.placeStarts`, index.placeStarts, index.places.length);
  return { ...index, codeText: bufferOf(index.codeText), codeCount };
}
