/**
 * Makes folders. Every folder whose parents may be missing is made here: the recursive mkdir of Node 20 never ends where
 * the system says of a folder that is there that it has no such entry, as /proc does.
 */

import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes the folder and its missing parents, all with this mode; an existing folder stays. Throws what node:fs throws. */
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
