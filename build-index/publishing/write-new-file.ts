import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { ExpectedError } from '../../src/expected-error.js';

/** Writes a file that must not be there yet. Throws ExpectedError where it is, or what node:fs throws. */
export function writeNewFile(path: string, text: string, mode: number): void {
  const fd = openNew(path, mode);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function openNew(path: string, mode: number): number {
  try {
    return openSync(path, 'wx', mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new ExpectedError(`${path} is there already, and is not replaced; name another file`);
  }
}
