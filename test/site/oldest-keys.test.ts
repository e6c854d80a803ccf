/** The order in which a cache removes its entries. */
import { expect, test } from '@jest/globals';
import { OldestKeys } from '../../src/site/oldest-keys.js';
import { createRandom } from '../fixtures/random.mjs';

test('names the key that was inserted longest ago, whatever is inserted again, and after the Map was empty', () => {
  const map = new Map<number, number>();
  const oldest = new OldestKeys(map);
  expect(oldest.next()).toBeUndefined();
  const random = createRandom(20_261_124);
  let removedCount = 0;
  let emptyCount = 0;
  for (let turn = 0; turn < 20_000; turn++) {
    // Periods in which the Map grows, and in which it shrinks until it is empty.
    if (random() < (turn % 2_000 < 1_000 ? 0.8 : 0.2)) {
      const key = Math.floor(random() * 500);
      map.delete(key);
      map.set(key, turn);
      continue;
    }
    const [expected] = map.keys();
    const found = oldest.next();
    expect(found).toBe(expected);
    if (found === undefined) emptyCount++;
    else {
      map.delete(found);
      removedCount++;
    }
  }
  expect(Math.min(removedCount, emptyCount)).toBeGreaterThan(100);
});
