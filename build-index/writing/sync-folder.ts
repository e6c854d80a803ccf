/** Makes the names in a folder last through a power cut. */
import { closeSync, fsyncSync, openSync } from 'node:fs';

export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
