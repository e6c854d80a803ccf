/**
 * The snapshot that is served. A request takes `current()` once and keeps it to its end. Nothing counts readers: the last
 * reference to a snapshot goes with the last request that used it, and the mapping goes with the reference.
 */
import type { Service } from '../service/service.js';
import { openSnapshotInTurns, type Snapshot } from '../store/snapshot.js';
import { collectSoon, letGoOf } from './letting-go.js';
import { probeSnapshot } from './probing.js';

export interface LiveSnapshot {
  current(): Snapshot;
  /**
   * Opens a file beside the current one, puts questions to it, and serves it from then on. Rejects with SnapshotError or
   * ProbeError, and the current one stays. To be called for one file at a time.
   */
  serve(path: string): Promise<void>;
}

/** Opens `path` and serves it. Rejects with SnapshotError or ProbeError. */
export async function openLiveSnapshot(path: string, service: Service): Promise<LiveSnapshot> {
  let current = await openProbed(path, service);
  return {
    current: () => current,
    async serve(path) {
      try {
        const next = await openProbed(path, service);
        letGoOf(current);
        current = next;
      } catch (error) {
        collectSoon();
        throw error;
      }
    },
  };
}

async function openProbed(path: string, service: Service): Promise<Snapshot> {
  const snapshot = await openSnapshotInTurns(path);
  await probeSnapshot(snapshot, service);
  return snapshot;
}
