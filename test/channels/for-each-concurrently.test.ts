/** Work for each item, a few at once. */
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { forEachConcurrently } from '../../src/channels/for-each-concurrently.js';

const ITEMS = Array.from({ length: 10 }, (_, index) => index);

test.each([1, 3, 20])('each item once, at most %d at once', async (limit) => {
  const done: [number, number][] = [];
  let [running, most] = [0, 0];
  await forEachConcurrently(ITEMS, limit, async (item, index) => {
    most = Math.max(most, ++running);
    await nextRound();
    running--;
    done.push([item, index]);
  });
  expect(done).toEqual(ITEMS.map((item) => [item, item]));
  expect(most).toBe(Math.min(limit, ITEMS.length));
});

test('no items', async () => {
  await forEachConcurrently([], 3, () => Promise.reject(new Error('there is no item')));
});

test('rejects with the first failure, when no call is left, and begins no further item', async () => {
  const [begun, ended]: [number[], number[]] = [[], []];
  const run = forEachConcurrently(ITEMS, 3, async (item) => {
    begun.push(item);
    if (item === 1) throw new Error('the first');
    for (let round = 0; round < 5; round++) await nextRound();
    ended.push(item);
    if (item === 2) throw new Error('the second');
  });
  await expect(run).rejects.toThrow('the first');
  expect([begun, ended]).toEqual([
    [0, 1, 2],
    [0, 2],
  ]);
});
