/**
 * Makes folders, and temporary ones. Every folder whose parents may be missing is made here: the recursive mkdir of Node 20
 * never ends where the system says of a folder that is there that it has no such entry, as /proc does.
 */

import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ExpectedError, errorMessageOf } from './errors.js';

/** Makes the folder and its missing parents, all with this mode; an existing folder stays. */
export function makeFolder(path: string, mode = 0o777): void {
  const parent = dirname(path);
  if (parent !== path && !isFolder(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // The folder was there, or another process has made it.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Makes a folder that is removed when this process ends. */
export function makeTemporaryFolder(): string {
  try {
    const path = mkdtempSync(join(tmpdir(), 'postal-places-'));
    process.once('exit', () => rmSync(path, { recursive: true, force: true }));
    return path;
  } catch (error) {
    throw new ExpectedError(
      `there is no folder for temporary files: ${errorMessageOf(error)}; TMPDIR names another one`,
    );
  }
}
