/** `rollback`: puts the previous snapshot in service; a second `rollback` the snapshot before it. */

import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import { openSnapshotFile } from '../../src/core/snapshot/snapshot-file.js';
import { requireLocks, withFolderLocked } from '../../src/releases/folder/folder-lock.js';
import { readHistory, writeHistory } from '../../src/releases/folder/publication-history.js';
import { flipCurrent, listPublishedSnapshots, readCurrent } from '../../src/releases/folder/published-folder.js';
import type { PublishedSnapshot } from '../../src/releases/folder/published-name.js';
import { PublishingError } from '../../src/releases/folder/publishing-error.js';
import type { SnapshotCheck } from './snapshot-check.js';

export interface RollbackReport extends PublishedSnapshot {
  readonly name: string;
  readonly bytes: number;
  /** The name of the snapshot that was in service until now. */
  readonly rolledBack: string;
  /** The name of the snapshot that a further `rollback` would put in service; null for none. */
  readonly previous: string | null;
}

/** After an error `current` is the same link as before. */
export async function rollBack(folder: string, check: SnapshotCheck): Promise<RollbackReport> {
  requireLocks();
  const current = readCurrent(folder);
  const target = listPublishedSnapshots(folder).find(({ previous }) => previous);
  if (current === undefined || target === undefined) {
    const found =
      current === undefined ? `nothing is in service in ${folder}` : `nothing was in service before ${current}`;
    throw new PublishingError('NOTHING_BEFORE', found, 'publish the snapshot that is to be in service');
  }
  const { name, release, id, bytes } = target;
  const path = join(folder, name);
  const fd = openSnapshotFile(path);
  try {
    await checkTarget(path, check);
    await withFolderLocked(folder, () => {
      const found = readCurrent(folder);
      if (found !== current) {
        throw new PublishingError(
          'CURRENT_CHANGED',
          `meanwhile ${found} is in service`,
          'look at postal-places list and try again',
        );
      }
      // Removes the entries that were rolled back earlier: with a name twice in the history, `previous` is ambiguous.
      flipCurrent(folder, name, () => writeHistory(folder, readHistory(folder, current)));
    });
  } finally {
    closeSync(fd);
  }
  const previous = listPublishedSnapshots(folder).find((listed) => listed.previous)?.name ?? null;
  return { name, release, id, bytes, rolledBack: current, previous };
}

async function checkTarget(path: string, check: SnapshotCheck): Promise<void> {
  try {
    await check(path);
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    const remedy = 'publish that release again, or remove the file and roll back again';
    throw new SnapshotError(error.code, `${path}: ${error.expected}`, error.found, remedy);
  }
}
