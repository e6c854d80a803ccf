/** The order in which a cache removes its entries, and the memory that the order takes. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { RecencyMap } from '../../src/base/recency-map.js';
import { createRandom } from '../fixtures/random.mjs';

test('removes the entry that was set longest ago, whatever is set again, and after the Map was empty', () => {
  const map = new RecencyMap<number, number>();
  const oracle = new Map<number, number>();
  expect(map.removeOldest()).toBeUndefined();
  const random = createRandom(20_261_124);
  const wrong: object[] = [];
  let removedCount = 0;
  let emptyCount = 0;
  for (let turn = 0; turn < 20_000; turn++) {
    // Periods in which the Map grows, and in which it shrinks until it is empty.
    if (random() < (turn % 2_000 < 1_000 ? 0.8 : 0.2)) {
      const key = Math.floor(random() * 500);
      oracle.delete(key);
      oracle.set(key, turn);
      map.set(key, turn);
      if (map.get(key) !== turn || map.size !== oracle.size) wrong.push({ turn, set: key });
      continue;
    }
    const [expected] = oracle;
    const removed = map.removeOldest();
    if (removed?.join() !== expected?.join()) wrong.push({ turn, removed, expected });
    if (expected === undefined) emptyCount++;
    else {
      oracle.delete(expected[0]);
      removedCount++;
    }
  }
  expect(wrong).toEqual([]);
  expect(Math.min(removedCount, emptyCount)).toBeGreaterThan(100);
});

test('holds as many entries as its limit: those that were set last', () => {
  const map = new RecencyMap<string, number>(2);
  for (const [at, key] of ['a', 'b', 'a', 'c'].entries()) map.set(key, at);
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([2, undefined, 3]);
  map.delete('a');
  map.set('d', 4);
  expect(['a', 'c', 'd'].map((key) => map.get(key))).toEqual([undefined, 3, 4]);
});

test('takes no more memory however often its entries are set while none is removed', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const map = new RecencyMap<number, number>();
  const setAll = (times: number): number => {
    for (let at = 0; at < times; at++) map.set(at % 1_000, at);
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = setAll(10_000);
  // 100 bytes of tables for each call are 50 MB.
  expect(setAll(500_000) - before).toBeLessThan(10_000_000);
  expect(map.removeOldest()).toEqual([0, 499_000]);
});
