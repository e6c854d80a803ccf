/** Compares the postal codes of a country in two snapshots: merges both lists, which are sorted by bytes. */

import { indexedPostcode, indexedPostcodePlaces, type PostcodeIndex } from '../../src/core/snapshot/postcode-index.js';
import { NONE, type Pair } from './matched-places.js';

/** The numbers of the codes in one snapshot only. */
export function comparePostcodes(before: PostcodeIndex, after: PostcodeIndex) {
  const [removed, added]: [number[], number[]] = [[], []];
  for (const [oldCode, newCode] of pairPostcodes(before, after)) {
    if (newCode === NONE) removed.push(oldCode);
    if (oldCode === NONE) added.push(newCode);
  }
  return { removed, added };
}

/** Each code of either snapshot, ascending: both lists are sorted by bytes. NONE stands for the missing number. */
export function* pairPostcodes(before: PostcodeIndex, after: PostcodeIndex): Generator<Pair> {
  let [oldCode, newCode] = [0, 0];
  while (oldCode < before.codeCount || newCode < after.codeCount) {
    const order = compareCode(before, oldCode, after, newCode);
    yield [order <= 0 ? oldCode++ : NONE, order >= 0 ? newCode++ : NONE];
  }
}

/** Negative if the old code sorts first. The end of a list sorts after every code of the other list. */
function compareCode(before: PostcodeIndex, oldCode: number, after: PostcodeIndex, newCode: number): number {
  if (oldCode === before.codeCount) return 1;
  if (newCode === after.codeCount) return -1;
  return Buffer.compare(codeBytes(before, oldCode), codeBytes(after, newCode));
}

function codeBytes({ codeText: bytes, codeOffsets }: PostcodeIndex, code: number): Uint8Array {
  return bytes.subarray(codeOffsets[code], codeOffsets[code + 1]);
}

/** The leaves without a match, by code. */
export function* unmatchedLeavesByPostcode(
  postcodes: PostcodeIndex,
  matched: Uint32Array,
): Generator<readonly [string, number]> {
  for (let code = 0; code < postcodes.codeCount; code++) {
    for (const place of indexedPostcodePlaces(postcodes, code)) {
      if (matched[place] === NONE) yield [indexedPostcode(postcodes, code), place];
    }
  }
}
