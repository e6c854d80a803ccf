/** Carrying keys over from the layout of a store that an earlier version wrote. */

import { type RecordChange, RecordError, type RecordStore } from '../records/record-store.js';
import { addressOfKey, encodeKeptKey, type KeptKey } from './kept-key.js';

const KEYS_PER_WRITE = 50;

/**
 * Makes the records of keys that are not there yet. Where this is interrupted, or several processes do it at once, each
 * key is made once, and a key that was changed since is left as it is. Of several keys of one digest or one id, which a
 * killed process may have left, the first is made. Rejects with KeyStoreError.
 */
export async function carryOver(records: RecordStore, keys: readonly KeptKey[]): Promise<void> {
  const byDigest = new Map(keys.toReversed().map((key) => [key.digest, key]));
  const distinct = [...new Map([...byDigest.values()].map((key) => [key.record.id, key])).values()];
  for (let at = 0; at < distinct.length; at += KEYS_PER_WRITE) {
    await createMissing(records, distinct.slice(at, at + KEYS_PER_WRITE));
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
