/**
 * Changes a folder of published snapshots: puts a snapshot in service, and prunes old ones with their lists of changes.
 * One process at a time changes a folder, under a lock on its file ".lock"; long work (copying, checking) happens before.
 * A process that opens a snapshot holds a shared lock on the file, and only a file that can be locked exclusively is
 * removed: never the one in service, nor one that is open.
 */

import { closeSync, existsSync, openSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile, syncPath } from '../base/durable-files.js';
import { CodedError } from '../base/errors.js';
import { FileLock } from '../base/file-lock.js';
import { type Libc, type LockOutcome, libc } from '../base/libc.js';
import {
  CURRENT,
  changesFileOf,
  HISTORY_FILE,
  isPublishedFile,
  type ListedSnapshot,
  listSnapshots,
  type Publication,
  readCurrent,
  readHistory,
} from './find-snapshot.js';
import { type PartialFile, removeStalePartials } from './partial-file.js';

/** A failure that leaves a folder of published snapshots unchanged; `remedy` says how to fix it. */
type PublishingErrorCode =
  | 'UNPUBLISHABLE_NAME'
  | 'SOURCE_CHANGED'
  | 'NO_LOCKS'
  | 'FOLDER_LOCKED'
  | 'CURRENT_CHANGED'
  | 'NOTHING_BEFORE'
  | 'NOTHING_IN_SERVICE'
  | 'NOT_PUBLISHED';

export class PublishingError extends CodedError<PublishingErrorCode> {
  override readonly name = 'PublishingError';
}

const LOCK_FILE = '.lock';
/** Maximum time to wait for the lock, in milliseconds: far longer than any change under the lock. */
const DEFAULT_LIMIT_MS = 60_000;

/**
 * Runs `work`, which must be synchronous, while this process holds the lock of `folder`. Rejects with PublishingError
 * FOLDER_LOCKED after `limitMs`, with NO_LOCKS if files can't be locked, or with what node:fs throws.
 */
export async function withFolderLocked<T>(folder: string, work: () => T, limitMs = DEFAULT_LIMIT_MS): Promise<T> {
  requireLocks();
  const path = join(folder, LOCK_FILE);
  const lock = new FileLock(path, 0o644, (failure) => {
    if (failure === 'unsupported') return unsupported(folder);
    const found = `${path} has been locked by another process for ${limitMs / 1000} s`;
    return new PublishingError(
      'FOLDER_LOCKED',
      found,
      'look for a stopped postal-places process, end it and try again',
    );
  });
  try {
    return await lock.hold(limitMs, work);
  } finally {
    lock.close();
  }
}

/** The locks of this system. Throws PublishingError NO_LOCKS on Windows. */
export function requireLocks(): Libc {
  const calls = libc();
  if (calls === undefined) throw noLocks('this system has no locks between processes');
  return calls;
}

/** Throws PublishingError NO_LOCKS where the file system of `folder` has no locks, and `held` while another has the lock. */
export function requireTaken(outcome: LockOutcome, folder: string, held: () => Error): void {
  if (outcome === 'held') throw held();
  if (outcome === 'unsupported') throw unsupported(folder);
}

function unsupported(folder: string): PublishingError {
  return noLocks(`the file system of ${folder} can't lock files`);
}

function noLocks(found: string): PublishingError {
  return new PublishingError('NO_LOCKS', found, 'publish on Linux or macOS, to a local disk');
}

/**
 * The last step of `publish` and of `pull`: points `current` to the file `name`, which the folder has, and the caller
 * keeps open so that `prune` does not remove it, or which `partial` becomes in the same step. Returns the name of the
 * snapshot that `rollback` would put in service; null for none. Throws PublishingError, or what node:fs throws; then
 * `current` is the same link as before.
 */
