/** `current`, the link to the snapshot in service, is only ever replaced in one step. */
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CURRENT } from '../../src/releases/snapshot-folder.js';
import { syncFolder } from '../writing/partial-file.js';

/**
 * Makes a link to `name` and gives what puts it in place, so that all that may find the disk full comes before the step
 * that counts. Only in a turn (see takeTurn), since the temporary link has but one name.
 */
export function prepareFlip(folder: string, name: string): () => void {
  const temporary = join(folder, `.${CURRENT}.new`);
  rmSync(temporary, { force: true });
  symlinkSync(name, temporary);
  return () => {
    // What the link names must last before the link does.
    syncFolder(folder);
    renameSync(temporary, join(folder, CURRENT));
    syncFolder(folder);
  };
}
