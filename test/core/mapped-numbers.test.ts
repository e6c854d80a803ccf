/** The ranges that every lookup stands on: right for sound numbers, and bounded for any. */

import { expect, test } from '@jest/globals';
import { rangeAt, sliceOf } from '../../src/core/snapshot/array-bundle.js';

const U32 = [0, 1, 2, 7, 8, 9, 100, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

test('a range lies within what there is, whatever the starts', () => {
  for (const start of U32) {
    for (const end of U32) {
      const range = rangeAt(Uint32Array.of(start, end), 0, 8);
      expect(range).toEqual(start <= Math.min(end, 8) ? { start, end: Math.min(end, 8) } : { start: 0, end: 0 });
    }
  }
  expect(rangeAt(Uint32Array.of(3, 5), 1, 8)).toEqual({ start: 0, end: 0 });
  expect(rangeAt(Uint32Array.of(3, 5), 0xffffffff, 8)).toEqual({ start: 0, end: 0 });
});

test('a slice is never longer than it may be, whatever its start and end', () => {
  const bytes = Buffer.from(Array.from({ length: 100 }, (_, at) => at));
  expect([...sliceOf(bytes, 2, 5, 10)]).toEqual([2, 3, 4]);
  for (const start of [...U32, undefined as unknown as number]) {
    for (const end of [...U32, -2, -1, Number.NaN]) {
      const slice = sliceOf(bytes, start, end, 10);
      expect(slice.length).toBeLessThanOrEqual(10);
      if (end > start && start < 100) expect(slice[0]).toBe(start);
      else expect(slice).toHaveLength(0);
    }
  }
});
