/** From a postal code to its places (src/format/postcode-index.ts): one probe, about a microsecond. */
import { probeSlots } from '../format/hash.js';
import { compactPostcode } from '../format/postcode.js';
import { hashPostcode, type PostcodeIndex } from '../format/postcode-index.js';

export interface PostcodeMatch {
  /** The code as the dataset has it. */
  readonly postcode: string;
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
  return found === undefined ? undefined : { postcode: codeText(index, found), places: codePlaces(index, found) };
}

/** The spelling of code number `code`. */
export function codeText(index: PostcodeIndex, code: number): string {
  const { buffer, byteOffset } = index.codeText;
  const start = index.codeOffsets[code] as number;
  return Buffer.from(buffer, byteOffset + start, (index.codeOffsets[code + 1] as number) - start).toString('utf8');
}

/** The places of code number `code`, by name then id: a view. */
export function codePlaces(index: PostcodeIndex, code: number): Uint32Array {
  return index.places.subarray(index.placeStarts[code], index.placeStarts[code + 1]);
}
