/** `current`, the link to the snapshot in service, is only ever replaced in one step. */
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { syncPath } from '../../src/platform/sync-path.js';
import { CURRENT } from '../../src/snapshots/snapshot-folder.js';

/**
 * Makes `current` name the file `name`, after `prepare`. Everything that may find the disk full is done before the one
 * step that replaces the link. Only for withFolderLocked, since the temporary link has but one name.
 */
export function flipCurrent(folder: string, name: string, prepare: () => void = () => {}): void {
  const temporary = join(folder, `.${CURRENT}.new`);
  rmSync(temporary, { force: true });
  try {
    symlinkSync(name, temporary);
    prepare();
    // The file's name must last before the link to the file does.
    syncPath(folder);
    renameSync(temporary, join(folder, CURRENT));
    syncPath(folder);
  } finally {
    rmSync(temporary, { force: true });
  }
}
