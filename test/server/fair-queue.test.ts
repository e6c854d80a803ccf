/** Expensive work in turns: clients come one after the other, and a failure holds up nobody. */

import { expect, test } from '@jest/globals';
import { FairQueue } from '../../src/server/fair-queue.js';

test('clients come one after the other, and each piece has a turn of the event loop', async () => {
  const queue = new FairQueue();
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const done: [piece: string, turn: number][] = [];
  const pieces = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(async (piece) => {
    await queue.enter(piece[0] as string);
    done.push([piece, turn]);
  });
  await Promise.all(pieces);
  isOver = true;
  expect(done.map(([piece]) => piece)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  expect(new Set(done.map(([, at]) => at)).size).toBe(done.length);
});

test('a piece that fails holds up no other', async () => {
  const queue = new FairQueue();
  const failing = queue.enter('a').then(() => {
    throw new Error('broken');
  });
  const after = queue.enter('b');
  await expect(failing).rejects.toThrow('broken');
  await after;
  await queue.enter('a');
  expect(await queue.enter('a')).toBeUndefined();
});
