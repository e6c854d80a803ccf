/** The binary search of the program: over what a snapshot holds, and over what the builder sorts. */

/**
 * The first number from `start` up to but not including `end` for which `isBefore` is false; `end` if there is none.
 * `isBefore` must be true up to some number and false behind it. If it is not, as in a damaged file, the result is any
 * number from `start` to `end`. Ends after at most 33 steps.
 */
export function lowerBound(start: number, end: number, isBefore: (at: number) => boolean): number {
  let low = start;
  let high = end;
  while (low < high) {
    // The sum of two numbers of 32 bits would lose its highest bit here, and the search would never end.
    const middle = low + ((high - low) >>> 1);
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first position in ascending hashes where the hash is, or would be. */
export function lowerBoundOfHash(hashes: Uint32Array, hash: number): number {
  return lowerBound(0, hashes.length, (one) => (hashes[one] as number) < hash);
}
