/**
 * Collects the garbage of a snapshot soon after the last request that used it. A mapping goes when its buffer is
 * collected, and V8, which sees a few kilobytes of heap behind the buffer, may take hours to collect it.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type CollectGarbage = (options: { type: 'major'; execution: 'async' }) => Promise<void>;

/**
 * The first attempt comes when short requests are done, later attempts while longer requests go on. Opening another
 * snapshot lets V8 collect by itself, in smaller steps: in a row of swaps V8 comes before the first attempt.
 */
const PAUSES_MS = [5_000, 30_000, 120_000];

let collect: CollectGarbage | undefined;

/** Costs one collection of the heap, tens of milliseconds, in rounds of the event loop of its own. */
export function unmapSoon(snapshot: object): void {
  attempt(new WeakRef(snapshot), 0);
}

/** For a snapshot that failed while it was opened: there is no object to watch. */
export function collectGarbageSoon(): void {
  setTimeout(() => void collectGarbage(), PAUSES_MS[0]).unref();
}

function attempt(snapshot: WeakRef<object>, round: number): void {
  const pauseMs = PAUSES_MS[round];
  if (pauseMs === undefined) return;
  setTimeout(async () => {
    if (snapshot.deref() === undefined) return;
    await collectGarbage();
    attempt(snapshot, round + 1);
  }, pauseMs).unref();
}

function collectGarbage(): Promise<void> {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as CollectGarbage;
    setFlagsFromString('--no-expose-gc');
  }
  return collect({ type: 'major', execution: 'async' });
}
