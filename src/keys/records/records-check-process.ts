/**
 * The process that reads all records of a folder, see records-check.ts. Where they are damaged, a signal ends it, or lmdb
 * throws an error, or a table has another number of entries than it says. It prints a ReadingError as JSON, or nothing.
 * Its argument is the folder.
 */

import { constants } from 'node:os';
import { join } from 'node:path';
import { errorMessageOf } from '../../base/errors.js';
import { openFolderLock, RECORDS_FILE } from '../storage/key-folder.js';
import { damagedKeyFolderFile } from '../storage/key-folder-error.js';
import { KeyStoreError } from '../storage/key-store-error.js';
import { openRecordTables } from './embedded-record-store.js';
import type { ReadingError } from './records-check.js';

/** Maximum wait for the lock in milliseconds: as long as a store waits that is opened. */
const WAIT_MS = 10_000;

const { EACCES, EPERM, EROFS, ENOSPC, EDQUOT, EMFILE, ENFILE } = constants.errno;
/** What a whole file meets too: no rights, no space, too many open files. */
const REFUSALS: readonly unknown[] = [EACCES, EPERM, EROFS, ENOSPC, EDQUOT, EMFILE, ENFILE];

/** Whether lmdb, or `readAll`, can't read the file; the other errors are those of the folder and its lock. */
function isDamage(error: unknown): boolean {
  if (!(error instanceof KeyStoreError)) return true;
  const cause = error.cause as { readonly code?: unknown } | undefined;
  return error.code === 'KEY_STORE_FAILED' && cause !== undefined && !REFUSALS.includes(cause.code);
}

const [folder = ''] = process.argv.slice(2);
try {
  const lock = openFolderLock(folder);
  // Under the lock: opening and closing must not race with another process that writes.
  const tables = await lock.hold(WAIT_MS, () => openRecordTables(folder));
  tables.readAll();
  await lock.hold(WAIT_MS, () => tables.close());
} catch (error) {
  const why = errorMessageOf((error as Error).cause ?? error);
  const { code, found, remedy } = isDamage(error)
    ? damagedKeyFolderFile(join(folder, RECORDS_FILE), why)
    : (error as KeyStoreError);
  process.stdout.write(JSON.stringify({ code, found, remedy } satisfies ReadingError));
}
