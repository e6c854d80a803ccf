/** As with-progress.ts, for commands that work on all cores. */
import type { Pool } from '../pool/pool.js';
import type { Progress } from '../reporting/progress.js';
import { createBuilderPool } from '../tasks/builder-pool.js';
import { withProgress } from './with-progress.js';

/** Runs `work`; when `work` is over, whether it succeeded or not, the threads have ended and the display is closed. */
export async function withWorkers<T>(work: (pool: Pool, progress: Progress) => Promise<T>): Promise<T> {
  return await withProgress(async (progress) => {
    const pool = createBuilderPool();
    try {
      return await work(pool, progress);
    } finally {
      await pool.close();
    }
  });
}
