import { readContents, withFile } from '../store/snapshot-reading.js';
import { findSnapshot } from './find-snapshot.js';

/** Whether the source names a snapshot whose header and manifest this program can read. Its contents are not checked. */
export function isServable(source: string): boolean {
  try {
    withFile(findSnapshot(source).path, readContents);
    return true;
  } catch {
    // Missing, damaged, or of another format version.
    return false;
  }
}
