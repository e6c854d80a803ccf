/** Puts a snapshot of a folder in service: the last step of `publish` and of `pull`. */
import { listSnapshots } from '../snapshots/list-snapshots.js';
import { readHistory } from '../snapshots/publication-history.js';
import { readCurrent } from '../snapshots/snapshot-folder.js';
import { flipCurrent } from './flip.js';
import { withFolderLocked } from './folder-lock.js';
import { writeHistory } from './history.js';
import type { PartialFile } from './partial-file.js';

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
