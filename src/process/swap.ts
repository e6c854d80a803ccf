/**
 * Workers change from the snapshot that is pinned to another, one worker first: where it refuses the file, nothing has
 * changed. Then the other workers change, all at once. So two releases are served for a moment: docs/operations.md says
 * what clients see of that.
 */

import type { ServedSnapshot } from '../admin/server-state.js';
import type { Logger } from '../logger.js';
import type { PinnedSnapshot } from '../snapshots/pinned-snapshot.js';
import { WorkerEndedError, type WorkerProcess } from './worker-process.js';

/** Milliseconds after which a worker that is still opening a snapshot is worth a line. */
const SLOW_MS = 2_000;

/** The workers between which a swap is made, as their supervisor gives them. */
export interface SwappedWorkers {
  /** The file that a worker starts from. */
  pinned: PinnedSnapshot;
  /** What every worker serves; while a swap goes on, the earlier snapshot. */
  served: ServedSnapshot;
  serving(): readonly WorkerProcess[];
  /** A worker that serves, as soon as there is one; undefined where all workers end as soon as they start. */
  anyServing(): Promise<WorkerProcess | undefined>;
  /**
   * Where all workers end as soon as they start: lets them start from another file. Rejects where that goes no better.
   */
  startFrom(pinned: PinnedSnapshot): Promise<ServedSnapshot>;
  /** Resolves when each worker that is starting now serves, or has failed. */
  started(): Promise<void>;
}

/** Rejects where the file is refused. Else every worker serves it, and the earlier file is released in its time. */
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
 * Rejects where a worker refuses the file, or where two end over it, one after the other: a single worker may have
 * ended for reasons of its own. Where all workers end as soon as they start, they start from this file.
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
 * A worker that refuses what another worker serves is ended: its replacement starts from the file that is pinned then.
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
