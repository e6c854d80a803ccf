/** From a postal code to its places (src/format/postcode-index.ts): one probe, about a microsecond. */
import { probeSlots } from '../format/hash.js';
import { compactPostcode } from '../format/postcode.js';
import { hashPostcode, MAX_CODE_BYTES, type PostcodeIndex } from '../format/postcode-index.js';
import { rangeAt } from './mapped-numbers.js';

export interface PostcodeMatch {
  /** The code as the dataset has it. */
  readonly postcode: string;
  /** Its number: codes are numbered in the order of their bytes, from 0. */
  readonly number: number;
  /** Its places by name then id: a view. */
  readonly places: Uint32Array;
}

/**
 * The places of a code given in normal form: of exactly this code where it exists, otherwise of the first one that is
 * the same without spaces and hyphens; undefined where there is neither.
 */
export function findPostcode(index: PostcodeIndex, normalized: string): PostcodeMatch | undefined {
  const compact = compactPostcode(normalized);
  let found: number | undefined;
  probeSlots(index.slots, hashPostcode(normalized), (code) => {
    const spelling = codeText(index, code);
    if (spelling === normalized) {
      found = code;
      return true;
    }
    if (compactPostcode(spelling) === compact && (found === undefined || code < found)) found = code;
    return false;
  });
  if (found === undefined) return undefined;
  return { postcode: codeText(index, found), number: found, places: codePlaces(index, found) };
}

/** The spelling of code number `code`. */
export function codeText(index: PostcodeIndex, code: number): string {
  const { buffer, byteOffset, length } = index.codeText;
  const { start, end } = rangeAt(index.codeOffsets, code, length);
  return Buffer.from(buffer, byteOffset + start, Math.min(end - start, MAX_CODE_BYTES)).toString('utf8');
}

/** The places of code number `code`, by name then id: a view. */
export function codePlaces(index: PostcodeIndex, code: number): Uint32Array {
  const { start, end } = rangeAt(index.placeStarts, code, index.places.length);
  return index.places.subarray(start, end);
}
