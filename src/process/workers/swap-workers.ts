/**
 * Swaps the snapshot of all workers: first of one worker, and if that worker refuses the file, nothing has changed;
 * then of all other workers at once. Two releases are served for a moment; docs/operations.md describes what clients
 * see.
 */

import type { Logger } from '../../base/logger.js';
import type { PinnedSnapshot } from '../../releases/folder/pinned-snapshot.js';
import type { ServedSnapshot } from '../admin/server-state.js';
import { WorkerEndedError, type WorkerProcess } from './worker-process.js';

/** Milliseconds after which a worker that is still opening a snapshot is logged. */
const SLOW_MS = 2_000;

/** The supervisor's workers, as a swap uses them. */
export interface SwappedWorkers {
  /** The file that a worker starts from. */
  pinned: PinnedSnapshot;
  /** What every worker serves; while a swap goes on, the earlier snapshot. */
  served: ServedSnapshot;
  serving(): readonly WorkerProcess[];
  /** Waits for a worker that serves; undefined if all workers end as soon as they start. */
  anyServing(): Promise<WorkerProcess | undefined>;
  /** If all workers end as soon as they start: starts them from another file. Rejects if they end again. */
  startFrom(pinned: PinnedSnapshot): Promise<ServedSnapshot>;
  /** Resolves when each worker that is starting now serves, or has failed. */
  started(): Promise<void>;
}

/** Serves the file from every worker, and releases the earlier file later. Rejects if the file is refused. */
export async function swap(workers: SwappedWorkers, pinned: PinnedSnapshot, logger: Logger): Promise<void> {
  const earlier = workers.pinned;
  const snapshot = await serveFirst(workers, pinned, logger);
  // A worker that starts from now on reads `pinned`; one that is starting compares before it counts as serving.
  workers.pinned = pinned;
  const others = workers.serving().filter((worker) => worker.pinned !== pinned);
  await Promise.all(others.map((worker) => serveOrEnd(worker, pinned, logger)));
  workers.served = snapshot;
  // A worker that is starting may not have opened the earlier file yet.
  void workers.started().then(() => earlier.release());
}

/**
 * Rejects if a worker refuses the file, or if two workers in a row end while they open it: one worker may end for
 * another reason. If all workers end as soon as they start, they start from this file.
 */
async function serveFirst(workers: SwappedWorkers, pinned: PinnedSnapshot, logger: Logger): Promise<ServedSnapshot> {
  for (let endedCount = 0; ; endedCount++) {
    const worker = await workers.anyServing();
    if (worker === undefined) return await workers.startFrom(pinned);
    try {
      return await serve(worker, pinned, logger);
    } catch (error) {
      if (!(error instanceof WorkerEndedError) || endedCount > 0) throw error;
      await worker.ended;
    }
  }
}

/**
 * Kills a worker that refuses a file that another worker serves: its replacement starts from the pinned file.
 */
async function serveOrEnd(worker: WorkerProcess, pinned: PinnedSnapshot, logger: Logger): Promise<void> {
  try {
    await serve(worker, pinned, logger);
  } catch (error) {
    if (error instanceof WorkerEndedError) return;
    logger.error({ ...worker.names, err: error }, 'a worker did not change its snapshot and is ended');
    worker.kill();
  }
}

async function serve(worker: WorkerProcess, pinned: PinnedSnapshot, logger: Logger): Promise<ServedSnapshot> {
  const warn = (): void => logger.warn(worker.names, 'a worker is slow to open the snapshot, and holds up the swap');
  const slow = setTimeout(warn, SLOW_MS);
  try {
    return await worker.serve(pinned);
  } finally {
    clearTimeout(slow);
  }
}
