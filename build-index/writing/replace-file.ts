/**
 * Replacing a small file in one step: a reader finds the old text or the new text, whole, after a power cut as well.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Writes `text` to ".<name>.new" beside the file, without a second dot where the name has one, and renames that. For
 * one process at a time, since the temporary file has but one name. The name itself lasts after syncPath.
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
