/**
 * How a file is checked before `current` names it. A build ends with a look at every cross-reference, and the checksums
 * in the file cover every byte of it. So a file that agrees with its checksums has the bytes that the build looked at,
 * and to look again would find the same: only a file that another program made needs the deep check.
 */
import { closeSync } from 'node:fs';
import { openShared } from '../../src/store/open-file.js';
import { checkSectionsCooperatively } from '../../src/store/section-checksums.js';
import type { Pool } from '../pool/pool.js';
import type { Progress } from '../reporting/progress.js';
import { verifySnapshot } from '../verifying/verify-snapshot.js';

/** Resolves with the id (see Snapshot) of the snapshot at a path; rejects with SnapshotError where the file is not sound. */
export type SnapshotCheck = (path: string) => Promise<string>;

/** Reads the file once, against its own checksums. */
export function checksumCheck(progress: Progress): SnapshotCheck {
  return async (path) => {
    const fd = openShared(path);
    try {
      progress.start('checking', 1);
      const { id } = await checkSectionsCooperatively(fd);
      progress.step('');
      return id;
    } finally {
      closeSync(fd);
    }
  };
}

/** Looks at every cross-reference as well, as `verify` does. */
export function deepCheck(pool: Pool, progress: Progress): SnapshotCheck {
  return async (path) => (await verifySnapshot(path, pool, progress)).id;
}
