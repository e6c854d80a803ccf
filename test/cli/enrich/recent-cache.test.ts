/** The cache of lookups keeps entries that are asked for, in bounded memory. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { RecentCache } from '../../../cli/enrich/recent-cache.js';
import { Tally } from '../../../cli/enrich/tally.js';

test('an entry stays while it is asked for, and goes when as many others came as the cache has room for', () => {
  const cache = new RecentCache<number>(2);
  cache.set('kept', 1);
  cache.set('gone', 2);
  for (const [number, key] of ['a', 'b', 'c', 'd'].entries()) {
    expect(cache.get('kept')).toBe(1);
    cache.set(key, number);
  }
  expect(cache.get('gone')).toBeUndefined();
  expect(cache.get('d')).toBe(3);
});

describe('memory', () => {
  const ENTRIES = 100;
  const ROW_BYTES = 1 << 19;
  /** Far less than the rows, of 50 MB, and far more than the entries. */
  const MAX_BYTES = 20e6;

  /** A cell that is a slice of a long row. */
  const cellOf = (number: number): string => `${number}`.padStart(20, '0').padEnd(ROW_BYTES, '-').slice(0, 20);
  const longCellOf = (number: number): string => `${number}`.padStart(ROW_BYTES, '-');

  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  function grownBy(work: () => unknown): number {
    collect();
    const before = process.memoryUsage().heapUsed;
    const kept = work();
    collect();
    const grown = process.memoryUsage().heapUsed - before;
    expect(kept).toBeDefined();
    return grown;
  }

  test.each([
    [
      'new entries',
      () => {
        const cache = new RecentCache<number>(ENTRIES);
        for (let number = 0; number < ENTRIES; number++) cache.set(cellOf(number), number);
        return cache;
      },
    ],
    [
      'entries that are asked for again',
      () => {
        const cache = new RecentCache<number>(ENTRIES);
        for (let number = 0; number < ENTRIES; number++) cache.set(cellOf(number), number);
        for (let number = 0; number < ENTRIES; number++) cache.get(cellOf(number));
        for (let number = 0; number < ENTRIES; number++) expect(cache.get(cellOf(number))).toBe(number);
        return cache;
      },
    ],
    [
      'long keys',
      () => {
        const cache = new RecentCache<number>(ENTRIES);
        for (let number = 0; number < ENTRIES; number++) cache.set(longCellOf(number), number);
        return cache;
      },
    ],
    [
      'long misses',
      () => {
        const tally = new Tally();
        for (let number = 0; number < ENTRIES; number++) tally.countMiss(`${number} ${longCellOf(number)}`);
        return tally;
      },
    ],
  ])('%s do not keep the rows', (_, work) => {
    expect(grownBy(work)).toBeLessThan(MAX_BYTES);
  });
});
