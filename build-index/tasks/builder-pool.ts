/** The pool that runs the builder's tasks. */

import { createPool, type Pool, type Task } from '../pool/pool.js';
import type { BuilderTask } from './run-task.js';

/** One worker thread for each core; with `threadCount` 0 tasks run on the calling thread. */
export function createBuilderPool(threadCount?: number): Pool {
  const threadProgram = new URL('./task-thread.js', import.meta.url);
  return createPool({ run: runHere, threadProgram }, threadCount);
}

/**
 * Loads the modules of the tasks only here, since the main thread doesn't need them if worker threads run the tasks.
 */
async function runHere(task: Task<unknown>): Promise<unknown> {
  const { runTask } = await import('./run-task.js');
  return await runTask(task as BuilderTask);
}
