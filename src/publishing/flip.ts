/** Atomically replaces `current`, the link to the snapshot in service. */
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { syncPath } from '../platform/sync-path.js';
import { CURRENT } from '../snapshots/snapshot-folder.js';

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
