/**
 * Has the file of the records read before this process maps it: lmdb trusts its file, and what is damaged ends a process
 * by a signal, without a word, at its first use. So a process of its own reads all of it first
 * (records-check-process.ts). Damage that only a change meets is not found: in the lists of free pages, or in the number
 * that a page has of itself. What the check costs is in docs/keys.md.
 */

import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
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

/** Signals by which lmdb ends a process; any other one came from outside. */
const DAMAGE_SIGNALS: readonly unknown[] = ['SIGBUS', 'SIGSEGV', 'SIGABRT', 'SIGFPE', 'SIGILL'];

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
  const { error, output } = await new Promise<{ error: { signal?: unknown } | null; output: string }>((resolve) => {
    execFile(process.execPath, [program, folder], (error, output) => resolve({ error, output }));
  });
  if (output !== '') {
    const { code, found, remedy } = JSON.parse(output) as ReadingError;
    throw new KeyStoreError(code, found, remedy);
  }
  if (error === null) return;
  if (DAMAGE_SIGNALS.includes(error.signal))
    throw damagedKeyFolderFile(path, `${error.signal} ended a process that read it`);
  throw keyFolderFailure(folder, error);
}
