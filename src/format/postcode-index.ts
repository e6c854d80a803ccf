/**
 * From a postal code to its places. Codes are stored in normal form, ascending by bytes. The hash table (see hash.ts)
 * uses their compact form, so codes that differ only in spaces and hyphens share a probe sequence, and a lookup prefers
 * the exact spelling among them. Each code's places are ordered by name then id.
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

/**
 * Maximum length of a code in bytes, which bounds what a damaged file can return. Codes of a release have up to 20
 * characters, upper case can turn one character into three, and a character takes up to four bytes: 240.
 */
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
