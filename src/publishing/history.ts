/** Writes the history of a folder of published snapshots, which publication-history.ts describes and reads. */
import { join } from 'node:path';
import { HISTORY_FILE, type Publication } from '../snapshots/publication-history.js';
import { replaceFile } from './replace-file.js';

/** Replaces the history atomically. Only for withFolderLocked, since the temporary file's name is fixed. */
export function writeHistory(folder: string, entries: readonly Publication[]): void {
  replaceFile(join(folder, HISTORY_FILE), `${JSON.stringify(entries, null, 2)}\n`);
}
