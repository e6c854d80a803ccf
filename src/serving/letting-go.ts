/**
 * Collects a snapshot soon after the last request that used it. A mapping goes when its buffer is collected, and V8, which
 * sees a few kilobytes of heap behind it, may take hours to get there.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type CollectGarbage = (options: { type: 'major'; execution: 'async' }) => Promise<void>;

/**
 * First when requests of the moment are done, then again while there are longer ones. Opening another snapshot lets V8
 * collect by itself, in smaller steps: in a row of swaps that comes first.
 */
const PAUSES_MS = [5_000, 30_000, 120_000];

let collect: CollectGarbage | undefined;

/** Costs one collection of the heap, tens of milliseconds, in turns of its own. */
export function letGoOf(snapshot: object): void {
  attempt(new WeakRef(snapshot), 0);
}

/** For what was given up before it could be named. */
export function collectSoon(): void {
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
