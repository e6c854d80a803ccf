/**
 * Has the file of the records read before this process maps it: lmdb trusts its file, and what is damaged ends a process
 * by a signal, without a word, at its first use, or holds it for ever. So a process of its own reads all of it first
 * (records-check-process.ts). Damage that only a change meets is not found: in the lists of free pages, or in the number
 * that a page has of itself. What the check costs is in docs/keys.md.
 */

import { strict as assert } from 'node:assert';
import { type ExecFileException, execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { packageProgramPath } from '../../base/package-root.js';
import { RECORDS_FILE, USAGE_FILE, USAGE_HEADER_BYTES } from '../storage/key-folder.js';
import { damagedKeyFolderFile, keyFolderFailure, orInaccessibleKeyFolder } from '../storage/key-folder-error.js';
import { KeyStoreError, type KeyStoreErrorCode } from '../storage/key-store-error.js';

/** What the reading process prints where it can't read the file: a KeyStoreError. */
export interface ReadingError {
  readonly code: KeyStoreErrorCode;
  readonly found: string;
  readonly remedy: string;
}

/** Signals by which lmdb, or V8 with what lmdb gave it, ends a process; any other one came from outside. */
const DAMAGE_SIGNALS: readonly unknown[] = ['SIGBUS', 'SIGSEGV', 'SIGABRT', 'SIGFPE', 'SIGILL', 'SIGTRAP'];

/**
 * Milliseconds that the check may take, and more for each megabyte: many times what a busy machine with a slow disk needs,
 * and what it waits for the lock. Pages that lead to each other would be read for ever.
 */
const LIMIT_MS = 60_000;
const LIMIT_MS_PER_MEGABYTE = 1_000;

/** Rejects with KeyStoreError. A missing or empty file is a new one, unless keys were counted beside an empty one. */
export async function requireSoundRecords(folder: string): Promise<void> {
  const path = join(folder, RECORDS_FILE);
  const [file, counts] = [path, join(folder, USAGE_FILE)].map((each) => statSync(each, { throwIfNoEntry: false }));
  if (file === undefined) return;
  orInaccessibleKeyFolder(folder, () => assert(file.isFile(), `${RECORDS_FILE} is no file`));
  if (file.size === 0) {
    if ((counts?.size ?? 0) <= USAGE_HEADER_BYTES) return;
    throw damagedKeyFolderFile(path, 'it is empty, but keys were counted');
  }
  const program = packageProgramPath('src/keys/records/records-check-process.js');
  const timeout = Math.ceil(LIMIT_MS + (file.size / 1e6) * LIMIT_MS_PER_MEGABYTE);
  const { error, output } = await new Promise<{ error: ExecFileException | null; output: string }>((resolve) => {
    execFile(process.execPath, [program, folder], { timeout, killSignal: 'SIGKILL' }, (error, output) =>
      resolve({ error, output }),
    );
  });
  if (output !== '') {
    const { code, found, remedy } = JSON.parse(output) as ReadingError;
    throw new KeyStoreError(code, found, remedy);
  }
  if (error === null) return;
  if (error.killed) throw damagedKeyFolderFile(path, `reading it did not end within ${Math.round(timeout / 1_000)} s`);
  if (DAMAGE_SIGNALS.includes(error.signal))
    throw damagedKeyFolderFile(path, `${error.signal} ended a process that read it`);
  // 13 where lmdb never answers. What the process catches, it prints.
  if (typeof error.code === 'number')
    throw damagedKeyFolderFile(path, `a process that read it ended with the exit code ${error.code}`);
  throw keyFolderFailure(folder, error);
}
