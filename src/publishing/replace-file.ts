/**
 * Replaces a small file atomically: a reader finds the complete old or new text, even after a power failure.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Writes `text` to ".<name>.new" beside the file (without a second dot if the name has one), and renames that file. For
 * one process at a time, since the temporary name is fixed. syncPath makes the new name durable.
 */
export function replaceFile(path: string, text: string): void {
  const temporary = join(dirname(path), `.${basename(path).replace(/^\./, '')}.new`);
  try {
    const fd = openSync(temporary, 'w', 0o644);
    try {
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}
