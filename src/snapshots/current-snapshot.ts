/**
 * The snapshot that is served. A request takes `current()` once and keeps it to its end. Nothing counts readers: the
 * last reference to a snapshot goes with the last request that used it, and the mapping goes with the reference.
 */
import type { Service } from '../service/service.js';
import { openSnapshotCooperatively, type Snapshot } from '../store/snapshot.js';
import type { SnapshotProcesses } from './integrity-check.js';
import type { PinnedSnapshot } from './pinned-snapshot.js';
import { probeSnapshot } from './probe-snapshot.js';
import { collectGarbageSoon, unmapSoon } from './unmap-snapshot.js';

export interface CurrentSnapshot {
  current(): Snapshot;
  /**
   * Opens a file beside the current one, puts questions to it, and serves it from then on. Rejects with SnapshotError
   * or ProbeError, and the current one stays. To be called for one file at a time.
   */
  serve(path: string): Promise<void>;
}

/** Opens `path` and serves it. Rejects with SnapshotError or ProbeError. */
export async function openCurrentSnapshot(path: string, service: Service): Promise<CurrentSnapshot> {
  let current = await openProbed(path, service);
  return {
    current: () => current,
    async serve(path) {
      try {
        const next = await openProbed(path, service);
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
 * The file that one process serves by itself, pinned as long as the process serves from it; `serve` puts another file
 * in its place, and nothing has changed where it rejects.
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
      // A request that still uses the earlier file has it in its mapping.
      pinned.release();
      pinned = next;
    },
  };
}

async function openProbed(path: string, service: Service): Promise<Snapshot> {
  const snapshot = await openSnapshotCooperatively(path);
  await probeSnapshot(snapshot, service);
  return snapshot;
}
