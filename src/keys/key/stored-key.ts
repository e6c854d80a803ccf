/**
 * An API key as a record of the key store: of the kind `key`, its id the digest of the clear key, its one name the
 * key's id, without an end. The value holds the fields of the key's record, the sealed clear key or null, and the id
 * under which its requests are counted. The script that decides in Redis reads the value too, see
 * redis-decision-script.ts.
 *
 *     {"id":"key_…","name":"our website","plan":"free","created":"2026-11-21T16:01:24.248Z","expires":null,
 *      "state":"active","replacedBy":null,"graceUntil":null,"sealed":null,"usage":"0-35fde9382d67692f"}
 */

import { InvalidValueError } from '../../base/errors.js';
import type { RecordAddress, RecordContent, StoredRecord } from '../records/record-store.js';
import { type KeyRecord, parseKeyRecord } from './key-record.js';

export interface StoredKey {
  /** As digestApiKey gives it. */
  readonly digest: string;
  readonly record: KeyRecord;
  /** The clear key sealed by key-seal.ts; null if it was created without KEY_SECRET. */
  readonly sealed: string | null;
  readonly usageId: string;
}

export const KEY_KIND = 'key';

export function addressOfKey(digest: string): RecordAddress {
  return { kind: KEY_KIND, id: digest };
}

export function encodeStoredKey({ record, sealed, usageId }: Omit<StoredKey, 'digest'>): RecordContent {
  const value = { ...parseKeyRecord(record), sealed, usage: usageId };
  return { value, names: [record.id], expiresMs: null };
}

export function decodeStoredKey({ id: digest, value }: StoredRecord): StoredKey {
  const record = parseKeyRecord(value);
  const { sealed, usage } = value;
  if (sealed !== null && typeof sealed !== 'string') throw new InvalidValueError('a sealed key must be a text');
  if (typeof usage !== 'string') throw new InvalidValueError('a key must say where its requests are counted');
  return { digest, record, sealed, usageId: usage };
}
