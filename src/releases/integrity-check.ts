/**
 * Checks a snapshot file against its checksums: on a worker thread, on Linux with low priority, while the process goes on
 * answering requests, or in a process that does nothing else meanwhile.
 */

import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { programFile } from '../base/package-root.js';
import { startThread } from '../base/thread.js';
import { checkSectionsCooperatively, openShared, readContents, withFile } from '../core/snapshot/snapshot-file.js';
import { findSnapshot, type PinnedSnapshot } from './find-snapshot.js';

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
