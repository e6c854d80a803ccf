/**
 * Checks a snapshot file against its checksums: on a worker thread, on Linux with low priority, while the process goes on
 * answering requests, in a process that does nothing else meanwhile, or at once, after an answer has failed.
 */

import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { packageProgramPath } from '../../base/package-root.js';
import { startThread } from '../../base/thread.js';
import { checkSections, checkSectionsCooperatively } from '../../core/snapshot/check-sections.js';
import { SnapshotError } from '../../core/snapshot/snapshot-error.js';
import { openSnapshotFile, withFile } from '../../core/snapshot/snapshot-file.js';

export interface CheckedSnapshot {
  readonly release: string;
  /** See Snapshot. */
  readonly id: string;
}

/**
 * Checks the file and identifies its snapshot. Rejects with an Error if the file is damaged, or if `signal` ended the
 * check.
 */
export async function checkIntegrity(path: string, signal: AbortSignal): Promise<CheckedSnapshot> {
  const thread = startThread(pathToFileURL(packageProgramPath('src/releases/checking/check-thread.js')));
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

/** Checks a file and identifies its snapshot. Rejects if the file is damaged, and soon after the signal. */
export type Check = (path: string, signal: AbortSignal) => Promise<CheckedSnapshot>;

/** As checkIntegrity, in this process: for one that does nothing else meanwhile. */
export async function checkIntegrityHere(path: string): Promise<CheckedSnapshot> {
  const fd = openSnapshotFile(path);
  try {
    const { manifest, id } = await checkSectionsCooperatively(fd);
    return { release: manifest.release, id };
  } finally {
    closeSync(fd);
  }
}

/**
 * The first damage of the file, at once; undefined where the file is whole, or the system can't read it. Of the world it
 * takes 0.4 s, so it is for a process that has nothing else to do, and for an error that nobody can explain.
 */
export function findIntegrityDamage(path: string): SnapshotError | undefined {
  try {
    withFile(path, checkSections);
    return undefined;
  } catch (error) {
    if (error instanceof SnapshotError) return error.code === 'FILE_UNREADABLE' ? undefined : error;
    throw error;
  }
}
