/**
 * A lock of a folder of parts: publishers share it while they write parts that no release names yet, and changes of a
 * channel while it is not yet known which release the channel names. `prune`, which removes such parts and releases, has
 * it alone.
 */
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { openLockFile } from '../../src/platform/own-file.js';
import { requireLocks, requireTaken } from '../../src/publishing/folder-lock.js';
import { PublishingError } from '../../src/publishing/publishing-error.js';

const LOCK_FILE = '.parts.lock';

/** Throws PublishingError FOLDER_LOCKED at once, or what `work` and node:fs throw; also where there is no folder. */
export async function withPartsLocked<T>(
  folder: string,
  kind: 'shared' | 'exclusive',
  work: () => Promise<T>,
): Promise<T> {
  const fd = openLockFile(join(folder, LOCK_FILE), 0o644);
  try {
    requireTaken(requireLocks().tryLock(fd, kind), folder, () => {
      const other = kind === 'shared' ? 'prune removes parts' : 'another process publishes or prunes';
      return new PublishingError('FOLDER_LOCKED', `${other} in ${folder}`, 'try again when it has ended');
    });
    return await work();
  } finally {
    closeSync(fd);
  }
}
