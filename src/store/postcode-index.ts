/** Finds the places of a postal code (src/format/postcode-index.ts): one probe, about a microsecond. */
import { hashText, probeSlots } from '../format/hash.js';
import { compactPostcode } from '../format/postcode.js';
import { MAX_CODE_BYTES, type PostcodeIndex } from '../format/postcode-index.js';
import { rangeAt } from './mapped-numbers.js';

const HYPHEN = 0x2d;

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
 * equal in compact form (without spaces and hyphens); undefined if there is neither.
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
    const spelling = codeText(index, code);
    const isExact = spelling === normalized;
    if (isExact || (compactPostcode(spelling) === compact && (found === undefined || code < found))) {
      found = code;
      postcode = spelling;
    }
    return isExact;
  });
  return found === undefined ? undefined : { postcode, number: found, places: codePlaces(index, found) };
}

/** Whether a code differs in its first character. This skips most codes of other hashes in the probe sequence. */
function startsOtherwise({ codeText, codeOffsets }: PostcodeIndex, code: number, first: number): boolean {
  const byte = codeText[codeOffsets[code] as number];
  return byte !== first && byte !== HYPHEN && first < 0x80;
}

/** The spelling of code number `code`. */
export function codeText(index: PostcodeIndex, code: number): string {
  const { start, end } = rangeAt(index.codeOffsets, code, index.codeText.length);
  return index.codeText.toString('utf8', start, Math.min(end, start + MAX_CODE_BYTES));
}

/** A view of the places of code number `code`, by name then id. */
export function codePlaces(index: PostcodeIndex, code: number): Uint32Array {
  const { start, end } = rangeAt(index.placeStarts, code, index.places.length);
  return index.places.subarray(start, end);
}
