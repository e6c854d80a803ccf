/** Waiting for an answer of Redis no longer than a given time. */

import { setImmediate as nextRound } from 'node:timers/promises';

/** The answer, or the error that `tooLate` gives after `limitMs`. An answer that comes later is dropped. */
export async function inTime<T>(answer: Promise<T>, limitMs: number, tooLate: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(async () => {
      // Answers that came while this process itself stood still are read before this.
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
