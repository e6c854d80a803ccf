/**
 * A pinned snapshot file is kept open with a shared lock. So the checked file is the opened file, `prune` does not remove
 * it, and a worker that starts later opens the same file even if another file has taken its name.
 */

import { closeSync, fstatSync } from 'node:fs';
import { openSnapshotFile } from '../../core/snapshot/snapshot-file.js';
import { identityOf, type SnapshotLocation } from './find-snapshot.js';

export interface PinnedSnapshot extends SnapshotLocation {
  /** The path to open while the file is pinned, in any process of this user. */
  readonly openPath: string;
  /** The file's present identity: differs from `identity` if the file was written to or is inaccessible. */
  identityNow(): string;
  release(): void;
}

/** Throws SnapshotError FILE_UNREADABLE, or an Error if another file has taken the name. */
export function pinSnapshot({ path, identity }: SnapshotLocation): PinnedSnapshot {
  const fd = openSnapshotFile(path);
  const identityNow = (): string => {
    try {
      return identityOf(path, fstatSync(fd, { bigint: true }));
    } catch (error) {
      // A network file system may have lost the file; the integrity check reports that.
      return `${path}: ${(error as Error).message}`;
    }
  };
  if (identityNow() !== identity) {
    closeSync(fd);
    throw new Error(`${path} was replaced a moment ago`);
  }
  // Elsewhere a process can't open a file through another process's descriptor.
  const openPath = process.platform === 'linux' ? `/proc/${process.pid}/fd/${fd}` : path;
  return { path, identity, openPath, identityNow, release: () => closeSync(fd) };
}
