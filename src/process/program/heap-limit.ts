/**
 * Bounds the garbage of a process that serves. V8 lets the young generation grow to two halves of 16 MiB in Node 20, and of
 * 64 MiB from Node 24 on, where a flood of requests costs 100 to 140 MB more and gains next to nothing. Only a start of Node could
 * set that size (`--max-semi-space-size`); a process that runs can say how much the next step of growth is, between two
 * turns of the event loop.
 */

import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Size at which the young generation grows no more, in bytes: with half of it, a request costs 10 % more time. */
export const MAX_NEW_SPACE_BYTES = 2 * (16 << 20);

/** Of V8: how many times its size the young generation has after a step of growth. */
const GROWTH_FACTOR = 2;
const NO_GROWTH_FACTOR = 1;

/** Milliseconds without growth: a start has long turns, in one of which the young generation could pass the limit twice. */
const START_MS = 5_000;

/**
 * Growth of the old generation, in percent of live objects, at which V8 collects it. V8's default lets a flood of requests
 * take 10 to 30 MB more, at the same processor time.
 */
const HEAP_GROWING_PERCENT = 50;

let isLimited = false;

/** Holds for as long as the process runs, however often it is called: V8 shrinks a young generation that has little to do. */
export function limitHeap(): void {
  if (isLimited) return;
  isLimited = true;
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  setGrowth(NO_GROWTH_FACTOR);
  setTimeout(followCollections, START_MS).unref();
}

function followCollections(): void {
  let factor = NO_GROWTH_FACTOR;
  const observer = new PerformanceObserver(() => {
    const due = newSpaceBytes() < MAX_NEW_SPACE_BYTES ? GROWTH_FACTOR : NO_GROWTH_FACTOR;
    if (due !== factor) setGrowth(due);
    factor = due;
  });
  observer.observe({ entryTypes: ['gc'] });
}

function setGrowth(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

function newSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}
