/** A process that serves keeps its young generation small, whatever Node allows. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const PROGRAM = join(import.meta.dirname, '../../dist/src/process/program/heap-limit.js');

/** Keeps the last objects of many steps, so that V8 wants to enlarge the young generation, and prints what it takes. */
const GROWING = `
const { getHeapSpaceStatistics } = await import('node:v8');
const { limitHeap, MAX_NEW_SPACE_BYTES } = await import(process.argv[2]);
if (process.argv[1] === 'limited') limitHeap();
let kept = [];
for (let step = 0; step < 400; step++) {
  kept = kept.slice(-60_000);
  for (let count = 0; count < 10_000; count++) kept.push({ step, text: [count, step] });
  await new Promise((resolve) => setImmediate(resolve));
}
const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
console.log(space_size / MAX_NEW_SPACE_BYTES);
`;

function grow(how: 'limited' | 'free'): number {
  const args = ['--max-semi-space-size=64', '--input-type=module', '-e', GROWING, how, PROGRAM];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

test('the young generation grows to its limit, give or take one step', () => {
  expect(grow('free')).toBeGreaterThan(2.5);
  expect(grow('limited')).toBeLessThan(2.1);
});
