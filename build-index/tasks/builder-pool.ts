/** The pool that runs the builder's tasks. */
import { createPool, type Pool } from '../pool/pool.js';
import { type BuilderTask, runTask } from './run-task.js';

/** One worker thread for each core; with `threadCount` 0 tasks run on the calling thread. */
export function createBuilderPool(threadCount?: number): Pool {
  const threadProgram = new URL('./task-thread.js', import.meta.url);
  return createPool({ run: (task) => runTask(task as BuilderTask), threadProgram }, threadCount);
}
