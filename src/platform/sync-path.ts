import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes what was written to a file, or the names in a folder, last through a power cut. Throws what node:fs throws. */
export function syncPath(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
