/**
 * Carrying keys over from the layout of a store that an earlier version wrote. What that version wrote stays where it
 * lies, so that its servers go on until they are stopped.
 */

import { type RecordChange, RecordError, type RecordStore } from '../records/record-store.js';
import { addressOfKey, encodeKeptKey, type KeptKey } from './kept-key.js';

const KEYS_PER_WRITE = 50;

/**
 * Makes the records of keys that are not there yet. Where this is interrupted, or several processes do it at once, each
 * key is made once, and a key that was changed since is left as it is. Rejects with KeyStoreError.
 */
export async function carryOver(records: RecordStore, keys: readonly KeptKey[]): Promise<void> {
  for (let at = 0; at < keys.length; at += KEYS_PER_WRITE) {
    await createMissing(records, keys.slice(at, at + KEYS_PER_WRITE));
  }
}

async function createMissing(records: RecordStore, keys: readonly KeptKey[]): Promise<void> {
  const changes = keys.map((key): RecordChange => ({ create: { ...addressOfKey(key.digest), ...encodeKeptKey(key) } }));
  while (changes.length > 0) {
    try {
      await records.write(changes);
      return;
    } catch (error) {
      if (!(error instanceof RecordError && error.code === 'RECORD_EXISTS' && error.changeIndex !== null)) throw error;
      changes.splice(error.changeIndex, 1);
    }
  }
}
