/**
 * The served snapshot. A request calls `current()` once and uses that snapshot to its end. No readers are counted: the
 * garbage collector unmaps a snapshot after the last request that used it.
 */
import type { Logger } from '../logger.js';
import type { Service } from '../service/service.js';
import { runCooperatively, type Steps } from '../store/cooperative.js';
import { openSnapshotCooperatively, type Snapshot } from '../store/snapshot.js';
import { findChanges } from './changes-lists.js';
import type { SnapshotProcesses } from './integrity-check.js';
import type { PinnedSnapshot } from './pinned-snapshot.js';
import { probeSnapshot } from './probe-snapshot.js';
import { collectGarbageSoon, unmapSoon } from './unmap-snapshot.js';

export interface CurrentSnapshot {
  current(): Snapshot;
  /**
   * Opens, probes and prepares a file, and serves it from then on. Rejects with SnapshotError or ExpectedError, and the
   * current one stays. To be called for one file at a time.
   */
  serve(path: string): Promise<void>;
}

/** What a program computes of a snapshot before it serves the snapshot. */
export type Prepare = (snapshot: Snapshot) => Steps<void>;

export interface OpenSettings {
  readonly prepare?: Prepare;
  /** Is told of lists of changes that are not usable. Without it no lists are looked for. */
  readonly logger?: Logger;
}

/** Opens `path` and serves it. Rejects with SnapshotError or ExpectedError. */
export async function openCurrentSnapshot(
  path: string,
  service: Service,
  settings: OpenSettings = {},
): Promise<CurrentSnapshot> {
  let current = await openPrepared(path, service, settings);
  return {
    current: () => current,
    async serve(path) {
      try {
        const next = await openPrepared(path, service, settings);
        unmapSoon(current);
        current = next;
      } catch (error) {
        collectGarbageSoon();
        throw error;
      }
    },
  };
}

/**
 * The SnapshotProcesses of a single process. `serve` makes it serve another file; if `serve` rejects, nothing has
 * changed.
 */
export function servePinned(first: PinnedSnapshot, serve: (path: string) => Promise<unknown>): SnapshotProcesses {
  let pinned = first;
  return {
    get pinned() {
      return pinned;
    },
    servingCount: () => 1,
    async swap(next) {
      await serve(next.openPath);
      // Requests that still use the earlier file read its mapping.
      pinned.release();
      pinned = next;
    },
  };
}

async function openPrepared(path: string, service: Service, { prepare, logger }: OpenSettings): Promise<Snapshot> {
  const opened = await openSnapshotCooperatively(path);
  const snapshot =
    logger === undefined ? opened : Object.freeze({ ...opened, changes: findChanges(path, opened, logger) });
  await probeSnapshot(snapshot, service);
  if (prepare !== undefined) await runCooperatively(prepare(snapshot));
  return snapshot;
}
