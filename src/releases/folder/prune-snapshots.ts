/**
 * Removes old snapshots of a folder, with their lists of changes. A process that opens a snapshot holds a shared lock on
 * the file, and only a file that can be locked exclusively is removed: never the one in service, nor one that is open.
 */

import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeDurable } from '../../base/durable-files.js';
import { removeStalePartials } from '../files/partial-file.js';
import { requireLocks, withFolderLocked } from './folder-lock.js';
import { readHistory, writeHistory } from './publication-history.js';
import { type ListedSnapshot, listPublishedSnapshots, readCurrent } from './published-folder.js';
import { isPublishedFile, publishedChangesName } from './published-name.js';
import { PublishingError } from './publishing-error.js';

/** `unlockable`: the file system does not let this user lock the file, so a process may have it open. */
export type KeptReason = 'current' | 'newest' | 'open' | 'unlockable';

export interface PruneReport {
  readonly removed: readonly ListedSnapshot[];
  readonly kept: readonly (ListedSnapshot & { readonly reason: KeptReason })[];
  /** Number of removed partial files of killed processes. */
  readonly partialsRemoved: number;
  readonly bytesFreed: number;
}

/** Keeps the first `keep` snapshots (at least 1) of listPublishedSnapshots. */
export async function pruneSnapshots(folder: string, keep: number): Promise<PruneReport> {
  return await withFolderLocked(folder, () => {
    if (readCurrent(folder) === undefined) {
      const found = `nothing says which snapshot of ${folder} is in service`;
      throw new PublishingError('NOTHING_IN_SERVICE', found, 'postal-places publish puts one in service');
    }
    const partialsRemoved = removeStalePartials(folder, isPublishedFile);
    const outcomes = listPublishedSnapshots(folder).map((listed, index) => {
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
    rmSync(publishedChangesName(path), { force: true });
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
  makeDurable(folder);
}