export async function putInService(
  folder: string,
  name: string,
  partial: PartialFile | undefined,
): Promise<string | null> {
  await withFolderLocked(folder, () => {
    const history = readHistory(folder, readCurrent(folder));
    const isCurrent = history.at(-1)?.name === name;
    flipCurrent(folder, name, () => {
      writeHistory(folder, isCurrent ? history : [...history, { name, publishedAt: new Date().toISOString() }]);
      partial?.publish();
    });
  });
  return listSnapshots(folder).find(({ previous }) => previous)?.name ?? null;
}

/**
 * Points `current` to the file `name`, after `prepare`. Every step that can fail on a full disk happens before the
 * rename that replaces the link. Only for withFolderLocked, since the temporary link's name is fixed.
 */
export function flipCurrent(folder: string, name: string, prepare: () => void = () => {}): void {
  const temporary = join(folder, `.${CURRENT}.new`);
  rmSync(temporary, { force: true });
  try {
    symlinkSync(name, temporary);
    prepare();
    // The file's name must be durable before the link to it.
    syncPath(folder);
    renameSync(temporary, join(folder, CURRENT));
    syncPath(folder);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Replaces the history atomically. Only for withFolderLocked, since the temporary file's name is fixed. */
export function writeHistory(folder: string, entries: readonly Publication[]): void {
  replaceFile(join(folder, HISTORY_FILE), `${JSON.stringify(entries, null, 2)}\n`);
}

/** `unlockable`: the file system does not let this user lock the file, so a process may have it open. */
export type KeptReason = 'current' | 'newest' | 'open' | 'unlockable';

export interface PruneReport {
  readonly removed: readonly ListedSnapshot[];
  readonly kept: readonly (ListedSnapshot & { readonly reason: KeptReason })[];
  /** Number of removed partial files of killed processes. */
  readonly partialsRemoved: number;
  readonly bytesFreed: number;
}

/** Keeps the first `keep` snapshots (at least 1) of listSnapshots. Throws PublishingError, or what node:fs throws. */
export async function pruneSnapshots(folder: string, keep: number): Promise<PruneReport> {
  return await withFolderLocked(folder, () => {
    if (readCurrent(folder) === undefined) {
      const found = `nothing says which snapshot of ${folder} is in service`;
      throw new PublishingError('NOTHING_IN_SERVICE', found, 'postal-places publish puts one in service');
    }
    const partialsRemoved = removeStalePartials(folder, isPublishedFile);
    const outcomes = listSnapshots(folder).map((listed, index) => {
      if (listed.current) return { listed, outcome: 'current' as const };
      return { listed, outcome: index < keep ? ('newest' as const) : removeUnlessOpen(join(folder, listed.name)) };
    });
    forgetRemoved(folder);
    const removed = outcomes.flatMap(({ listed, outcome }) => (outcome === 'removed' ? [listed] : []));
    return {
      removed,
      kept: outcomes.flatMap(({ listed, outcome }) => (outcome === 'removed' ? [] : [{ ...listed, reason: outcome }])),
      partialsRemoved,
      bytesFreed: removed.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  });
}

/** Removes a snapshot, with its list of changes, unless a process has it open or the system can't tell. */
function removeUnlessOpen(path: string): 'removed' | 'open' | 'unlockable' {
  const fd = openSync(path, 'r');
  try {
    const outcome = requireLocks().tryLock(fd, 'exclusive');
    if (outcome !== 'taken') return outcome === 'held' ? 'open' : 'unlockable';
    // The list goes first: after a kill in between, the next `prune` finds the snapshot and removes it.
    rmSync(changesFileOf(path), { force: true });
    rmSync(path);
    return 'removed';
  } finally {
    closeSync(fd);
  }
}

/** Removes deleted snapshots from the history, which would grow for ever otherwise. */
function forgetRemoved(folder: string): void {
  const current = readCurrent(folder);
  const history = readHistory(folder, current);
  writeHistory(
    folder,
    history.filter(({ name }) => name === current || existsSync(join(folder, name))),
  );
  syncPath(folder);
}
