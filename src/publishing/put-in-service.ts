/**
 * Puts a snapshot of a folder in service, the last step of `publish` and of `pull`: replaces `current`, the link to the
 * snapshot in service, and the history of the folder (src/snapshots/publication-history.ts).
 */
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { syncPath } from '../platform/sync-path.js';
import { listSnapshots } from '../snapshots/list-snapshots.js';
import { HISTORY_FILE, type Publication, readHistory } from '../snapshots/publication-history.js';
import { CURRENT, readCurrent } from '../snapshots/snapshot-folder.js';
import { withFolderLocked } from './folder-lock.js';
import type { PartialFile } from './partial-file.js';
import { replaceFile } from './replace-file.js';

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
