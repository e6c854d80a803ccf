/**
 * The served snapshot. A request calls `current()` once and uses that snapshot to its end. No readers are counted: the
 * garbage collector unmaps a snapshot after the last request that used it.
 */

import { runCooperatively, type Steps } from '../../base/cooperative.js';
import type { Logger } from '../../base/logger.js';
import { openSnapshotCooperatively, type Snapshot } from '../../core/snapshot/snapshot.js';
import { ChangesLists } from './changes-lists.js';
import { collectGarbageSoon, unmapSoon } from './unmap-soon.js';

export interface CurrentSnapshot {
  current(): Snapshot;
  /**
   * Opens and prepares a file, and serves it from then on. Rejects with SnapshotError or ExpectedError, and the current one
   * stays. To be called for one file at a time.
   */
  serve(path: string): Promise<void>;
}

/** What a program does with a snapshot before it serves the snapshot: it is probed, and what is slow is computed. */
export type Prepare = (snapshot: Snapshot) => Steps<void>;

/** Opens `path` and serves it. `logger` is told of lists of changes that are not usable. */
export async function openCurrentSnapshot(path: string, prepare: Prepare, logger: Logger): Promise<CurrentSnapshot> {
  let current = await openPrepared(path, prepare, logger);
  return {
    current: () => current,
    async serve(path) {
      try {
        const next = await openPrepared(path, prepare, logger);
        unmapSoon(current);
        current = next;
      } catch (error) {
        collectGarbageSoon();
        throw error;
      }
    },
  };
}

async function openPrepared(path: string, prepare: Prepare, logger: Logger): Promise<Snapshot> {
  const opened = await openSnapshotCooperatively(path);
  const snapshot = Object.freeze({ ...opened, changes: new ChangesLists(path, opened, logger) });
  await runCooperatively(prepare(snapshot));
  return snapshot;
}
