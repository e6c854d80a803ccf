/**
 * The snapshot that is served, and the snapshot that may follow it. A request takes `current()` once and keeps that
 * snapshot to its end. Nothing counts readers: the last reference to a snapshot goes with the last request that has it,
 * and the mapping goes with the reference.
 */
import type { Service } from '../service/service.js';
import { openSnapshotInTurns, type Snapshot } from '../store/snapshot.js';
import { collectSoon, letGoOf } from './letting-go.js';
import { probeSnapshot } from './probing.js';

export interface LiveSnapshot {
  current(): Snapshot;
  /**
   * Opens a snapshot file beside the current snapshot and puts questions to it, one file at a time. Rejects with
   * SnapshotError or ProbeError.
   */
  prepare(path: string): Promise<void>;
  /** Serves the snapshot that was prepared last. */
  commit(): void;
  /** Lets go of the snapshot that was prepared last. */
  discard(): void;
}

/** Opens `path` and serves it. Rejects with SnapshotError or ProbeError. */
export async function openLiveSnapshot(path: string, service: Service): Promise<LiveSnapshot> {
  let current = await openProbed(path, service);
  let next: Snapshot | undefined;
  return {
    current: () => current,
    async prepare(path) {
      discard();
      try {
        next = await openProbed(path, service);
      } catch (error) {
        collectSoon();
        throw error;
      }
    },
    commit() {
      if (next === undefined) throw new Error('no snapshot was prepared');
      letGoOf(current);
      current = next;
      next = undefined;
    },
    discard,
  };

  function discard(): void {
    if (next !== undefined) letGoOf(next);
    next = undefined;
  }
}

async function openProbed(path: string, service: Service): Promise<Snapshot> {
  const snapshot = await openSnapshotInTurns(path);
  await probeSnapshot(snapshot, service);
  return snapshot;
}
