import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Flushes a file, or the names in a folder, to disk, so that they survive a power cut. Throws what node:fs throws. */
export function syncPath(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
