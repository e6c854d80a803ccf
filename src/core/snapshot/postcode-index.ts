/**
 * From a postal code to its places. Codes are stored in normal form, ascending by bytes. The hash table (see hash-table.ts)
 * uses their compact form, so codes that differ only in spaces and hyphens share a probe sequence, and a lookup prefers
 * the exact spelling among them. Each code's places are ordered by name then id.
 *
 *   codeOffsets  u32[k+1]  start of each code in codeText
 *   codeText     u8[]      UTF-8
 *   placeStarts  u32[k+1]  start of each code's places
 *   places       u32[]     place numbers
 *   slots        u32[]     code number plus one, or 0
 */

import {
  arrayRangeAt,
  type Bundle,
  bufferOfArray,
  checkBundledLength,
  checkBundledOffsets,
  decodeBundle,
  type Range,
} from './array-bundle.js';
import { lowerBound } from './binary-search.js';
import { checkSlotCount, hashText, probeSlots } from './hash-table.js';
import { compactPostcode } from './postcode-spelling.js';

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
  checkBundledLength(`${where}.placeStarts`, index.placeStarts, codeCount + 1);
  checkSlotCount(index.slots, codeCount, `${where}.slots`);
  checkBundledOffsets(`${where}.codeOffsets`, index.codeOffsets, index.codeText.length);
  checkBundledOffsets(`${where}.placeStarts`, index.placeStarts, index.places.length);
  return { ...index, codeText: bufferOfArray(index.codeText), codeCount };
}

const HYPHEN = 0x2d;
const SPACE = 0x20;

export interface PostcodeMatch {
  /** The code in the spelling of the dataset. */
  readonly postcode: string;
  /** The code's number: codes are numbered in the order of their bytes, from 0. */
  readonly number: number;
  /** A view of the code's places, by name then id. */
  readonly places: Uint32Array;
}

/**
 * The places of a code, given in normal form: of exactly this code if it exists, otherwise of the first code that is
 * equal in compact form (without spaces and hyphens); undefined if there is neither. One probe, about a microsecond.
 */
export function findPostcode(
  index: PostcodeIndex,
  normalized: string,
  compact: string = compactPostcode(normalized),
): PostcodeMatch | undefined {
  let found: number | undefined;
  let postcode = normalized;
  const first = compact.charCodeAt(0);
  probeSlots(index.slots, hashText(compact), (code) => {
    if (startsOtherwise(index, code, first)) return false;
    const spelling = indexedPostcode(index, code);
    const isExact = spelling === normalized;
    if (isExact || (compactPostcode(spelling) === compact && (found === undefined || code < found))) {
      found = code;
      postcode = spelling;
    }
    return isExact;
  });
  return found === undefined ? undefined : { postcode, number: found, places: indexedPostcodePlaces(index, found) };
}

/**
 * The numbers of the codes that start with `prefix` without regard to spaces and hyphens; `prefix` has none. Where a
 * country's codes have separators in different positions, codes of the other forms can be missing.
 */
export function findPostcodesStarting(index: PostcodeIndex, prefix: string): Range {
  const { codeCount } = index;
  const bytes = Buffer.from(prefix);
  const start = lowerBound(0, codeCount, (code) => compareStart(index, code, bytes) < 0);
  return { start, end: lowerBound(start, codeCount, (code) => compareStart(index, code, bytes) === 0) };
}

/** The numbers of the codes whose first characters, separators included, are `prefix`. */
export function postcodesWithPrefix(index: PostcodeIndex, prefix: string, within?: Range): Range {
  const bytes = Buffer.from(prefix);
  const { start: first, end: last } = within ?? { start: 0, end: index.codeCount };
  const start = lowerBound(first, last, (code) => comparePrefix(index, code, bytes) < 0);
  return { start, end: lowerBound(start, last, (code) => comparePrefix(index, code, bytes) === 0) };
}

/** Compares the first bytes of a code with `prefix`; 0 if it starts with `prefix`. */
function comparePrefix({ codeText, codeOffsets }: PostcodeIndex, code: number, prefix: Uint8Array): number {
  const start = codeOffsets[code] as number;
  const end = Math.min(codeOffsets[code + 1] as number, start + MAX_CODE_BYTES, codeText.length);
  for (let at = 0; at < prefix.length; at++) {
    if (start + at >= end) return -1;
    const difference = (codeText[start + at] as number) - (prefix[at] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The number of the first code after `compact`, compared without separators; the number of codes if there is none. */
export function findPostcodeAfter(index: PostcodeIndex, compact: string): number {
  const bytes = Buffer.from(compact);
  return lowerBound(0, index.codeCount, (code) => compareStart(index, code, bytes) <= 0);
}

/** Compares a code without its separators with `prefix`; 0 if it starts with `prefix`. */
function compareStart({ codeText, codeOffsets }: PostcodeIndex, code: number, prefix: Uint8Array): number {
  const start = codeOffsets[code] as number;
  const end = Math.min(codeOffsets[code + 1] as number, start + MAX_CODE_BYTES, codeText.length);
  let at = 0;
  for (let from = start; at < prefix.length; from++) {
    if (from >= end) return -1;
    const byte = codeText[from] as number;
    if (byte === HYPHEN || byte === SPACE) continue;
    const difference = byte - (prefix[at++] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether a code differs in its first character. This skips most codes of other hashes in the probe sequence. */
function startsOtherwise({ codeText, codeOffsets }: PostcodeIndex, code: number, first: number): boolean {
  const byte = codeText[codeOffsets[code] as number];
  return byte !== first && byte !== HYPHEN && first < 0x80;
}

/** The spelling of code number `code`. */
export function indexedPostcode(index: PostcodeIndex, code: number): string {
  const { start, end } = arrayRangeAt(index.codeOffsets, code, index.codeText.length);
  return index.codeText.toString('utf8', start, Math.min(end, start + MAX_CODE_BYTES));
}

/** A view of the places of code number `code`, by name then id. */
export function indexedPostcodePlaces(index: PostcodeIndex, code: number): Uint32Array {
  const { start, end } = arrayRangeAt(index.placeStarts, code, index.places.length);
  return index.places.subarray(start, end);
}
