/** Writing the history of a folder of published snapshots; publication-history.ts says what it is, and reads it. */
import { join } from 'node:path';
import { HISTORY_FILE, type Publication } from '../../src/snapshots/publication-history.js';
import { replaceFile } from '../writing/replace-file.js';

/** Replaces the history in one step. Only for withFolderLocked, since the temporary file has but one name. */
export function writeHistory(folder: string, entries: readonly Publication[]): void {
  replaceFile(join(folder, HISTORY_FILE), `${JSON.stringify(entries, null, 2)}\n`);
}
