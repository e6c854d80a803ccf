/** The same as with-progress.ts, for commands that use all cores. */
import type { Pool } from '../pool/pool.js';
import type { Progress } from '../reporting/progress.js';
import { createBuilderPool } from '../tasks/builder-pool.js';
import { withProgress } from './with-progress.js';

/** Runs `work`; when it succeeds or fails, ends the threads and closes the display. */
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
