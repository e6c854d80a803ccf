/** Work that waits for its turn: one piece in each turn of the event loop, of one network after the other. */
import { expect, test } from '@jest/globals';
import { FairTurns } from '../../src/site/fair-turns.js';

test('networks take turns, and each piece has a turn of the event loop', async () => {
  const turns = new FairTurns();
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const done: [piece: string, turn: number][] = [];
  const pieces = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(async (piece) => {
    await turns.next(piece[0] as string);
    done.push([piece, turn]);
  });
  await Promise.all(pieces);
  isOver = true;
  expect(done.map(([piece]) => piece)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  expect(new Set(done.map(([, at]) => at)).size).toBe(done.length);
});

test('a piece that fails takes no turn from others', async () => {
  const turns = new FairTurns();
  const failing = turns.next('a').then(() => {
    throw new Error('broken');
  });
  const after = turns.next('b');
  await expect(failing).rejects.toThrow('broken');
  await after;
  await turns.next('a');
  expect(await turns.next('a')).toBeUndefined();
});
