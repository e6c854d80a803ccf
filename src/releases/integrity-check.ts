/**
 * Checks the served file against its checksums. A start reads headers only, and a file may be damaged later by a write
 * or a failing disk. So the file is checked after the start, after a write to it, when no process serves any more (an
 * unreadable page ends the process that reads it), and every minute while it is damaged.
 */

import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Logger } from '../base/logger.js';
import { programFile } from '../base/package-root.js';
import { startThread } from '../base/thread.js';
import { checkSectionsCooperatively, openShared, readContents, withFile } from '../core/snapshot/snapshot-file.js';
import type { PinnedSnapshot } from './find-snapshot.js';
import { findSnapshot } from './find-snapshot.js';

/*
 * Checks a whole snapshot file against its checksums on a worker thread, on Linux with low priority, while the process
 * goes on answering requests.
 */

export interface CheckedSnapshot {
  readonly release: string;
  /** See Snapshot. */
  readonly id: string;
}

/**
 * Checks the file and identifies its snapshot. Rejects with an Error if the file is damaged, or if `signal` ended the
 * check.
 */
export async function checkSnapshotFile(path: string, signal: AbortSignal): Promise<CheckedSnapshot> {
  const thread = startThread(pathToFileURL(programFile('src/releases/check-thread.js')));
  const stop = (): void => void thread.end();
  signal.addEventListener('abort', stop);
  try {
    thread.worker.postMessage(path);
    // Rejects with the error that ends the thread.
    const [checked] = await Promise.race([
      once(thread.worker, 'message'),
      once(thread.worker, 'exit').then(([code]) => Promise.reject(new Error(`the check ended with code ${code}`))),
    ]);
    return checked as CheckedSnapshot;
  } finally {
    // The signal lives as long as the server, and would keep every thread in memory.
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** The processes that serve a snapshot. */
export interface SnapshotProcesses {
  /** The file that they serve, and from which the next process starts. */
  readonly pinned: PinnedSnapshot;
  /** How many processes serve now. */
  servingCount(): number;
  /**
   * Serves another file, and releases the earlier one later. Rejects if the file can't be served; then nothing has
   * changed, and the caller releases the file.
   */
  swap(pinned: PinnedSnapshot): Promise<void>;
}

/** Checks a file and identifies its snapshot. Rejects if the file is damaged, and soon after the signal. */
export type Check = (path: string, signal: AbortSignal) => Promise<CheckedSnapshot>;

/** A file, and the reason why it is not served. */
export interface Problem {
  readonly path: string;
  readonly reason: string;
}

export interface IntegrityCheck {
  /** The damage of the served file; null if none was found. */
  damage(): Problem | null;
  /**
   * Checks the file if that is due, or if it is damaged and `isForced`. Resolves with whether the check found damage.
   */
  look(isForced: boolean): Promise<boolean>;
  /** To be called after a swap: the new file was checked before. */
  passed(): void;
}

/** Milliseconds after which a file that was found bad is checked again. */
export const RETRY_MS = 60_000;

export function createIntegrityCheck(
  processes: SnapshotProcesses,
  check: Check,
  logger: Logger,
  stopping: AbortSignal,
): IntegrityCheck {
  let last: { readonly identity: string; readonly damage: Problem | null; readonly atMs: number } | undefined;
  let wasServed = true;
  const damage = (): Problem | null => last?.damage ?? null;

  function isDue(isForced: boolean): boolean {
    const isServed = processes.servingCount() > 0;
    const isLost = wasServed && !isServed;
    wasServed = isServed;
    if (isLost || last?.identity !== processes.pinned.identityNow()) return true;
    return last.damage !== null && (isForced || performance.now() - last.atMs >= RETRY_MS);
  }

  function note(found: Problem | null, identity: string): void {
    if (found !== null && found.reason !== damage()?.reason) logger.error(found, 'the snapshot in service is damaged');
    last = { identity, damage: found, atMs: performance.now() };
  }

  return {
    damage,
    passed: () => note(null, processes.pinned.identity),
    async look(isForced) {
      if (!isDue(isForced)) return false;
      const { path, openPath, identityNow } = processes.pinned;
      const identity = identityNow();
      try {
        await check(openPath, stopping);
        if (damage() !== null) logger.info({ path }, 'the snapshot in service is whole again');
        note(null, identity);
        return false;
      } catch (error) {
        if (stopping.aborted) return false;
        note({ path, reason: (error as Error).message }, identity);
        return true;
      }
    },
  };
}

/** Whether the source names a snapshot whose header and manifest this program can read. Its contents are not checked. */
export function isServable(source: string): boolean {
  try {
    withFile(findSnapshot(source).path, readContents);
    return true;
  } catch {
    // Missing, damaged, or of another format version.
    return false;
  }
}

/** As checkSnapshotFile, in this process: for one that does nothing else meanwhile. Throws SnapshotError. */
export async function checkSnapshotHere(path: string): Promise<CheckedSnapshot> {
  const fd = openShared(path);
  try {
    const { manifest, id } = await checkSectionsCooperatively(fd);
    return { release: manifest.release, id };
  } finally {
    closeSync(fd);
  }
}
