import { RecordError, untilUnchanged } from '../records/record-store.js';
import { KeyStoreError } from '../storage/key-store-error.js';

/** Runs the attempt again while another process is faster, and gives up with KeyStoreError. */
export function uncontended<T>(attempt: () => Promise<T>): Promise<T> {
  return untilUnchanged(attempt).catch((error) => {
    if (!(error instanceof RecordError && error.code === 'RECORD_CHANGED')) throw error;
    throw new KeyStoreError('KEY_STORE_FAILED', `${error.message} and is changed by others all the time`, 'try again');
  });
}
