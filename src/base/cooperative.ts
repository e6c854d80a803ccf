/**
 * Long work in steps, written as a generator: it runs synchronously, or cooperatively, yielding to the event loop so
 * that requests don't wait for it.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that can pause at each `yield`. A step should take less than a millisecond. */
export type Steps<Result> = Generator<undefined, Result>;

/**
 * Minimum time in milliseconds between two pauses of cooperative work. One millisecond delays a request little, and is
 * long enough that the work makes progress on a busy server.
 */
const TURN_MS = 1;

/** Runs all steps without a pause. Returns their result, or throws their error. */
export function runSync<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Runs the steps while requests are served. Resolves with their result, or rejects with their error. */
export async function runCooperatively<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const endMs = performance.now() + TURN_MS;
    do {
      const { done, value } = steps.next();
      if (done) return value;
    } while (performance.now() < endMs);
    await nextTurn();
  }
}
