/** How a snapshot is checked before it is put in service: by its checksums, or deeply, as `verify` does. */

import { closeSync } from 'node:fs';
import { checkSectionsCooperatively } from '../../src/core/snapshot/check-sections.js';
import { openSnapshotFile } from '../../src/core/snapshot/snapshot-file.js';
import type { Pool } from '../pool/pool.js';
import type { Progress } from '../reporting/progress.js';
import { verifySnapshot } from '../verifying/verify-snapshot.js';

/**
 * Checks a file before `current` points to it. A build verifies every cross-reference, and the file's checksums cover
 * every byte. So a file with valid checksums has the verified bytes; only a file of another program needs the deep
 * check. Resolves with the id (see Snapshot) of the snapshot at a path; rejects with SnapshotError if the file is damaged.
 */
export type SnapshotCheck = (path: string) => Promise<string>;

/** Reads the file once and compares its checksums. */
export function checksumCheck(progress: Progress): SnapshotCheck {
  return async (path) => {
    const fd = openSnapshotFile(path);
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

/** Also checks what look-ups rely on, as `verify` does. */
export function deepCheck(pool: Pool, progress: Progress): SnapshotCheck {
  return async (path) => (await verifySnapshot(path, pool, progress)).id;
}
