/** What the long commands share: worker threads, a progress display, and an end in good order when interrupted. */
import type { Pool } from '../pool/pool.js';
import { createProgress, type Progress } from '../reporting/progress.js';
import { createBuilderPool } from '../tasks/builder-pool.js';
import { onInterruption } from './interruption.js';

/** Runs `work`; when `work` is over, whether it succeeded or not, the threads have ended and the display is closed. */
export async function withWorkers<T>(work: (pool: Pool, progress: Progress) => Promise<T>): Promise<T> {
  const pool = createBuilderPool();
  const progress = createProgress();
  // An interruption ends the program with process.exit, at which partial files are removed too.
  onInterruption(() => progress.stop());
  try {
    return await work(pool, progress);
  } finally {
    progress.stop();
    await pool.close();
  }
}
