/** The program of the builder's worker threads: runs one task at a time and transfers the result's buffers without copies. */

import { parentPort, type Transferable } from 'node:worker_threads';
// Loads koffi before the thread says that it is loaded: a thread that ends while koffi loads aborts the process.
import '../../src/base/libc.js';
import { tellLoaded } from '../../src/base/thread.js';
import type { Task } from '../pool/pool.js';
import { serializeError } from '../pool/serialized-error.js';
import { runTask } from './run-task.js';

parentPort?.on('message', async (task: Task<unknown>) => {
  try {
    const result = await runTask(task);
    parentPort?.postMessage({ result }, transferables(result));
  } catch (error) {
    parentPort?.postMessage({ error: serializeError(error) });
  }
});
tellLoaded();

/** The distinct large buffers of all typed arrays in `value`. */
function transferables(value: unknown, found = new Set<ArrayBuffer>()): Transferable[] {
  if (ArrayBuffer.isView(value)) {
    // Small Buffers share Node's buffer pool, which must stay on this thread, so they are copied.
    if (value.buffer.byteLength > Buffer.poolSize) found.add(value.buffer as ArrayBuffer);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) transferables(part, found);
  }
  return [...found];
}
