/** Limits the time to wait for a reply of Redis. */

import { setImmediate as nextRound } from 'node:timers/promises';

/** The reply, or after `limitMs` the error of `tooLate`. A later reply is dropped. */
export async function inTime<T>(answer: Promise<T>, limitMs: number, tooLate: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(async () => {
      // If the event loop was blocked, replies that have arrived are read first.
      await nextRound();
      reject(tooLate());
    }, limitMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
