/** Opens the snapshot that --snapshot or SNAPSHOT names, or else the package's own data. */
import { ExpectedError } from '../src/expected-error.js';
import { OpenError } from '../src/library/errors.js';
import { packagedSnapshot } from '../src/library/packaged-snapshot.js';
import { findSnapshot } from '../src/snapshots/find-snapshot.js';

/** Throws ExpectedError, SnapshotError, errors of the file system. */
export function openNamed<T>(source: string | undefined, open: (path: string) => T): T {
  try {
    return open(source === undefined || source === '' ? packagedSnapshot() : findSnapshot(source).path);
  } catch (error) {
    if (!(error instanceof OpenError)) throw error;
    throw new ExpectedError(`${error.message} by --snapshot or SNAPSHOT`);
  }
}
