/** A process that serves keeps its young generation small, whatever Node allows. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const PROGRAM = join(import.meta.dirname, '../../dist/src/process/program/heap-limit.js');

/** Keeps the last objects of many turns, so that V8 wants to enlarge the young generation, and prints what it takes. */
const GROWING = `
const { getHeapSpaceStatistics } = await import('node:v8');
const { limitHeap, MAX_NEW_SPACE_BYTES } = await import(process.argv[2]);
if (process.argv[1] === 'limited') limitHeap();
const share = () => {
  const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return space_size / MAX_NEW_SPACE_BYTES;
};
let kept = [];
async function work(untilMs) {
  while (performance.now() < untilMs) {
    kept = kept.slice(-60_000);
    for (let count = 0; count < 10_000; count++) kept.push({ untilMs, text: [count, untilMs] });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return share();
}
const shares = [await work(1_500)];
if (process.argv[1] === 'limited') shares.push(await work(8_000));
console.log(JSON.stringify(shares));
`;

function grow(how: 'limited' | 'free'): number[] {
  const args = ['--max-semi-space-size=64', '--input-type=module', '-e', GROWING, how, PROGRAM];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 }));
}

test('the young generation grows after the start, and no further than to its limit', () => {
  const [free = 0] = grow('free');
  const [atStart = 0, later = 0] = grow('limited');
  expect(free).toBeGreaterThan(2.5);
  expect(atStart).toBeLessThan(0.6);
  expect(later).toBeGreaterThan(0.9);
  expect(later).toBeLessThan(2.1);
});
