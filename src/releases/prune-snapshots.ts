/**
 * `prune`: removes old snapshots with their lists of changes, but never the snapshot in service or an open one. A
 * process that opens a snapshot holds a shared lock on the file, and `prune` removes only files that it can lock
 * exclusively.
 */

import { closeSync, existsSync, openSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { syncPath } from '../base/own-file.js';
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
import { PublishingError, requireLocks, withFolderLocked } from './folder-lock.js';
import { type PartialFile, removeStalePartials, replaceFile } from './partial-file.js';

/*
 * Puts a snapshot of a folder in service, the last step of `publish` and of `pull`: replaces `current`, the link to the
 * snapshot in service, and the history of the folder (src/releases/find-snapshot.ts).
 */

/**
 * Points `current` to the file `name`, which the folder has, and the caller keeps open so that
 * `prune` does not remove it, or which `partial` becomes in the same step. Returns the
 * name of the snapshot that `rollback` would put in service; null for none. Throws PublishingError, or what node:fs
 * throws; then `current` is the same link as before.
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
      return { listed, outcome: index < keep ? ('newest' as const) : removeUnused(join(folder, listed.name)) };
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

function removeUnused(path: string): 'removed' | 'open' | 'unlockable' {
  const fd = openSync(path, 'r');
  try {
    const outcome = requireLocks().tryLock(fd, 'exclusive');
    if (outcome !== 'taken') return outcome === 'held' ? 'open' : 'unlockable';
    // The list goes first: after a kill in between, the next \`prune\` finds the snapshot and removes it.
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
