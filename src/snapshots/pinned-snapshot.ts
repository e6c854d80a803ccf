/**
 * A snapshot file that stays the same file whatever happens to its name: pinned open and locked (shared), so that the
 * file that was checked is the file that is opened, `prune` leaves it alone, and a worker that starts later finds it
 * though another file has taken its name.
 */
import { closeSync, fstatSync } from 'node:fs';
import { openShared } from '../store/open-file.js';
import { identityOf, type SnapshotLocation } from './find-snapshot.js';

export interface PinnedSnapshot extends SnapshotLocation {
  /** The path to open, in this process or another process of this user, as long as the file is pinned. */
  readonly openPath: string;
  /** The identity that the file has now: another than `identity` once the file was written to, or can't be asked. */
  identityNow(): string;
  release(): void;
}

/** Throws SnapshotError FILE_UNREADABLE, or an Error where another file has taken the name. */
export function pinSnapshot({ path, identity }: SnapshotLocation): PinnedSnapshot {
  const fd = openShared(path);
  const identityNow = (): string => {
    try {
      return identityOf(path, fstatSync(fd, { bigint: true }));
    } catch (error) {
      // A network file system may have lost the file; a check will say so.
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
