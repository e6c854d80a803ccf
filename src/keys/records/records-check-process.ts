/**
 * The process that reads all records of a folder, see records-check.ts. Where they are damaged, a signal ends it, or lmdb
 * throws an error, or a table has another number of entries than it says. It prints a ReadingError as JSON, or nothing.
 * Its argument is the folder.
 */

import { join } from 'node:path';
import { errorMessageOf } from '../../base/errors.js';
import { openFolderLock, RECORDS_FILE } from '../storage/key-folder.js';
import { damagedKeyFolderFile } from '../storage/key-folder-error.js';
import { KeyStoreError } from '../storage/key-store-error.js';
import { openRecordTables } from './embedded-record-store.js';
import type { ReadingError } from './records-check.js';

/** Maximum wait for the lock in milliseconds: as long as a store waits that is opened. */
const WAIT_MS = 10_000;

const [folder = ''] = process.argv.slice(2);
try {
  const lock = openFolderLock(folder);
  // Under the lock: opening and closing must not race with another process that writes.
  const tables = await lock.hold(WAIT_MS, () => openRecordTables(folder));
  tables.readAll();
  await lock.hold(WAIT_MS, () => tables.close());
} catch (error) {
  const why = errorMessageOf((error as Error).cause ?? error);
  const isOfLmdb = why.startsWith('MDB_') || !(error instanceof KeyStoreError);
  const { code, found, remedy } = isOfLmdb ? damagedKeyFolderFile(join(folder, RECORDS_FILE), why) : error;
  process.stdout.write(JSON.stringify({ code, found, remedy } satisfies ReadingError));
}
