/** Writing the history of a folder of published snapshots; publication-history.ts says what it is, and reads it. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HISTORY_FILE, type Publication } from '../../src/releases/publication-history.js';

/** Replaces the history in one step. Only in a turn (see takeTurn), since the temporary file has but one name. */
export function writeHistory(folder: string, entries: readonly Publication[]): void {
  const temporary = join(folder, `.${HISTORY_FILE}.new`);
  try {
    const fd = openSync(temporary, 'w', 0o644);
    try {
      writeFileSync(fd, `${JSON.stringify(entries, null, 2)}\n`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, join(folder, HISTORY_FILE));
  } finally {
    rmSync(temporary, { force: true });
  }
}
