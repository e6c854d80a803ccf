/**
 * The embedded store of records: the contract, then what is its own: processes that are killed, what it keeps of ended
 * records, damage, and a full disk. The other processes run the built program, which `npm test` builds.
 */

import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { open as openLmdb, type RootDatabase } from 'lmdb';
import { FolderLock } from '../../src/keys/embedded/folder-lock.js';
import { RECORDS_FILE, TURN_FILE } from '../../src/keys/embedded/key-folder.js';
import { EmbeddedRecordStore } from '../../src/records/embedded/embedded-record-store.js';
import { RecordTables } from '../../src/records/embedded/record-tables.js';
import { createTemporaryFolders } from '../keys/temporary-folders.js';
import { describeRecords } from './record-contract.js';

const NOON = Date.parse('2024-02-15T12:00:00.000Z');
const folders = createTemporaryFolders();
afterAll(() => folders.clear());

interface OpenedFolder {
  readonly root: RootDatabase;
  readonly store: EmbeddedRecordStore;
  close(): Promise<void>;
}

function openFolder(folder: string, clock: () => number): OpenedFolder {
  const lock = new FolderLock(join(folder, TURN_FILE));
  return lock.holdSync(10_000, () => {
    const root = openLmdb({ path: join(folder, RECORDS_FILE), overlappingSync: false });
    const store = new EmbeddedRecordStore(new RecordTables(folder, root), lock, clock);
    const close = async () => {
      await lock.hold(10_000, () => root.close());
      lock.close();
    };
    return { root, store, close };
  });
}

describeRecords('the embedded store', async () => {
  const folder = folders.make();
  let nowMs = NOON;
  const [one, other] = [openFolder(folder, () => nowMs), openFolder(folder, () => nowMs)];
  return {
    stores: [one.store, other.store],
    nowMs: () => nowMs,
    async pass(ms) {
      nowMs += ms;
    },
    async close() {
      await one.close();
      await other.close();
    },
  };
});
