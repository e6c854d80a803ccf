/**
 * Checks a snapshot file against its checksums: on a worker thread, on Linux with low priority, while the process goes on
 * answering requests, in a process that does nothing else meanwhile, or at once, after an answer has failed.
 */

import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { ExpectedError, StartError } from '../base/errors.js';
import { programFile } from '../base/package-root.js';
import { startThread } from '../base/thread.js';
import { checkSections, checkSectionsCooperatively } from '../core/snapshot/check-sections.js';
import { DamagedSnapshotError, nameFile, SnapshotError } from '../core/snapshot/snapshot-error.js';
import { openShared, readContents, withFile } from '../core/snapshot/snapshot-file.js';
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
  /** How many answers have failed by an error of ours, or of a damaged snapshot. */
  failureCount(): number;
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

/**
 * The first damage of the file, at once; undefined where the file is whole, or the system can't read it. Of the world it
 * takes 0.4 s, so it is for a process that has nothing else to do, and for an error that nobody can explain.
 */
export function findDamage(path: string): SnapshotError | undefined {
  try {
    withFile(path, checkSections);
    return undefined;
  } catch (error) {
    if (error instanceof SnapshotError) return error.code === 'FILE_UNREADABLE' ? undefined : error;
    throw error;
  }
}

/** Whether an error says itself what is wrong, and is none of the file: one that the program throws on purpose. */
export function isOnPurpose(error: unknown): boolean {
  // A start fails also where the file does not answer.
  return error instanceof ExpectedError && !(error instanceof StartError);
}

/**
 * The error to throw in place of one that an answer has failed with. The checksums decide: of a file that does not match
 * them DamagedSnapshotError, of a whole file the error itself, which is one of ours.
 */
export function explainFailure(path: string, error: unknown): unknown {
  if (isOnPurpose(error)) return error;
  // Opening has found what is wrong.
  if (error instanceof SnapshotError && error.code !== 'STRUCTURE_INVALID') return nameFile(path, error);
  const damage = findDamage(path);
  return damage === undefined ? nameFile(path, error) : new DamagedSnapshotError(path, damage);
}
