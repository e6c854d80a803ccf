/** What the long commands share: worker threads, a progress display, and an end in good order when interrupted. */
import { constants } from 'node:os';
import { createPool, type Pool } from '../pool.js';
import { createProgress, type Progress } from '../reporting/progress.js';

/** Runs `work`; when it is over, whether it succeeded or not, the threads have ended and the display is closed. */
export async function withWorkers<T>(work: (pool: Pool, progress: Progress) => Promise<T>): Promise<T> {
  const pool = createPool();
  const progress = createProgress();
  endOnInterruption(progress);
  try {
    return await work(pool, progress);
  } finally {
    progress.stop();
    await pool.close();
  }
}

/** A signal, or a reader that has gone away, ends the program by way of process.exit, so that partial files go too. */
function endOnInterruption(progress: Progress): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      progress.stop();
      process.exit(128 + constants.signals[signal]);
    });
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.once('error', () => process.exit(1));
  }
}
