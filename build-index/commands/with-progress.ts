/** Runs long commands with a display of their progress, with worker threads, and with a clean end on interruption. */

import { createPool, type Pool } from '../pool/pool.js';
import { createProgress, type Progress } from '../reporting/progress.js';
import { onInterruption } from './interruption.js';

/** Runs `work`, and closes the display when it succeeds or fails. */
export async function withProgress<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = createProgress();
  // An interruption ends the program with process.exit, which also removes partial files.
  onInterruption(() => progress.stop());
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}

/** Runs `work`; when it succeeds or fails, ends the threads and closes the display. */
export async function withProgressAndWorkers<T>(work: (pool: Pool, progress: Progress) => Promise<T>): Promise<T> {
  return await withProgress(async (progress) => {
    const pool = createPool(new URL('../tasks/task-thread.js', import.meta.url));
    try {
      return await work(pool, progress);
    } finally {
      await pool.close();
    }
  });
}
