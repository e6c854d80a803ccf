/** The search that every lookup stands on: right for sound numbers, and bounded for any. */

import { expect, test } from '@jest/globals';
import { lowerBound } from '../../src/core/snapshot/binary-search.js';
import { createRandom } from '../fixtures/random.mjs';

const U32 = [0, 1, 2, 7, 8, 9, 100, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

test('the lower bound is that of looking at each', () => {
  for (let start = 0; start <= 9; start++) {
    for (let end = start; end <= 9; end++) {
      for (let first = start; first <= end; first++) {
        expect(lowerBound(start, end, (at) => at < first)).toBe(first);
      }
    }
  }
});

test('a search ends after 33 steps, in whatever range and whatever is found there', () => {
  const random = createRandom(3);
  for (const start of U32) {
    for (const end of [...U32, 2 ** 32, Number.NaN]) {
      for (const isBefore of [() => true, () => false, () => random() < 0.5]) {
        let steps = 0;
        const found = lowerBound(start, end, () => {
          // Not left to the clock: a search that never ends would never say so.
          if (++steps > 33) throw new Error(`no end from ${start} to ${end}`);
          return isBefore();
        });
        expect(found === start || (found > start && found <= end)).toBe(true);
      }
    }
  }
});
