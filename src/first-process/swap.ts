/**
 * Workers change from the snapshot that is held to another, one worker first: where it refuses the file, nothing has
 * changed. Then the other workers change, all at once. So two releases are served for a moment: docs/operations.md says
 * what clients see of that.
 */
import type { Logger } from '../logger.js';
import type { ServedSnapshot } from '../operators/server-state.js';
import type { HeldSnapshot } from '../releases/held-snapshot.js';
import { WorkerEndedError, type WorkerProcess } from './worker-process.js';
import type { Workers } from './workers.js';

/** After that a worker that is opening a snapshot is worth a line. */
const SLOW_MS = 2_000;

/** Rejects where the file is refused. Else every worker serves it, and the earlier file is released in its time. */
export async function swap(workers: Workers, held: HeldSnapshot, logger: Logger): Promise<void> {
  const earlier = workers.held;
  const snapshot = await serveFirst(workers, held, logger);
  // A worker that starts from now on reads `held`; one that is starting compares before it counts as serving.
  workers.held = held;
  const others = workers.serving().filter((worker) => worker.held !== held);
  await Promise.all(others.map((worker) => serveOrEnd(worker, held, logger)));
  workers.served = snapshot;
  // A worker that is starting may not have opened the earlier file yet.
  void workers.started().then(() => earlier.release());
}

/**
 * Rejects where a worker refuses the file, or where two end over it, one after the other: a single worker may have ended
 * for reasons of its own. Where all workers end as soon as they start, they start from this file.
 */
async function serveFirst(workers: Workers, held: HeldSnapshot, logger: Logger): Promise<ServedSnapshot> {
  for (let endedCount = 0; ; endedCount++) {
    const worker = await workers.anyServing();
    if (worker === undefined) return await workers.startFrom(held);
    try {
      return await serve(worker, held, logger);
    } catch (error) {
      if (!(error instanceof WorkerEndedError) || endedCount > 0) throw error;
      await worker.ended;
    }
  }
}

/** A worker that refuses what another worker serves is ended: its replacement starts from the file that is held then. */
async function serveOrEnd(worker: WorkerProcess, held: HeldSnapshot, logger: Logger): Promise<void> {
  try {
    await serve(worker, held, logger);
  } catch (error) {
    if (error instanceof WorkerEndedError) return;
    logger.error({ ...worker.names, err: error }, 'a worker did not change its snapshot and is ended');
    worker.kill();
  }
}

async function serve(worker: WorkerProcess, held: HeldSnapshot, logger: Logger): Promise<ServedSnapshot> {
  const warn = (): void => logger.warn(worker.names, 'a worker is slow to open the snapshot, and holds up the swap');
  const slow = setTimeout(warn, SLOW_MS);
  try {
    return await worker.serve(held);
  } finally {
    clearTimeout(slow);
  }
}
