/** Work that takes longer than a request may wait, in steps: done at once, or a few in each turn of the event loop. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that can be left off at each `yield`; its steps should take less than a millisecond. */
export type Steps<Result> = Generator<undefined, Result>;

/** What a turn may take, but for its last step: enough that the work ends soon where many requests share the turns. */
const TURN_MS = 1;

/** Returns, or throws, what the steps do. */
export function runSync<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Resolves, or rejects, with what the steps do; requests are answered meanwhile. */
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
