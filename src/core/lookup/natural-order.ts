/**
 * The natural order of a country's postal codes: runs of digits compare as numbers, so SW2 comes before SW10. It is not in
 * the snapshot: its first use computes it, in up to 14 ms, and it stays as long as the snapshot, four bytes for a code.
 */

import { oncePer } from '../../base/once-per.js';
import type { Range } from '../snapshot/array-bundle.js';
import { MAX_CODE_BYTES, type PostcodeIndex } from '../snapshot/postcode-index.js';
import type { CountryStructures } from '../snapshot/snapshot.js';

const ZERO = 0x30;
const NINE = 0x39;

/** The numbers of a range of codes in natural order. */
export function inNaturalOrder({ postcodes }: CountryStructures, { start, end }: Range): Uint32Array {
  const order = naturalOrderOf(postcodes);
  if (order === undefined) return new Uint32Array(end - start).map((_, at) => start + at);
  return order.filter((code) => code >= start && code < end);
}

/** The numbers of the codes in natural order; undefined if they are numbered in this order. */
export const naturalOrderOf = oncePer((index: PostcodeIndex): Uint32Array | undefined => {
  let isOrdered = true;
  for (let code = 1; isOrdered && code < index.codeCount; code++)
    isOrdered = compareCodesNaturally(index, code - 1, code) < 0;
  if (isOrdered) return undefined;
  const numbers = new Uint32Array(index.codeCount).map((_, code) => code);
  return numbers.sort((a, b) => compareCodesNaturally(index, a, b));
});

/**
 * Compares two codes in natural order; codes that differ in leading zeros only, in the order of their bytes, which is
 * that of their numbers.
 */
export function compareCodesNaturally({ codeText: text, codeOffsets }: PostcodeIndex, a: number, b: number): number {
  let atA = codeOffsets[a] as number;
  let atB = codeOffsets[b] as number;
  const endA = Math.min(codeOffsets[a + 1] as number, atA + MAX_CODE_BYTES);
  const endB = Math.min(codeOffsets[b + 1] as number, atB + MAX_CODE_BYTES);
  while (atA < endA && atB < endB) {
    const byteA = text[atA] as number;
    const byteB = text[atB] as number;
    if (isDigit(byteA) && isDigit(byteB)) {
      const fromA = skipZeros(text, atA, endA);
      const fromB = skipZeros(text, atB, endB);
      atA = skipDigits(text, fromA, endA);
      atB = skipDigits(text, fromB, endB);
      const difference = atA - fromA - (atB - fromB) || compareBytes(text, fromA, fromB, atA - fromA);
      if (difference !== 0) return difference;
    } else {
      if (byteA !== byteB) return byteA - byteB;
      atA++;
      atB++;
    }
  }
  return endA - atA - (endB - atB) || a - b;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function skipZeros(text: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && text[at] === ZERO) at++;
  return at;
}

function skipDigits(text: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && isDigit(text[at] as number)) at++;
  return at;
}

function compareBytes(text: Uint8Array, a: number, b: number, length: number): number {
  for (let at = 0; at < length; at++) {
    const difference = (text[a + at] as number) - (text[b + at] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}
